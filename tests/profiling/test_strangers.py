"""Profiles from strangers: their text is shown as text, in terminals, pages and figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from profile_samples import calls, pingpong, profile, written

from conftest import RunHockney
from hockney.profiling.kinds import read

HOSTILE = "\x1b]0;title\x07\nrank 9 is fine\n<script>alert(1)</script>\u202e"


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """Each text in it is hostile."""
    named = {"region": HOSTILE, "communicator": HOSTILE, "peer": 1}
    hostile = profile(*pingpong(100, 8), calls(0, f"MPI_Bcast{HOSTILE}", 5, 8, **named))
    hostile.program = replace(
        hostile.program, command=("app", HOSTILE), library=f"MPI\n{HOSTILE}", mpicc=HOSTILE
    )
    texts = {"host": HOSTILE, "program": HOSTILE, "cpus": HOSTILE, "cache": HOSTILE}
    hostile.ranks = [replace(rank, **texts) for rank in hostile.ranks]
    return written(tmp_path / "p.jsonl", hostile)


def test_text_cannot_imitate_ours_or_reach_the_terminal(hockney: RunHockney, strange: Path) -> None:
    shown = hockney.ok("show", str(strange))
    assert "\x1b" not in shown.stdout
    assert not [line for line in shown.stdout.splitlines() if line.startswith("rank 9")]
    assert "\\u001b]0;title" in shown.stdout
    assert read(strange).program.library == "MPI"


def test_the_page_and_figures_show_it_as_text(hockney: RunHockney, strange: Path) -> None:
    for words in (("report",), ("plot", "--what", "traffic")):
        drawn = strange.with_suffix(".html" if words[0] == "report" else ".svg")
        hockney.ok(*words, str(strange), "-o", drawn.name, "--force")
        assert "<script>alert(1)" not in drawn.read_text()
        assert "\x1b" not in drawn.read_text()

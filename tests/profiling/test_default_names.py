"""The name of an output that nobody chose: another process may take it at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest
from profile_samples import pingpong, profile, written

from conftest import RunHockney


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "p.jsonl", "--launches", "1"),
        ("profile", "--", "mpiexec", "-n", "1", "python3", "-c", "pass"),
    ],
    ids=lambda words: words[0],
)
def test_a_name_that_was_taken_meanwhile_gets_the_next_number(
    hockney: RunHockney, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    written(tmp_path / "p.jsonl", profile(*pingpong(1, 8)))
    rival = tmp_path / "rival.jsonl"
    rival.write_text("precious\n")
    monkeypatch.setattr("hockney.cli._measure.default_output", lambda _experiment: rival)
    done = hockney(*words)
    assert "exists" not in done.stderr
    if words[0] == "replay":
        assert (done.status, "rival-2.jsonl" in done.stderr) == (0, True)
        assert (tmp_path / "rival-2.jsonl").stat().st_size > 0
    else:
        assert (done.status, "nothing was recorded" in done.stderr) == (1, True)
        assert not (tmp_path / "rival-2.jsonl").exists()
    assert rival.read_text() == "precious\n"

"""A profile drawn by plot, and as a section of the report."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

from profile_samples import calls, profile, written

from conftest import RunHockney
from figure_examples import stencil
from hockney.profiling.causes import CAUSES
from hockney.profiling.summary import ProfileSummary
from hockney.show.profiles.figures import PROFILE_FIGURES, describe_profile
from hockney.show.profiles.profile import profile_parts

ATTACK = "<script>alert(1)</script>"


def test_each_rank_has_the_time_that_it_spent() -> None:
    summary = ProfileSummary(stencil(4))
    [panel] = describe_profile("reasons", summary).panels
    for row, key in enumerate(sorted(summary.of_rank)):
        bars = [bar for bar in panel.bars if bar.row == row]
        in_mpi = [bar for bar in bars if panel.kinds[bar.kind].label in CAUSES]
        spent = sum(bar.high - bar.low for bar in in_mpi)
        assert round(spent - sum(summary.causes.of_rank[key].values()), 9) == 0.0
        assert all(a.high == b.low for a, b in pairwise(bars))


def test_the_matrix_has_the_bytes_between_ranks_and_adds_neighbours_up() -> None:
    [panel] = describe_profile("traffic", ProfileSummary(stencil(4))).panels
    bytes_ = 1000 * 65536 + 50 * 1024
    cells = {(cell.row, cell.column): cell.value for cell in panel.cells}
    assert cells == {(a, b): bytes_ for a in range(4) for b in range(4) if (a - b) % 4 in (1, 3)}
    [panel] = describe_profile("traffic", ProfileSummary(stencil(128))).panels
    assert panel.y.names[0] == "0..1"
    assert sum(cell.value or 0.0 for cell in panel.cells) == 2 * 128 * bytes_


def test_the_report_has_a_section_of_the_profile(hockney: RunHockney, tmp_path: Path) -> None:
    given = written(tmp_path / "p.jsonl", stencil(4))
    hockney.ok("report", str(given), "-o", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert 'id="profile-1"' in page
    assert "Top ten lines by time" in page
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    contents = json.loads(data[1])
    names = {figure["id"].removeprefix("profile-1-") for figure in contents["figures"]}
    assert names == set(PROFILE_FIGURES.built_in())
    assert contents["profiles"][0]["show"]["calls"]


def test_names_in_a_profile_are_text(hockney: RunHockney, tmp_path: Path) -> None:
    attacking = profile(calls(0, ATTACK, 3, 8, communicator=ATTACK, region=ATTACK))
    given = written(tmp_path / "p.jsonl", attacking)
    assert hockney("report", str(given), "-o", "page.html").status == 0
    assert ATTACK not in (tmp_path / "page.html").read_text()


def test_plot_draws_profiles(hockney: RunHockney, tmp_path: Path) -> None:
    given = written(tmp_path / "p.jsonl", stencil(4))
    assert "A late partners" in hockney("plot", str(given)).stdout
    assert hockney("plot", "--what", "traffic", str(given), "-o", "t.svg").status == 0
    without = written(tmp_path / "none.jsonl", profile(calls(0, "MPI_Barrier", 3)))
    hockney.refused("plot", "--what", "traffic", str(without), because="no bytes between ranks")
    assert hockney("plot", "--what", "reasons", str(given), str(without)).status == 2


def test_a_call_takes_as_long_in_the_table_as_in_the_figure() -> None:
    """A nonblocking send of 0.3 ms whose completion took 105 ms, in a wait."""
    made = profile(
        calls(0, "MPI_Isend", 10, 8, time_s=3e-4, completion_s=0.105),
        calls(0, "MPI_Waitall", 10, datatype=None, time_s=0.105),
    )
    summary = ProfileSummary(made)
    [panel] = describe_profile("calls", summary).panels
    assert panel.y.names == ("Isend, 8 B, 2 ranks",)
    assert abs(max(bar.high for bar in panel.bars) - 0.1053) < 1e-9
    rows = {row.key[0]: row.sum for row in summary.lines}
    assert abs(rows["MPI_Isend"].spent_s - 0.1053) < 1e-9
    assert rows["MPI_Waitall"].spent_s == 0.0
    table = next(part for part in profile_parts(summary) if "us each" in part).splitlines()
    assert table[1].split()[:5] == ["MPI_Isend", "2", "8", "10", "0.1053"]

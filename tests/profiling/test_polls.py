"""Tests and probes that find nothing: counted exactly, one in sixteen timed; recording's cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from profile_samples import calls, profile, rank
from profiled_programs import Profiled, build, profiled_by

from conftest import RunHockney
from hockney.profiling.findings import findings_of
from hockney.profiling.kinds import Profile, read
from hockney.profiling.summary import ProfileSummary
from hockney.run.mpis import Mpi
from hockney.show.profiles.profile_findings import finding_text

HERE = Path(__file__).parent
POLLS, FOUND = 20_000, 100
"""Polls without and with a message in polls.c."""


@pytest.fixture
def profiled(mpi: Mpi, hockney: RunHockney, tmp_path: Path) -> Profiled:
    return profiled_by(mpi, hockney, tmp_path)


def test_polls_are_counted_exactly_and_their_time_is_estimated(
    mpi: Mpi, profiled: Profiled, tmp_path: Path
) -> None:
    done, shown = profiled(build(mpi, tmp_path, HERE / "polls.c"), ranks=1)
    assert done.status == 0, done.stderr
    taken = dict(line.split() for line in done.stdout.splitlines())
    by_call = {call["call"]: call for call in shown["calls"]}
    for name in ("MPI_Testall", "MPI_Testany", "MPI_Testsome"):
        assert by_call[name]["count"] == POLLS
    assert by_call["MPI_Iprobe"]["count"] == POLLS + 10
    assert {row["region"]: row["count"] for row in shown["regions"]}["region"] == 10
    assert by_call["MPI_Irecv"]["count"] == by_call["MPI_Send"]["count"] == FOUND + 2
    assert POLLS + FOUND <= by_call["MPI_Test"]["count"] <= POLLS + 20 * FOUND
    for name, seconds in taken.items():
        call = by_call[name]
        timed = call["count"] - call["untimed"]
        # A slow machine may need half a microsecond for each, and all are timed then.
        is_quick = name == "MPI_Test" and float(seconds) / POLLS < 0.3e-6
        assert POLLS / 25 < timed < POLLS / (2 if is_quick else 0.9), name
        # The least is far below: what was taken has the loop and the recorder in it.
        # The most is what it can be where the rank loses its CPU in a poll that stands for 23.
        assert float(seconds) / 100 < call["time_s"] < 24 * float(seconds), name
    assert by_call["MPI_Send"]["untimed"] == 0
    # Receives go to two addresses, sends come from one.
    buffers = {call.call: call.buffers for call in read(tmp_path / "p.jsonl").calls if call.bytes}
    assert buffers == {"MPI_Irecv": 2, "MPI_Send": 1}
    [of_rank] = shown["ranks"]
    assert 0.0 < of_rank["recording_s"] == shown["recording_s"]
    assert shown["recording_fraction"] == pytest.approx(shown["recording_s"] / of_rank["wall_s"])


def test_a_recorder_that_takes_much_is_a_finding() -> None:
    def found(seconds: float | None) -> list[str]:
        ranks = [rank(0, recording_s=seconds), rank(1, recording_s=seconds)]
        summary = ProfileSummary(
            Profile(profile().program, ranks, [calls(0, "MPI_Send", 1, 8, peer=1)])
        )
        return [
            finding_text(finding) for finding in findings_of(summary) if finding.kind == "recording"
        ]

    assert found(None) == found(0.019) == []
    [text] = found(0.03)
    assert "about 3.0 % of the ranks' time" in text

"""Times of programs whose moments are known, and which ranks are of one job."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from profiled_programs import Profiled, build, profiled_by

from conftest import RunHockney
from hockney.profiling.collect import _jobs
from hockney.profiling.layout import ENDS, NO_LAUNCHER
from hockney.run.mpis import Mpi


@pytest.fixture
def profiled(mpi: Mpi, hockney: RunHockney, tmp_path: Path) -> Profiled:
    return profiled_by(mpi, hockney, tmp_path)


@pytest.fixture(scope="module")
def moments(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(mpi, tmp_path_factory.mktemp("moments"), Path(__file__).with_name("moments.c"))


def test_waits_of_persistent_receives_are_seen(profiled: Profiled, moments: Path) -> None:
    """On a busy machine a rank that comes late itself waits less."""
    _, shown = profiled(moments, "persistent", ranks=2)
    assert shown["ranks"][1]["wait_s"] > 0.15


def test_the_time_of_a_lost_rank_ends_with_its_last_call(profiled: Profiled, moments: Path) -> None:
    _, shown = profiled(moments, "lost", ranks=2)
    assert [rank["end"] for rank in shown["ranks"]] == ["lost", "lost"]
    assert all(rank["wall_s"] > 0.2 for rank in shown["ranks"])
    assert all(rank["mpi_s"] <= 1.05 * rank["wall_s"] for rank in shown["ranks"])


def test_what_would_go_beyond_the_edge_of_a_grid_is_not_sent(
    profiled: Profiled, moments: Path
) -> None:
    """Each of two ranks in a row sends the other 20 bytes, and would send 10 outwards."""
    _, shown = profiled(moments, "neighbors", ranks=2)
    [row] = [row for row in shown["calls"] if row["call"] == "MPI_Neighbor_alltoallv"]
    assert (row["count"], row["bytes"]) == (2, 20)


def rank_file(rank: int, first: int, last: int, job: int, state: str = "finalized") -> Any:
    number = next(number for number, name in ENDS.items() if name == state)
    known = {"rank": rank, "ranks": 2, "job": job, "boot": b"b", "state": number}
    return SimpleNamespace(header={**known, "first_ns": first, "last_ns": last})


@pytest.mark.parametrize(("job", "jobs"), [(7, 1), (NO_LAUNCHER, 2)])
def test_ranks_of_one_launcher_are_one_job_although_one_ended_early(job: int, jobs: int) -> None:
    """Without a launcher's name only the time tells."""
    files = [rank_file(0, 0, 10, job), rank_file(1, 11, 20, job)]
    assert len(list(_jobs(files))) == jobs


def test_a_rank_that_begins_again_is_of_another_job() -> None:
    files = [rank_file(rank, first, first + 5, 7) for first in (0, 10) for rank in (0, 1)]
    assert [len(of_job) for of_job in _jobs(files)] == [2, 2]

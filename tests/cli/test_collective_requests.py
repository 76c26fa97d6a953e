"""hockney collective --requests, as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from hockney.run.mpis import Mpi

LIMITED = {
    "openmpi": ("linear_sync", "coll_tuned_alltoall_algorithm_max_requests"),
    "mpich": ("scattered", "MPIR_CVAR_ALLTOALL_THROTTLE"),
}
"""An algorithm of alltoall that limits its messages in flight, and the variable that sets it."""
SHORT = ("--launches", "1", "--budget", "3s", "--sizes", "8", "--oversubscribe", "-q")


@pytest.fixture
def limited(mpi: Mpi) -> tuple[str, str]:
    if mpi.family not in LIMITED:
        pytest.skip("no limit of requests can be set")
    return LIMITED[mpi.family]


@pytest.mark.long
def test_values_around_the_best_limit_are_measured_read_back_and_shown(
    hockney: RunHockney, tmp_path: Path, limited: tuple[str, str]
) -> None:
    """The coarse limits of 5 ranks are 1 and 4, and 2 lies around both."""
    name, variable = limited
    words = ("--algorithm", f"{name},default", "--requests", "auto", "-n", "5")
    hockney.ok("collective", "alltoall", *words, "-o", "run.jsonl", *SHORT[:-1])
    run = records.read(tmp_path / "run.jsonl")
    ran = {s.launch: (s.algorithm, s.requests) for s in run.samples}
    assert set(ran.values()) == {("default", None), (name, 1), (name, 2), (name, 4)}
    for launch in run.launches:
        _, requests = ran[launch.launch]
        assert launch.controls.get(variable) == (None if requests is None else str(requests))
    words = hockney("show", "run.jsonl", "--all-states").stdout
    assert f"{name}, 4 requests" in words
    shown = hockney("show", "run.jsonl", "--all-states", "--json").json
    assert {p["requests"] for p in shown["points"]} == {None, 1, 2, 4}
    assert run.header.options["searched"] == ["requests"]


def test_a_limit_that_no_algorithm_takes_is_refused(hockney: RunHockney) -> None:
    hockney.refused(
        *("collective", "barrier", "--algorithm", "all", "--requests", "2"),
        *SHORT,
        because="--requests: this MPI library lists no control variable for it",
    )
    for wrong in ("0", "many"):
        done = hockney("collective", "alltoall", "--requests", wrong, *SHORT)
        assert done.status == 2

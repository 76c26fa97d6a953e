"""--verify: every byte and every reduced value is right, and one that is not is found."""

from __future__ import annotations

import pytest

from conftest import RunEngine, first_of
from hockney.mpis import Engine

QUICK = ("--verify", "--seconds=0.02", "--sizes=8,64,4KiB")
COLLECTIVES = [
    "bcast", "scatter", "gather", "allgather", "alltoall",
    "scatterv", "gatherv", "allgatherv", "alltoallv",
    "reduce", "allreduce", "scan", "reduce_scatter_block",
    "ibcast", "iscatter", "igather", "iallgather", "ialltoall", "ireduce", "iallreduce",
]  # fmt: skip
ROOTED = {"bcast", "scatter", "gather", "reduce", "scatterv", "gatherv", "igather"}
BETWEEN_TWO = [
    "--mode=standard",
    "--mode=synchronous",
    "--mode=nonblocking",
    "--mode=persistent",
    "--operation=exchange",
    "--operation=stream --window=1,8",
    "--operation=bidirectional --window=1,8",
]


@pytest.mark.parametrize("ranks", first_of([3, 2]))
@pytest.mark.parametrize("name", COLLECTIVES)
def test_every_collective_delivers_what_it_should(
    run_engine: RunEngine, name: str, ranks: int
) -> None:
    others = ["--root=rotate"] if name in ROOTED else []
    others += ["--buffers=cold"] if ranks == 2 else []
    done = run_engine("collective", name, *QUICK, *others, ranks=ranks)
    assert done.status == 0, done.stderr
    # Where a machine is busy, no repetition of a size may begin together: it is checked as well.
    assert {s["bytes"] for s in done.of("start")} == {8, 64, 4096}
    assert done.of("samples")


@pytest.mark.parametrize("name", COLLECTIVES)
def test_a_damaged_byte_of_a_collective_is_found(
    run_engine: RunEngine, faulty_engine: Engine, name: str
) -> None:
    done = run_engine(
        "collective",
        name,
        *QUICK,
        ranks=3,
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: " in done.stderr
    assert "64 bytes" in done.stderr


@pytest.mark.parametrize("asked", BETWEEN_TWO)
def test_pairs_deliver_what_they_should_and_end(run_engine: RunEngine, asked: str) -> None:
    done = run_engine("pairs", *asked.split(), *QUICK, ranks=4)
    assert done.status == 0, done.stderr
    found = {(s["bytes"], s["ranks"], s.get("window")) for s in done.of("samples")}
    windows = {1, 8} if "window" in asked else {None}
    assert found == {(b, r, w) for b in (8, 64, 4096) for r in (2, 4) for w in windows}


@pytest.mark.parametrize(
    "asked", [*(f"pairs {asked}" for asked in BETWEEN_TWO), "pingpong", "cores"]
)
def test_a_damaged_byte_between_two_is_found(
    run_engine: RunEngine, faulty_engine: Engine, asked: str
) -> None:
    done = run_engine(
        *asked.split(),
        *QUICK,
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: in a message of 64 bytes" in done.stderr


def test_windows_of_two_ranks_are_an_axis_with_times(run_engine: RunEngine) -> None:
    done = run_engine(
        "pingpong", "--operation=stream", "--window=1,8", "--sizes=8,4KiB", "--seconds=0.1"
    )
    assert done.status == 0, done.stderr
    found = {(s["window"], s["bytes"]) for s in done.of("samples")}
    assert found == {(1, 8), (1, 4096), (8, 8), (8, 4096)}
    assert all(0.0 < ns < 1e9 for s in done.of("samples") for ns in s["ns"])

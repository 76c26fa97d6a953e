"""--verify: every byte and every reduced value is right, and one that is not is found."""

from __future__ import annotations

import pytest

from conftest import RunEngine, first_of, kept_short
from hockney.plan.workloads.collective import COLLECTIVES, IN_FORMS, NO_BYTES, ROOTED
from hockney.run.measure.toolchain.features import features_of
from hockney.run.mpis import Engine

QUICK = ("--verify", "--seconds=0.02", "--sizes=8,64,4KiB")
NAMES = [name for name in sorted(COLLECTIVES) if name not in NO_BYTES]
PERSISTENT = [f"{name} --form=persistent" for name in IN_FORMS if name not in NO_BYTES]
FEW = ("bcast", "alltoallw", "iscan", "ireduce_scatter", "reduce_local", "exscan")
"""Collectives that each break in a way of their own; the others are long tests."""
CASES = sorted(NAMES, key=lambda name: name not in FEW)
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
@pytest.mark.parametrize("name", first_of(CASES, len(FEW)))
def test_every_collective_delivers_what_it_should(
    run_engine: RunEngine, name: str, ranks: int
) -> None:
    others = ["--root=rotate"] if name in ROOTED else []
    others += ["--buffers=cold"] if ranks == 2 else []
    done = run_engine.ok("collective", name, *QUICK, *others, ranks=ranks)
    # On a busy machine perhaps no repetition of a size begins together: it is checked as well.
    assert {s["bytes"] for s in done.of("start")} == {8, 64, 4096}


@pytest.mark.parametrize("name", first_of(PERSISTENT, 2))
def test_every_persistent_collective_delivers_what_it_should(
    run_engine: RunEngine, engine: Engine, name: str
) -> None:
    done = run_engine("collective", *name.split(), *QUICK, "--overlap", ranks=3)
    if not features_of(engine, simulated=False).persistent_collectives:
        assert done.status == 2
        assert "has no persistent collectives" in done.stderr
        return
    if name.startswith("scatter") and "Invalid communicator" in done.stderr:
        # A bare program fails so on three ranks under MPICH 4.0 and Intel MPI 2021.18.
        assert "hockney-engine: scatter: " in done.stderr
        return
    assert done.status == 0, done.stderr
    assert {s["bytes"] for s in done.of("start")} == {8, 64, 4096}
    forms = {(s["operation"], s["form"], s.get("overlap", False)) for s in done.of("samples")}
    assert forms <= {(name.split()[0], "persistent", overlap) for overlap in (False, True)}


@pytest.mark.parametrize("name", first_of(CASES, len(FEW)))
def test_a_damaged_byte_of_a_collective_is_found(
    run_engine: RunEngine, faulty_engine: Engine, name: str
) -> None:
    done = run_engine(
        *("collective", name, "--verify", "--seconds=0.02", "--sizes=64"),
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: " in done.stderr
    assert "64 bytes" in done.stderr


@pytest.mark.parametrize(
    "asked", kept_short(BETWEEN_TWO, ["--mode=standard", "--operation=stream --window=1,8"])
)
def test_pairs_deliver_what_they_should_and_end(run_engine: RunEngine, asked: str) -> None:
    done = run_engine.ok("pairs", *asked.split(), *QUICK, ranks=4)
    points = {(s["bytes"], s["ranks"], s.get("window")) for s in done.of("samples")}
    windows = {1, 8} if "window" in asked else {None}
    assert points == {(b, r, w) for b in (8, 64, 4096) for r in (2, 4) for w in windows}


@pytest.mark.parametrize(
    "asked", [*(f"pairs {options}" for options in BETWEEN_TWO), "pingpong", "cores"]
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
    done = run_engine.ok(
        "pingpong", "--operation=stream", "--window=1,8", "--sizes=8,4KiB", "--seconds=0.1"
    )
    points = {(s["window"], s["bytes"]) for s in done.of("samples")}
    assert points == {(1, 8), (1, 4096), (8, 8), (8, 4096)}
    assert all(0.0 < ns < 1e9 for s in done.of("samples") for ns in s["ns"])

"""A clock whose reading costs up to a microsecond, differently on each rank: all plans agree."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from conftest import RunEngine, each_once
from hockney.run.mpis import Engine, Mpi
from preloads import build_library, write_wrapper

QUICK = ("--seconds", "0.1", "--sizes", "8,4KiB")
EXPERIMENTS = {
    "pingpong": 2,
    "overheads --trains 4:500:0": 2,
    "pairs": 2,
    "cores": 3,
    "collective allreduce": 2,
}


@pytest.fixture(scope="module")
def slow_clock(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_library(mpi, "slow_clock", tmp_path_factory.mktemp("clock"))


@pytest.mark.parametrize(
    ("experiment", "cost_ns"), each_once(list(product(EXPERIMENTS, [60, 1000, 20, 250])))
)
def test_every_experiment_ends_by_itself_with_samples(
    run_engine: RunEngine,
    engine: Engine,
    slow_clock: Path,
    tmp_path: Path,
    experiment: str,
    cost_ns: int,
) -> None:
    program = write_wrapper(
        tmp_path / "slowed", engine.path, LD_PRELOAD=slow_clock, HOCKNEY_TEST_CLOCK_NS=cost_ns
    )
    done = run_engine.ok(*experiment.split(), *QUICK, ranks=EXPERIMENTS[experiment], path=program)
    assert done.of("launch")[0]["clock"]["cost_s"] >= cost_ns * 0.9e-9
    # A visit of a collective whose ranks did not start in time leaves no sample.
    visits = "start" if experiment.startswith("collective") else "samples"
    assert done.of("samples")
    assert {visit["bytes"] for visit in done.of(visits)} == {8, 4096}
    assert done.of("end")[0]["reason"] == "budget"

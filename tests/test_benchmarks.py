"""Benchmarks are run by hand and seldom: they must still fit the code."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import TEST_TIMEOUT_S, first_of
from hockney.run.measure.toolchain.build import ENGINE
from hockney.run.measure.toolchain.compiler import FLAGS
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PARTS = ("common.py", "claim.py", "claims_", "locate_networks.py", "streams.py")
"""Modules that programs import, and that are no programs."""
NAMES = sorted(f.name for f in BENCHMARKS.glob("*.py") if not f.name.startswith(PARTS))


@pytest.mark.parametrize("name", first_of(NAMES, 3))
def test_each_can_be_asked_what_it_does(name: str) -> None:
    done = subprocess.run(
        [sys.executable, name, "--help"], cwd=BENCHMARKS, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage:")


def test_their_c_programs_fit_the_engine() -> None:
    """loop_cost_threads.c once named an option in its old place."""
    command = [find_mpi(None).mpicc, *FLAGS, f"-I{ENGINE.directory}", "-fsyntax-only"]
    done = subprocess.run([*command, *BENCHMARKS.glob("*.c")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["bcast", "allreduce", "alltoall", "barrier"])
def test_the_bare_collectives_report_every_distance(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from back_to_back import build, launch

    mpi, program = find_mpi(None), tmp_path / "back_to_back"
    build(mpi, program)
    timings = launch(mpi, program, name, 8, "1", "1e9", "20000", "100000")
    assert list(timings) == [0.0, 20000.0, 100000.0]
    for timing in timings.values():
        assert timing.late == 0.0
        assert timing.time_ns >= timing.other_ns > 0.0


def test_bare_collectives_that_are_all_late_have_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from back_to_back import build, launch

    mpi, program = find_mpi(None), tmp_path / "back_to_back"
    build(mpi, program)
    timing = launch(mpi, program, "barrier", 0, "1", "-1e9", "20000")[20000.0]
    assert timing.late == 1.0
    assert math.isnan(timing.time_ns)


@pytest.mark.parametrize(
    ("visits", "expected"),
    [([1.0] * 40, 1.0), ([1.0] * 4 + [7.0] * 32 + [2.0] * 4, 2.0), ([4.0, 9.0, 2.0], 0.5)],
    ids=["steady", "tenths", "few"],
)
def test_a_drift_compares_the_last_tenth_of_visits_with_the_first(
    visits: list[float], expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from collectives import drift

    assert drift(np.array(visits)) == expected


def test_an_osu_time_is_the_last_column_in_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from common import osu

    printer = tmp_path / "mpiexec"
    printer.write_text("#!/bin/sh\nprintf '\\n# a title\\n# Size Avg(us)\\n8  1.2500\\n'\n")
    printer.chmod(0o755)
    mpi = Mpi(tmp_path / "mpicc", printer, "mpich", "hydra", "")
    assert osu(tmp_path / "osu_bcast", mpi, [], 1)[0] == pytest.approx(1.25e-6)


@pytest.mark.long
def test_the_bare_loop_speaks_with_the_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from loop_cost import build

    mpi, program = find_mpi(None), tmp_path / "loop_cost"
    build(mpi, program)
    done = subprocess.run(
        [str(mpi.mpiexec), "-n", "2", str(program), "3"],
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
    )
    rows = {tuple(line.split()[:2]) for line in done.stdout.splitlines()}
    assert rows == {("pingpong", n) for n in "01248"} | {("put", n) for n in "1248"}


def test_a_verb_that_warns_a_lot_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than a pipe holds."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from large_files import measured

    script = tmp_path / "hockney"
    script.write_text("#!/bin/sh\nhead -c 100000 /dev/zero >&2\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert measured([])[0] > 0.0
    script.write_text("#!/bin/sh\necho wrong >&2\nexit 2\n")
    with pytest.raises(SystemExit, match="wrong"):
        measured([])


def test_programs_after_one_are_those_of_its_own_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from mpich_suite import after, tests_of

    for name, lines in (("io", "a 2\nb 2\nc 2\n"), ("rma", "d 2\ne 2\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "testlist").write_text(lines)
    names = [
        [test.program for test in after(tests_of(tmp_path / name, name, False, 8), "b")]
        for name in ("io", "rma")
    ]
    assert names == [["c"], ["d", "e"]]

"""Benchmarks are run by hand and seldom: what they are made of must still fit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S
from hockney.measure.mpi import find_mpi

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = sorted(file.name for file in BENCHMARKS.glob("*.py") if file.name != "common.py")


@pytest.mark.parametrize("name", NAMES)
def test_each_can_be_asked_what_it_does(name: str) -> None:
    done = subprocess.run(
        [sys.executable, name, "--help"], cwd=BENCHMARKS, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage:")


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
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["0", "1", "2", "4", "8"]

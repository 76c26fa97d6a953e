"""The engine writes to stdout seldom, and reports an error where it cannot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import RunEngine
from engine_checks import build_check
from hockney.run.mpis import Engine, Mpi
from preloads import Watch, write_wrapper

FULL = Path("/dev/full")


@pytest.mark.parametrize("asked", ["--help", "--version", "algorithms", "fit"])
def test_a_full_disk_is_an_error(engine: Engine, asked: str) -> None:
    lines = "8 1e-6\n16 2e-6\n1024 3e-6\n"
    with FULL.open("w") as full:
        done = subprocess.run(
            [engine.path, asked],
            input=lines,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert "stdout cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("table", [[], ["--table"]])
def test_a_measurement_into_a_full_disk_fails(
    run_engine: RunEngine, engine: Engine, tmp_path: Path, table: list[str]
) -> None:
    program = write_wrapper(tmp_path / "full", engine.path, redirect=f"> {FULL}")
    done = run_engine("pingpong", "--seconds=0.1", "--sizes=8", *table, path=program)
    assert done.status != 0
    assert "stdout cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("asked", ["pingpong --sizes=1..64KiB", "collective bcast --sizes=1..256"])
def test_a_round_is_written_in_a_few_calls(watch: Watch, asked: str) -> None:
    done, calls = watch(*asked.split(), "--seconds=0.3")
    rounds = len(done.of("round"))
    (writes,) = (call.root for call in calls[0] if call.name == "writes")
    assert rounds >= 1
    assert writes < 4 * rounds + 40


def test_a_signal_does_not_fail_a_write_that_waits_for_its_reader(mpi: Mpi, tmp_path: Path) -> None:
    """SIGTERM inside of a blocked write: all bytes arrive, and the program ends well."""
    source = Path(__file__).with_name("blocked_write.c")
    program = build_check(mpi.mpicc, source, tmp_path / "blocked")
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1", "0"], done.stderr

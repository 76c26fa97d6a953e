"""Runs that go wrong, on the real thing: what was measured is kept and what happened is said."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from conftest import FAULTY, TEST_TIMEOUT_S, RunHockney, first_of
from hockney import records
from hockney.run.mpis import Mpi
from long_runs import LONG, measuring_into, nothing_left

FAULTS = {"HOCKNEY_CFLAGS": FAULTY}


def test_a_rank_that_dies_costs_only_its_own_launch(hockney: RunHockney, tmp_path: Path) -> None:
    done = hockney("pingpong", "-o", "run.jsonl", *LONG, env={**FAULTS, "HOCKNEY_FAULT_DIE": "7"})
    assert done.status == 1
    # The first one, unless the machine is so busy that it ends before the seventh round.
    assert re.search(r"launch \d+ failed", done.stderr)
    run = records.read(tmp_path / "run.jsonl")
    assert {samples.round for samples in run.samples} == set(range(7))
    assert run.ends[-1].reason == "failed"
    assert "1024" in done.stdout
    assert nothing_left()


def test_half_a_record_of_a_dying_rank_goes_nowhere(hockney: RunHockney, tmp_path: Path) -> None:
    """Its launcher ends the line with words of its own, and others follow in a resumed run."""
    env = {**FAULTS, "HOCKNEY_FAULT_TEAR": "7"}
    done = hockney("pingpong", "-o", "run.jsonl", *LONG, env=env)
    assert done.status == 1
    assert "damaged" not in done.stderr
    run = records.read(tmp_path / "run.jsonl")
    assert run.cut is None
    assert {samples.round for samples in run.samples} == set(range(7))


@pytest.mark.long
def test_a_rank_that_hangs_is_ended_by_the_watchdog(hockney: RunHockney, tmp_path: Path) -> None:
    env = {**FAULTS, "HOCKNEY_FAULT_STOP": "5"}
    done = hockney("pingpong", "-o", "run.jsonl", "--timeout", "8s", *LONG, env=env)
    assert done.status == 1
    assert "reported nothing for" in done.stderr
    run = records.read(tmp_path / "run.jsonl")
    assert {samples.round for samples in run.samples} == set(range(5))
    assert nothing_left()


@pytest.mark.parametrize("number", first_of([signal.SIGINT, signal.SIGTERM, signal.SIGUSR2]))
def test_an_interrupted_run_keeps_its_rounds_and_says_so(tmp_path: Path, number: int) -> None:
    path = tmp_path / "run.jsonl"
    process = measuring_into(path)
    time.sleep(0.5)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 130
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    run = records.read(path)
    assert run.samples
    assert run.cut is None
    assert run.ends[-1].reason == "interrupted"
    assert "1024" in stdout
    assert nothing_left()


@pytest.mark.long
def test_launches_are_spread_and_a_rest_can_be_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    options = ("--launches", "2", "--budget", "1s", "--over", "20min")
    process = measuring_into(path, *options)
    while process.poll() is None and not records.read(path).ends:
        time.sleep(0.1)
    assert nothing_left()
    assert process.poll() is None, "the precision of one launch is no reason to end"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 130
    assert "1 launch in" in stderr
    assert "interrupted" in stderr
    assert "incomplete" not in stderr
    assert [end.reason for end in records.read(path).ends] == ["budget"]
    assert "1024" in stdout


@pytest.mark.long
def test_killing_the_launcher_leaves_no_rank_behind(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    process = measuring_into(path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 1
    assert "killed by signal 9" in stderr
    assert records.read(path).samples
    assert nothing_left()


@pytest.mark.long
def test_a_launcher_of_another_mpi_is_recognised(
    hockney: RunHockney, mpi: Mpi, other_mpi: Mpi, tmp_path: Path
) -> None:
    """One library's wrapper with the other's launcher beside it."""
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for name, target in (("mpicc", mpi.mpicc), ("mpiexec", other_mpi.mpiexec)):
        (mixed / name).write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
        (mixed / name).chmod(0o755)
    done = hockney("pingpong", "--mpicc", str(mixed / "mpicc"), "--timeout", "10s", *LONG)
    assert done.status == 1
    assert "does not belong to the MPI library" in done.stderr
    assert str(mixed / "mpiexec") in done.stderr

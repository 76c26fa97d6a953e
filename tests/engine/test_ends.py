"""SIGTERM ends a run: with its last record where it goes on, after a grace where it hangs."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from long_runs import StartEngine, comes_true, engines_alive

LONG = ("--seconds=60", "--sizes=8,1KiB")
GRACE_S = 10.0
"""Time for which the engine lets a call of MPI go on: GRACE_S in probe.c."""


@pytest.mark.parametrize(
    ("asked", "ranks"),
    [
        ("pingpong", 2),
        ("pingpong --peers=2,0", 3),
        ("overheads --trains=4:500:0", 2),
        ("pairs", 2),
        ("cores", 3),
        ("collective allreduce", 2),
    ],
)
def test_a_run_that_goes_on_ends_with_its_last_record(
    start_engine: StartEngine, asked: str, ranks: int
) -> None:
    running = start_engine(*asked.split(), *LONG, ranks=ranks)
    # A rank without a part has no run to end.
    parts = [pid for pid in engines_alive() if measures(pid)]
    os.kill(parts[-1], signal.SIGTERM)
    assert comes_true(lambda: running.process.poll() is not None)
    (end,) = running.done().of("end")
    assert end["reason"] == "interrupted"
    assert running.done().status == 0


def measures(pid: int) -> bool:
    """Whether a process handles SIGTERM itself: bit 15 of SigCgt in /proc/PID/status, counted from
    1."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next(line for line in status if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


@pytest.fixture
def hanging(start_engine: StartEngine) -> int:
    """A rank that was sent SIGTERM while it waits inside MPI for one that is stopped."""
    start_engine("pingpong", *LONG)
    stopped, waiting = engines_alive()
    os.kill(stopped, signal.SIGSTOP)
    os.kill(waiting, signal.SIGTERM)
    return waiting


@pytest.mark.long
def test_a_rank_that_hangs_in_a_call_ends_after_the_grace(hanging: int) -> None:
    assert comes_true(lambda: hanging not in engines_alive(), 3.0 * GRACE_S)


def test_a_second_signal_ends_it_at_once(hanging: int) -> None:
    assert not comes_true(lambda: hanging not in engines_alive(), 1.0)
    os.kill(hanging, signal.SIGTERM)
    assert comes_true(lambda: hanging not in engines_alive(), 0.5 * GRACE_S)

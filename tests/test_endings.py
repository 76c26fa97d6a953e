"""A sample of tests/endings.py: what may end a command, at some moments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S
from ending_cases import LIMITS, SIGNALS, VERBS, table
from hockney.run.mpis import Engine

ENDINGS = Path(__file__).with_name("endings.py")

LATE = """
import os, signal
from hockney.base import endings

class Late:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGXCPU):
        kill(pid, number)

endings.install()
late = Late()
"""
"""A program that is asked to end when it has ended but for Python's own clearing."""


def run_endings(*words: str) -> str:
    """Its report; the engine comes from the cache of the tests."""
    engines = Path(os.environ["XDG_CACHE_HOME"]) / "hockney"
    command = [sys.executable, str(ENDINGS), "--engines", str(engines), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TEST_TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_each_verb_meets_each_event() -> None:
    cases = table()
    assert len({case.name for case in cases}) == len(cases)
    for event in (*SIGNALS, *LIMITS):
        assert {case.verb for case in cases if case.event == event} == set(VERBS)


def test_a_signal_after_the_end_changes_nothing() -> None:
    assert subprocess.run([sys.executable, "-c", LATE], timeout=TEST_TIMEOUT_S).returncode == 0


def test_an_end_in_the_first_launch_leaves_nothing_behind(engine: Engine) -> None:
    assert engine
    assert "1 of 1 cases, 0 wrong" in run_endings("pingpong", "launch 1", "USR2")


@pytest.mark.long
def test_a_sample_of_ends_leaves_nothing_behind(engine: Engine) -> None:
    assert engine
    assert ", 0 wrong" in run_endings("--sample", "12", "--seed", "7", "--seconds", "20")

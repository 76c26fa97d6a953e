"""The common clock by messages: it records how uncertain it is, and what no message can show."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import RunEngine

LEAST_PATH_S = 20e-9
"""No message between two ranks takes less: a cache line takes as long."""


@pytest.mark.parametrize("asked", ["pairs", "collective bcast"])
def test_uncertainty_and_bound_are_recorded(run_engine: RunEngine, asked: str) -> None:
    # Other work may disturb half of a few synchronizations, but not in every run.
    assert any(is_within_bound(run_engine, asked) for _ in range(5))


def is_within_bound(run_engine: RunEngine, words: str) -> bool:
    done = run_engine.ok(*words.split(), "--sync=messages", "--sizes=8", "--seconds=0.3")
    starts = done.of("start")
    assert all(s["error_s"] > 0.0 for s in starts)
    assert all(LEAST_PATH_S < s["bound_s"] < 1.0 for s in starts)
    # Within a node the truth is known. What the clock is wrong by is half the difference of the
    # paths, which half the shortest round trip bounds, and what the line through all offsets and
    # the scatter of the messages leave: its error.
    wrong = [s["known_error_s"] - s["bound_s"] - 3.0 * s["error_s"] for s in starts]
    return bool(np.median(wrong) <= 0.0)


def test_a_clock_that_is_shared_has_neither(run_engine: RunEngine) -> None:
    done = run_engine("pairs", "--sizes=8", "--seconds=0.1")
    assert {(s["error_s"], s["bound_s"]) for s in done.of("start")} == {(0.0, 0.0)}

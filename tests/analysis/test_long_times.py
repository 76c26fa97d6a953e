"""Long times are rare: what a mode, a slow launch or a coarse clock makes long has other names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from hockney.infer.analysis.conditions.long_times import Counters, long_times
from hockney.infer.arrays import Array

USUAL_S = np.full(1000, 1e-6)
WITH_ONE_LONG_S = np.append(USUAL_S, 1e-3)


@pytest.mark.parametrize(
    "samples_s",
    [
        {0: np.array([0.0, 0.0, 0.0, 1e-6])},
        {0: np.append(np.zeros(1000), 1e-6)},
        {0: np.repeat([1e-6, 2e-5], [600, 400])},
        {0: USUAL_S, 1: 12.0 * USUAL_S, 2: USUAL_S},
        {0: np.empty(0)},
        {},
    ],
    ids=["few and coarse", "coarse", "mode", "launch", "none", "no launch"],
)
def test_nothing_is_long_where_nothing_is_rare(samples_s: Mapping[int, Array]) -> None:
    assert long_times(samples_s, {}) is None


def test_a_rare_time_in_a_slow_launch_is_long_by_its_own_median() -> None:
    samples_s = {0: USUAL_S, 1: np.append(12.0 * USUAL_S, 1e-3)}
    reported = long_times(samples_s, {})
    assert reported is not None
    assert reported[0].startswith(
        "1 of 2001 samples are more than 10 times the median of their launch"
    )


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ((0, 1), "; no other process held a rank's CPU for long in these launches"),
        (
            (1, 2),
            "; no other process held a rank's CPU for long in the 1 of 2 launches of which the "
            "kernel reports it",
        ),
        ((2,), ""),
        ((), ""),
    ],
)
def test_other_processes_are_cleared_where_the_kernel_reports_it(
    known: tuple[int, ...], words: str
) -> None:
    samples_s = {0: WITH_ONE_LONG_S, 1: WITH_ONE_LONG_S, 2: USUAL_S}
    reported = long_times(samples_s, {launch: Counters(False, 0.0) for launch in known})
    assert reported is not None
    assert reported[0].partition("the longest 1 ms")[2] == words


def test_launches_in_which_other_processes_held_a_cpu_are_counted() -> None:
    samples_s = {0: WITH_ONE_LONG_S, 1: USUAL_S}
    reported = long_times(samples_s, {0: Counters(True, 12.0), 1: Counters(False, 0.0)})
    assert reported is not None
    assert "100 % of that is in the 1 of 2 launches in which other processes held" in reported[0]

"""Change points: found where a level changes, not where one run is off."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hockney.infer.analysis.history.autocorrelation import levels_likelihood, step, without_outliers
from hockney.infer.analysis.history.changes import LAST, LEAST_RUNS, change_points, changes_or_drift


def noisy(*levels: tuple[int, float], seed: int = 1) -> np.ndarray:
    """Logarithms of so many runs at each level, with 1 % of noise."""
    rng = np.random.default_rng(seed)
    return np.concatenate([np.log(level) + 0.01 * rng.standard_normal(n) for n, level in levels])


def test_a_step_is_found_where_it_is() -> None:
    (change,) = change_points(noisy((12, 1.0), (9, 1.2)), 0.05)
    assert change.at == 12
    assert change.ratio == pytest.approx(1.2, rel=0.02)
    assert change.run_length > 6000.0


def test_several_steps_are_found_in_order() -> None:
    changes = change_points(noisy((15, 1.0), (15, 1.5), (15, 0.8)), 0.05)
    assert [change.at for change in changes] == [15, 30]


def test_a_step_within_a_drift_is_found_where_it_steps() -> None:
    values = np.arange(20) / 1e4 + np.where(np.arange(20) < 13, 0.0, 0.3)
    assert [change.at for change in change_points(values, 0.05)] == [13]


@pytest.mark.parametrize("place", [0, 7, 19])
def test_one_run_far_off_is_no_change(place: int) -> None:
    values = noisy((20, 1.0))
    values[place] += 5.0
    assert change_points(values, 0.05) == []


def test_a_change_within_the_tolerance_is_none() -> None:
    values = noisy((20, 1.0), (20, 1.04))
    assert change_points(values, 0.05) == []
    assert len(change_points(values, 0.01)) == 1


def test_noise_alone_seldom_changes() -> None:
    """One in a hundred is allowed by the rule."""
    alarms = sum(
        bool(change_points(noisy((30, 1.0), seed=seed) * 20.0, 0.01)) for seed in range(40)
    )
    assert alarms <= 2


def test_a_segment_in_the_middle_is_found() -> None:
    """Splitting once at a time found nothing: the ranks before and after any split are alike."""
    places = [
        [
            change.at
            for change in change_points(noisy((10, 1.0), (10, 1.2), (10, 1.0), seed=s), 0.05)
        ]
        for s in range(10)
    ]
    assert places == [[10, 20]] * 10


@pytest.mark.parametrize("total", [0.15, 0.2])
def test_a_slow_drift_is_a_trend_and_no_step(total: float) -> None:
    """It used to be a change point in its middle, with a date."""
    for seed in range(10):
        changes, drift = changes_or_drift(
            noisy((30, 1.0), seed=seed) + np.linspace(0.0, total, 30), 0.05
        )
        assert changes == []
        assert drift is not None
        assert drift.ratio == pytest.approx(np.exp(total), rel=0.02)


def test_a_step_is_no_drift() -> None:
    for seed in range(10):
        changes, drift = changes_or_drift(noisy((15, 1.0), (15, 1.1), seed=seed), 0.05)
        assert ([change.at for change in changes], drift) == ([15], None)


@pytest.mark.parametrize("runs", [12, 30])
def test_noise_alone_is_seldom_called_a_change_or_a_drift(runs: int) -> None:
    """One in a hundred by the rule."""
    random = np.random.default_rng(runs)
    outcomes = [changes_or_drift(0.05 * random.standard_normal(runs), 0.01) for _ in range(100)]
    assert sum(bool(changes) or drift is not None for changes, drift in outcomes) <= 4


def test_three_runs_off_are_no_segment() -> None:
    values = noisy((30, 1.0))
    values[12:15] += 0.2
    assert change_points(values, 0.05) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-20.0, 20.0), max_size=30), st.floats(-5.0, 5.0))
def test_changes_are_in_order_apart_and_independent_of_the_unit(
    values: list[float], shift: float
) -> None:
    places = [change.at for change in change_points(np.round(values, 3), 0.05)]
    bounds = [0, *places] if places else []
    assert all(after - before >= LEAST_RUNS for before, after in pairwise(bounds))
    assert not places or len(values) - places[-1] >= LAST
    moved = change_points(np.round(values, 3) + round(shift), 0.05)
    assert [change.at for change in moved] == places


@pytest.mark.parametrize("deviation", [0.005, 0.02])
@pytest.mark.parametrize("size", [0.03, 0.04, 0.045])
def test_a_step_within_the_tolerance_is_neither_a_change_nor_a_drift(
    size: float, deviation: float
) -> None:
    """A line through it rises by half as much again: 75 of 100 were called a drift."""
    rng = np.random.default_rng(3)
    levels = np.repeat([0.0, np.log1p(size)], 15)
    for _ in range(20):
        assert changes_or_drift(levels + deviation * rng.standard_normal(30), 0.05) == ([], None)


@pytest.mark.parametrize("correlation", [0.5, 0.9])
def test_correlated_runs_seldom_raise_an_alarm_at_any_look(correlation: float) -> None:
    """1 % by the rule; it used to be 42 % at 0.5."""
    rng = np.random.default_rng(4)
    alarmed = 0
    for _ in range(20):
        values = rng.standard_normal(60)
        for at in range(1, 60):
            values[at] = correlation * values[at - 1] + np.sqrt(1 - correlation**2) * values[at]
        looks = [changes_or_drift(0.03 * values[:n], 0.05) for n in range(8, 61, 6)]
        alarmed += any(changes or drift for changes, drift in looks)
    assert alarmed <= 2  # more have a chance of 1 in 900


def test_a_step_is_reported_with_its_third_run() -> None:
    values = noisy((20, 1.0), (3, 1.1))
    assert change_points(values[:22], 0.05) == []
    (change,) = change_points(values, 0.05)
    assert change.at == 20


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(9, 30), st.floats(0.0, 0.9))
def test_the_likelihood_of_a_step_is_that_of_its_levels(
    seed: int, n: int, correlation: float
) -> None:
    """Sums over places give the same as least squares for each place."""
    values = np.random.default_rng(seed).standard_normal(n)
    values[1:] += correlation * values[:-1]
    places = np.arange(LEAST_RUNS, n - LEAST_RUNS + 1)
    evidence = step(values, places, 0.1)
    each = [levels_likelihood(values, [place]) for place in places.tolist()]
    assert evidence.likelihood == pytest.approx(max(each))
    assert evidence.at == places[int(np.argmax(each))]
    assert evidence.without == pytest.approx(levels_likelihood(values, []))
    assert evidence.without <= evidence.within <= evidence.likelihood


def test_an_outlier_is_drawn_to_its_neighbours_and_noise_is_left_alone() -> None:
    values = noisy((20, 1.0))
    assert without_outliers(values) == pytest.approx(values)
    values[7] += 5.0
    assert without_outliers(values)[7] < 0.1

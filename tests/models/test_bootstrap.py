"""Intervals by a bootstrap over few launches, and from few resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.fitting.bootstrap import (
    LEAST_RESAMPLES,
    bootstrap_interval,
    expansion,
    worth,
)
from hockney.infer.fitting.fit import curve_of_arrays, parameter
from hockney.infer.models import hockney, max_rate

POSITIVE = st.floats(1e-9, 1e9)


def test_five_launches_need_more_than_half_as_much_again() -> None:
    assert expansion(5) == pytest.approx(1.584, abs=1e-3)
    assert expansion(1000) == pytest.approx(1.0, abs=3e-3)


@given(POSITIVE, st.lists(POSITIVE, min_size=2, max_size=LEAST_RESAMPLES), st.integers(5, 40))
def test_limits_lie_on_both_sides_and_a_rate_has_those_of_its_inverse(
    value: float, resampled: list[float], launches: int
) -> None:
    """With more resamples, limits are interpolated, and match the inverse's only roughly."""
    values = np.array(resampled)
    interval = bootstrap_interval(value, values, launches)
    assert 0.0 <= interval.low <= value <= interval.high
    inverse = bootstrap_interval(1.0 / value, 1.0 / values, launches)
    assert math.log(inverse.low * interval.high) == pytest.approx(0.0, abs=1e-6)
    assert math.log(inverse.high * interval.low) == pytest.approx(0.0, abs=1e-6)


def test_a_bound_of_0_stays_one_and_an_unbounded_limit_is_none() -> None:
    assert bootstrap_interval(1.0, np.array([0.0] * 30 + [1.0] * 30), 5).low == 0.0
    unbounded = parameter(1.0, np.array([1.0] * 30 + [np.inf] * 30), 5)
    assert (low_of(unbounded.interval), high_of(unbounded.interval)) == (1.0, None)


@pytest.mark.parametrize("resamples", [8, 39, 200])
def test_few_resamples_hold_the_mean_of_five_normal_values(resamples: int) -> None:
    """Quantiles alone would hold it in 60 % with 8 resamples, and in 84 % with 200."""
    chance, held = np.random.default_rng(1), 0
    for _ in range(400):
        values = 10.0 + chance.standard_normal(5)
        means = values[chance.integers(5, size=(resamples, 5))].mean(axis=1)
        interval = bootstrap_interval(float(values.mean()), means, 5)
        held += interval.holds(10.0)
    assert held >= 0.91 * 400


def test_launches_that_follow_each_other_are_worth_fewer() -> None:
    assert worth(np.arange(30.0)) == 5
    assert worth(np.tile([1.0, 2.0], 15)) == 30
    assert worth(np.arange(4.0)) == 4


def test_a_fit_through_launches_that_follow_each_other_is_less_sure() -> None:
    """Of 40 launches whose neighbours correlate by 0.6, intervals as of independent ones hold alpha
    in 74 %."""
    sizes, chance, held = 4.0 ** np.arange(5), np.random.default_rng(1), 0
    true = 1e-6 + 1e-10 * sizes
    for _ in range(50):
        steps, logs = 0.8 * chance.standard_normal(90), np.zeros(90)
        for place in range(1, 90):
            logs[place] = 0.6 * logs[place - 1] + steps[place]
        fit = hockney.fit(curve_of_arrays(sizes, true * np.exp(0.02 * logs[50:, None])))
        interval = fit.parameters["alpha_s"].interval
        assert interval is not None
        held += interval.holds(1e-6)
    assert held >= 0.88 * 50


@pytest.mark.long
def test_max_rate_from_five_launches_is_within_its_intervals() -> None:
    """Intervals without the expansion hold them in 80 to 88 %."""
    sizes, pairs = np.meshgrid(2.0 ** np.arange(10, 23, 2), 2.0 ** np.arange(4), indexing="ij")
    sizes, pairs = sizes.ravel(), pairs.ravel()
    truth = {"alpha_1_s": 2e-6, "R_C_1_Bps": 5e9, "R_N_1_Bps": 1.25e10}
    times, chance = (
        2e-6 + pairs * sizes / np.minimum(1.25e10, pairs * 5e9),
        np.random.default_rng(3),
    )
    held = []
    for _ in range(40):
        off = 0.01 * (chance.standard_normal((5, 1)) + chance.standard_normal((5, len(times))))
        curve = curve_of_arrays(sizes, times * np.exp(off), pairs)
        parameters = max_rate.fit(curve, resamples=60, breaks_bytes=()).parameters
        for name, true in truth.items():
            interval = parameters[name].interval
            held.append(interval is not None and interval.is_bounded and interval.holds(true))
    assert np.mean(held) > 0.91

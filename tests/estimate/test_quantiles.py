from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from hockney.estimate.quantiles import (
    LEAST_TO_STOP,
    Interval,
    autocorrelation_time,
    effective_size,
    launch_interval,
    median_interval,
)


@pytest.mark.parametrize("n", range(5, 61))
def test_the_stated_confidence_is_that_of_the_binomial(n: int) -> None:
    interval = median_interval(np.arange(1.0, n + 1))
    assert interval is not None
    k = int(interval.low)
    assert interval.high == n + 1 - k
    assert interval.confidence == pytest.approx(1.0 - 2.0 * binom.cdf(k - 1, n, 0.5))
    narrower = 1.0 - 2.0 * binom.cdf(k, n, 0.5)
    assert narrower < 0.95
    assert interval.confidence >= 0.95 or n == 5


def test_few_values_have_no_interval_and_five_have_what_they_can() -> None:
    assert median_interval(np.arange(4.0)) is None
    five = median_interval(np.arange(5.0))
    assert five is not None
    assert (five.low, five.high, five.confidence) == (0.0, 4.0, 0.9375)


@pytest.mark.parametrize("n", [*range(5, 41), 100])
def test_the_interval_holds_the_median_as_often_as_it_says(n: int) -> None:
    draws = np.random.default_rng(n).lognormal(size=(4000, n))
    intervals = [median_interval(draw) for draw in draws]
    held = np.mean([found is not None and found.low <= 1.0 <= found.high for found in intervals])
    stated = intervals[0].confidence if intervals[0] else 0.0
    assert held == pytest.approx(stated, abs=0.02)


@given(st.lists(st.floats(0.1, 1e6), min_size=5, max_size=100))
def test_the_interval_encloses_the_median(values: list[float]) -> None:
    found = median_interval(np.array(values))
    assert found is not None
    assert found.low <= np.median(values) <= found.high


def autoregressive(coefficient: float, n: int = 20000) -> np.ndarray:
    noise = np.random.default_rng(1).normal(size=n)
    values = np.zeros(n)
    for i in range(1, n):
        values[i] = coefficient * values[i - 1] + noise[i]
    return values


def test_independent_values_count_one_each() -> None:
    assert autocorrelation_time(autoregressive(0.0)) == pytest.approx(1.0, abs=0.1)
    assert effective_size(np.ones(7)) == 7.0


@pytest.mark.parametrize("coefficient", [0.5, 0.8])
def test_correlated_values_count_less(coefficient: float) -> None:
    """Signs of a Gaussian series correlate by 2/pi asin(rho) (the arcsine law)."""
    lags = np.arange(1, 200)
    expected = 1.0 + 2.0 * np.sum(2.0 / np.pi * np.arcsin(coefficient**lags))
    assert autocorrelation_time(autoregressive(coefficient)) == pytest.approx(expected, rel=0.15)


def test_an_outlier_does_not_move_the_autocorrelation() -> None:
    values = autoregressive(0.5, 2000)
    before = autocorrelation_time(values)
    values[1000] *= 1e9
    assert autocorrelation_time(values) == pytest.approx(before, rel=0.05)


def stopped(random: np.random.Generator, precision: float, most: int = 60) -> Interval:
    """The interval of a run that ends as soon as it is that narrow."""
    medians = random.lognormal(sigma=0.01, size=most)
    for n in range(LEAST_TO_STOP, most):
        found = launch_interval(medians[:n], chosen=True)
        assert found is not None
        if (found.high - found.low) / 2.0 <= precision * np.median(medians[:n]):
            return found
    found = launch_interval(medians)
    assert found is not None
    return found


@pytest.mark.parametrize("precision", [0.004, 0.0067, 0.0125])
def test_intervals_that_end_a_run_hold_the_median_as_often_as_they_say(precision: float) -> None:
    """92 to 93 % did when a run ended at the interval that is right for a fixed number."""
    random = np.random.default_rng(3)
    found = [stopped(random, precision) for _ in range(600)]
    held = np.mean([one.low <= 1.0 <= one.high for one in found])
    assert np.mean([one.confidence for one in found]) == pytest.approx(0.95, abs=0.015)
    assert held >= 0.935


def test_five_launches_that_ended_a_run_state_what_they_reach() -> None:
    five = launch_interval(np.arange(5.0), chosen=True)
    assert five is not None
    assert (five.low, five.high, five.confidence) == (0.0, 4.0, 0.85)


def test_correlated_launches_count_as_fewer() -> None:
    random = np.random.default_rng(4)
    usual = held = 0
    for _ in range(300):
        noise = random.normal(size=90)
        values = np.array([0.0])
        for step in noise:
            values = np.append(values, 0.4 * values[-1] + step)
        launches = values[-40:]
        one, other = launch_interval(launches), median_interval(launches)
        assert one is not None
        assert other is not None
        held += one.low <= 0.0 <= one.high
        usual += other.low <= 0.0 <= other.high
    assert usual < 0.91 * 300
    assert held >= 0.93 * 300


@pytest.mark.parametrize("n", [9, 20, 40])
def test_independent_launches_keep_what_is_stated(n: int) -> None:
    draws = np.random.default_rng(n).lognormal(size=(600, n))
    found = [launch_interval(draw) for draw in draws]
    assert np.mean([i is not None and i.low <= 1.0 <= i.high for i in found]) >= 0.94

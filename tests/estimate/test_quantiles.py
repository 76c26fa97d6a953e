from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from hockney.estimate.quantiles import autocorrelation_time, effective_size, median_interval


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

"""The histogram of times against sorting, and merging against the whole."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.infer.estimate.sketch import Sketch
from hockney.records import Tail

ERROR = 0.005
ROUNDING = 1e-9
FRACTIONS = (0.0, 0.01, 0.5, 0.99, 0.999, 1.0)
SECONDS = st.lists(st.floats(2e-9, 100.0), min_size=1, max_size=200).map(np.array)


def sorted_quantile(values: np.ndarray, fraction: float) -> float:
    rank = min(max(math.ceil(fraction * len(values)), 1), len(values))
    return float(np.sort(values)[rank - 1])


@given(SECONDS, st.floats(0.0, 1.0), st.sampled_from([0.001, ERROR, 0.05]))
def test_a_quantile_is_within_the_stated_error_of_sorting(
    values: np.ndarray, fraction: float, error: float
) -> None:
    sketch = Sketch.of(values, error)
    expected = sorted_quantile(values, fraction)
    assert abs(sketch.quantile(fraction) - expected) <= (error + ROUNDING) * expected
    assert len(sketch) == len(values)


@given(st.lists(SECONDS, min_size=1, max_size=5))
def test_merging_parts_is_the_whole(parts: list[np.ndarray]) -> None:
    whole = Sketch.of(np.concatenate(parts), ERROR)
    of_parts = reduce(Sketch.merged, (Sketch.of(part, ERROR) for part in parts))
    assert np.array_equal(whole.counts, of_parts.counts)
    for fraction in FRACTIONS:
        assert of_parts.quantile(fraction) == whole.quantile(fraction)


@given(SECONDS)
def test_a_record_holds_all_of_it(values: np.ndarray) -> None:
    sketch = Sketch.of(values, ERROR)
    bins = np.flatnonzero(sketch.counts)
    record = Tail(
        operation="pingpong",
        bytes=8,
        launch=0,
        round=0,
        relative_error=ERROR,
        bins=bins.tolist(),
        counts=sketch.counts[bins].tolist(),
    )
    assert np.array_equal(Sketch.of_record(record).counts, sketch.counts)


@pytest.mark.long
def test_ten_million_times() -> None:
    """Most of 1 us, with a tail: p99.9 of all, and merged over ten parts the same."""
    chance = np.random.default_rng(3)
    values = 1e-6 * chance.lognormal(0.0, 0.3, 10_000_000)
    values[::500] *= chance.pareto(1.5, len(values[::500])) + 1.0
    whole = Sketch.of(values, ERROR)
    parts = reduce(Sketch.merged, (Sketch.of(part, ERROR) for part in np.split(values, 10)))
    assert np.array_equal(whole.counts, parts.counts)
    for fraction in (0.5, 0.99, 0.999, 0.9999):
        expected = sorted_quantile(values, fraction)
        assert parts.quantile(fraction) == pytest.approx(expected, rel=ERROR + ROUNDING)
    assert whole.counts.nbytes < 100_000


def test_what_takes_no_time_is_one_bin() -> None:
    sketch = Sketch.of(np.array([0.0, 5e-10, 1e-9]), ERROR)
    assert sketch.counts.tolist() == [3]
    assert sketch.quantile(0.5) == 1e-9


def test_different_bins_are_not_merged() -> None:
    times = np.array([1e-6])
    with pytest.raises(ValueError, match="cannot be merged"):
        Sketch.of(times, 0.01).merged(Sketch.of(times, 0.02))
    with pytest.raises(ValueError, match="no values"):
        Sketch.of(np.array([]), ERROR).quantile(0.5)

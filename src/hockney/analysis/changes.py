"""Where a series of numbers changes its level."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockney.lazy import lazy_imports

with lazy_imports():
    from scipy.stats import rankdata

Array = NDArray[np.float64]

SIGNIFICANCE = 0.01
"""Level of the test for a change point: a daily check must not give a false alarm each month."""
LEAST_RUNS = 4
"""Runs needed on each side of a change point."""
PERMUTATIONS, SEED = 2000, 20
"""Random orders for p, and the seed with which the same files give the same change points."""
CHANGE_RULE = (
    "the level changes where Pettitt's rank statistic exceeds that of 99 % of 2000 random orders "
    "of the runs and the medians before and after differ by more than the tolerance; the place is "
    "that of least absolute deviations from the two medians, with at least 4 runs on either side; "
    "each side is searched again"
)


class Change(NamedTuple):
    at: int
    """Index of the first value of the new level."""
    ratio: float
    """Median after over median before, not of logarithms."""
    p: float


def change_points(values: Array, tolerance: float, start: int = 0) -> list[Change]:
    """Each change of level by CHANGE_RULE, ascending.

    values: logarithms, shape (runs,). Binary segmentation (Scott & Knott 1974) with the test of
    Pettitt (1979, Applied Statistics 28): it sees ranks only, so that no outlier moves it. Its p is
    by permutation, as his approximation is far too large for few runs. Ranks of a drift are largest
    in its middle, wherever it steps: the place is by deviations.
    """
    n = len(values)
    if n < 2 * LEAST_RUNS:
        return []
    ranks = _ranks(values)
    orders = np.random.default_rng(SEED).permuted(np.tile(ranks, (PERMUTATIONS, 1)), axis=1)
    reached = _pettitt(orders) >= _pettitt(ranks[None, :])
    p = float((1 + reached.sum()) / (1 + PERMUTATIONS))
    split = min(range(LEAST_RUNS, n - LEAST_RUNS + 1), key=lambda at: _deviations(values, at))
    change = float(np.median(values[split:]) - np.median(values[:split]))
    if p >= SIGNIFICANCE or abs(change) <= math.log1p(tolerance):
        return []
    return [
        *change_points(values[:split], tolerance, start),
        Change(start + split, math.exp(change), p),
        *change_points(values[split:], tolerance, start + split),
    ]


def _deviations(values: Array, split: int) -> float:
    parts = (values[:split], values[split:])
    return sum(float(np.abs(part - np.median(part)).sum()) for part in parts)


def _ranks(values: Array) -> Array:
    return np.asarray(rankdata(values), dtype=np.float64)


def _pettitt(ranks: Array) -> Array:
    """The largest |U| over splits of each row: U = 2 sum of the ranks before - t (n + 1)."""
    n = ranks.shape[1]
    t = np.arange(1, n + 1)
    u = 2.0 * np.cumsum(ranks, axis=1) - t * (n + 1)
    return np.asarray(np.abs(u).max(axis=1))

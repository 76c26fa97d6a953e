"""Where a series of numbers changes its level."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIGNIFICANCE = 0.01
"""Of a change point: a job that looks every day must not cry every month."""
LEAST_RUNS = 4
"""On either side of a change point."""
PERMUTATIONS, SEED = 2000, 20
"""The same files give the same change points."""
CHANGE_RULE = (
    "a change point is where Pettitt's rank statistic is largest, if fewer than 1 % of 2000 random "
    "orders of the runs reach it, at least 4 runs lie on either side, and the medians differ by "
    "more than the tolerance; each side is searched again"
)


class Change(NamedTuple):
    at: int
    """Place of the first value of the new level."""
    ratio: float
    """Median after over median before, not of logarithms."""
    p: float


def change_points(values: Array, tolerance: float, start: int = 0) -> list[Change]:
    """Each change of level by CHANGE_RULE, ascending.

    values: logarithms, shape (runs,). Binary segmentation (Scott & Knott 1974) with the statistic
    of Pettitt (1979, Applied Statistics 28): it sees ranks only, so that no outlier moves it. Its p
    is by permutation, as his approximation is far too large for few runs.
    """
    n = len(values)
    if n < 2 * LEAST_RUNS:
        return []
    ranks = _ranks(values)
    statistic = np.abs(_pettitt(ranks[None, :])[0])
    split = LEAST_RUNS + int(np.argmax(statistic))
    orders = np.random.default_rng(SEED).permuted(np.tile(ranks, (PERMUTATIONS, 1)), axis=1)
    reached = np.abs(_pettitt(orders)).max(axis=1) >= statistic.max()
    p = float((1 + reached.sum()) / (1 + PERMUTATIONS))
    change = float(np.median(values[split:]) - np.median(values[:split]))
    if p >= SIGNIFICANCE or abs(change) <= math.log1p(tolerance):
        return []
    return [
        *change_points(values[:split], tolerance, start),
        Change(start + split, math.exp(change), p),
        *change_points(values[split:], tolerance, start + split),
    ]


def _ranks(values: Array) -> Array:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)


def _pettitt(ranks: Array) -> Array:
    """U of each split that leaves LEAST_RUNS on either side: 2 sum of ranks before - t (n + 1)."""
    n = ranks.shape[1]
    t = np.arange(1, n + 1)
    u = 2.0 * np.cumsum(ranks, axis=1) - t * (n + 1)
    return np.asarray(u[:, LEAST_RUNS - 1 : n - LEAST_RUNS])

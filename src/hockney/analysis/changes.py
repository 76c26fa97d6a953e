"""Where a series of numbers changes its level, and whether it drifts instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockney.estimate.slopes import slope_of
from hockney.lazy import lazy_imports

with lazy_imports():
    from scipy.stats import kendalltau, rankdata

Array = NDArray[np.float64]

SIGNIFICANCE = 0.005
"""Level of each of the two tests, for changes and for drift, together 1 %: a daily check must not
give a false alarm each month."""
LEAST_RUNS = 4
"""Runs needed on each side of a change point."""
PERMUTATIONS, SEED = 2000, 20
"""Random orders for p, and the seed with which the same files give the same change points."""
MOST_NUMBERS = 2_000_000
"""Numbers that are worked out at once, 16 MiB."""
MOST_PLACES = 60
"""Places between which segments are sought; of longer series they lie apart."""
CHANGE_RULE = (
    "the level changes where the ranks of a segment of the runs differ from those of the rest by "
    "more than in 99.5 % of 2000 random orders (circular binary segmentation) and neighbouring "
    "medians by more than the tolerance; the places are those of least absolute deviations from "
    "the medians, with at least 4 runs on either side; each part is searched again"
)
DRIFT_RULE = (
    "a slow drift (Kendall's test, p < 0.5 %, and more than the tolerance from the first to the "
    "last run of Theil and Sen's line) is reported instead of changes where the line fits better "
    "than the levels, by the information criterion of absolute deviations"
)


class Change(NamedTuple):
    at: int
    """Index of the first value of the new level."""
    ratio: float
    """Median after over median before, not of logarithms."""
    p: float


class Drift(NamedTuple):
    """A slow change of the whole series."""

    ratio: float
    """The last value over the first, along the line; not of logarithms."""
    p: float


def changes_or_drift(values: Array, tolerance: float) -> tuple[list[Change], Drift | None]:
    """The changes of level by CHANGE_RULE, or the drift by DRIFT_RULE. values: logarithms, shape
    (runs,)."""
    changes = change_points(values, tolerance)
    if len(values) < 2 * LEAST_RUNS:
        return changes, None
    runs = np.arange(len(values))
    p = float(kendalltau(runs, values).pvalue)
    if not p < SIGNIFICANCE:
        return changes, None
    slope, start = slope_of(values, runs)
    size = slope * (len(values) - 1)
    if abs(size) <= math.log1p(tolerance):
        return changes, None
    line = float(np.abs(values - start - slope * runs).sum())
    levels = _deviations(values, [change.at for change in changes])
    by_line = _criterion(line, len(values), parameters=2)
    if by_line > _criterion(levels, len(values), parameters=2 * len(changes) + 1):
        return changes, None
    return [], Drift(math.exp(size), p)


def change_points(values: Array, tolerance: float) -> list[Change]:
    """Each change of level by CHANGE_RULE, ascending.

    values: logarithms, shape (runs,). Circular binary segmentation (Olshen, Venkatraman, Lucito &
    Wigler 2004, Biostatistics 5) on ranks, so that no outlier moves it: it also finds a segment
    that differs from both its sides, which one split does not. p is by permutation.
    """
    found = dict(_splits(values, 0))
    places = [0, *sorted(found), len(values)]
    medians = [float(np.median(values[a:b])) for a, b in pairwise(places)] if len(values) else []
    changes = [
        Change(at, math.exp(after - before), found[at])
        for at, (before, after) in zip(places[1:-1], pairwise(medians), strict=True)
    ]
    if all(abs(math.log(change.ratio)) > math.log1p(tolerance) for change in changes):
        return changes
    return _merged(values, changes, tolerance)


def _merged(values: Array, changes: Sequence[Change], tolerance: float) -> list[Change]:
    """Leaves out the smallest change until all exceed the tolerance."""
    left = list(changes)
    while left:
        places = [0, *(change.at for change in left), len(values)]
        medians = [float(np.median(values[a:b])) for a, b in pairwise(places)]
        sizes = np.diff(medians)
        left = [
            Change(change.at, math.exp(size), change.p)
            for change, size in zip(left, sizes.tolist(), strict=True)
        ]
        smallest = int(np.abs(sizes).argmin())
        if abs(sizes[smallest]) > math.log1p(tolerance):
            break
        del left[smallest]
    return left


def _splits(values: Array, start: int) -> Iterable[tuple[int, float]]:
    """Places at which the levels of the parts differ, with p."""
    n = len(values)
    if n < 2 * LEAST_RUNS:
        return
    arcs = _arcs(n)
    ranks = np.asarray(rankdata(values), dtype=np.float64)
    reached = _largest(ranks[None, :], arcs)[0]
    orders = np.random.default_rng(SEED).permuted(np.tile(ranks, (PERMUTATIONS, 1)), axis=1)
    p = float((1 + (_largest(orders, arcs) >= reached - 1e-9).sum()) / (1 + PERMUTATIONS))
    if p >= SIGNIFICANCE:
        return
    places = _placed(values, ranks, arcs)
    bounds = [0, *places, n]
    yield from ((start + at, p) for at in places)
    for a, b in pairwise(bounds):
        yield from _splits(values[a:b], start + a)


def _arcs(n: int) -> NDArray[np.int64]:
    """Segments [i, j) that leave at least LEAST_RUNS, or nothing, on either side; shape (.., 2)."""
    places = np.unique(np.linspace(0, n, min(n, MOST_PLACES) + 1).round().astype(np.int64))
    i, j = (grid.ravel() for grid in np.meshgrid(places, places, indexing="ij"))
    before = (i == 0) | (i >= LEAST_RUNS)
    after = (j == n) | (j <= n - LEAST_RUNS)
    whole = (i == 0) & (j == n)
    fit = (j - i >= LEAST_RUNS) & before & after & ~whole
    return np.column_stack([i[fit], j[fit]])


def _largest(orders: Array, arcs: NDArray[np.int64]) -> Array:
    """The largest statistic over the segments, of each row of ranks."""
    rows = max(MOST_NUMBERS // len(arcs), 1)
    parts = [orders[at : at + rows] for at in range(0, len(orders), rows)]
    return np.concatenate([np.abs(_statistics(part, arcs)).max(axis=1) for part in parts])


def _statistics(ranks: Array, arcs: NDArray[np.int64]) -> Array:
    """Each segment's sum of ranks less its expectation, over its standard deviation; shape (rows,
    segments)."""
    n = ranks.shape[1]
    sums = np.zeros((len(ranks), n + 1))
    np.cumsum(ranks - (n + 1) / 2.0, axis=1, out=sums[:, 1:])
    lengths = arcs[:, 1] - arcs[:, 0]
    spread = np.sqrt(lengths * (n - lengths))
    return np.asarray((sums[:, arcs[:, 1]] - sums[:, arcs[:, 0]]) / spread)


def _placed(values: Array, ranks: Array, arcs: NDArray[np.int64]) -> list[int]:
    """One place, or both ends of a segment: which fits better, where deviations are least. Ranks of
    a drift are largest in its middle, wherever it steps."""
    n = len(values)
    one = [_best(range(LEAST_RUNS, n - LEAST_RUNS + 1), lambda at: _deviations(values, [at]))]
    i, j = arcs[int(np.abs(_statistics(ranks[None, :], arcs)).argmax())].tolist()
    i, j = max(i, LEAST_RUNS), min(j, n - LEAST_RUNS)
    if j - i < LEAST_RUNS:
        return one
    for _ in range(3):
        i = _best(range(LEAST_RUNS, j - LEAST_RUNS + 1), _end(values, j))
        j = _best(range(i + LEAST_RUNS, n - LEAST_RUNS + 1), _end(values, i))
    single = _criterion(_deviations(values, one), n, parameters=3)
    double = _criterion(_deviations(values, [i, j]), n, parameters=5)
    return [i, j] if double < single else one


def _end(values: Array, other: int) -> Callable[[int], float]:
    return lambda at: _deviations(values, sorted((at, other)))


def _best(places: Iterable[int], deviations: Callable[[int], float]) -> int:
    return min(places, key=deviations)


def _deviations(values: Array, places: Sequence[int]) -> float:
    """The sum of absolute deviations from the medians of the parts."""
    parts = np.split(values, places)
    return sum(float(np.abs(part - np.median(part)).sum()) for part in parts)


def _criterion(deviations: float, n: int, parameters: int) -> float:
    """Schwarz's criterion of Laplace's distribution."""
    return 2.0 * n * math.log(max(deviations / n, 1e-9)) + parameters * math.log(n)

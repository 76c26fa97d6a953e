"""The least robust cost of a line through each run of neighbouring sizes.

The cost is the part of the deviance (`likelihood.deviance`) that depends on the line: the sum of
(v + 1) ln(1 + r^2 / (v sigma^2)) over residuals r = ln T - ln(alpha + beta b), with alpha and beta
not below 0. It is 0 or more, and that of a run is no less than that of any run inside it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hockney.infer.arrays import Array, Indices
from hockney.infer.fitting.likelihood import DEGREES, likelier_scale, scale
from hockney.infer.fitting.line import LEAST_PREDICTED, bounded_line, cut, weighted_line
from hockney.infer.fitting.partition import LEAST_SIZES, first_of_size

_STEPS = 6
"""Steps of reweighted least squares from the best start; they continue at the next scale."""
_MOST_STEPS = 100
_GROWTH = 4
"""Runs are fitted in groups, each of up to this many times the sizes of the one before."""
_AT_ONCE = 1 << 15
"""Points of runs that are fitted at a time: what is worked out of them fits into a core's cache."""

Runs = tuple[Indices, Indices]
"""The first and the last size of each run."""
Lines = tuple[Array, Array]
"""alpha and beta, in a table's units."""


def ln_residuals(bytes_: Array, seconds: Array, alpha: Array, beta: Array) -> Array:
    """ln T - ln(alpha + beta b), all of one shape."""
    ratio = beta * bytes_
    ratio += alpha
    np.maximum(ratio, LEAST_PREDICTED * seconds, out=ratio)
    np.divide(seconds, ratio, out=ratio)
    return np.log(ratio, out=ratio)


class TimesBySize:
    """Times by size, in units in which none is too small for its square."""

    def __init__(self, bytes_: Array, seconds: Array) -> None:
        """bytes_ (ascending) and seconds of the points, shape (points,)."""
        self.unit_B, self.unit_s = max(float(bytes_.max()), 1.0), float(seconds.min())
        self._bytes, self._seconds = bytes_ / self.unit_B, seconds / self.unit_s
        self.points = len(bytes_)
        self.first = np.flatnonzero(first_of_size(bytes_))
        """The first point of each size."""
        self._end = np.append(self.first[1:], len(bytes_))
        self.sizes = len(self.first)

    def runs(self, starts: list[int]) -> Runs:
        """The runs of the partition whose second and later segments start at these points."""
        first = np.searchsorted(self.first, [0, *starts])
        return first, np.append(first[1:], self.sizes) - 1

    def points_of(self, runs: Runs) -> tuple[Array, Array, Array]:
        """Bytes and seconds of each run's points, padded to the longest, and 1 for its own
        points."""
        first, end = self.first[runs[0]], self._end[runs[1]]
        number = first[:, None] + np.arange(int((end - first).max()))
        inside = number < end[:, None]
        number = np.where(inside, number, first[:, None])
        return self._bytes[number], self._seconds[number], inside.astype(np.float64)

    def least_squares(self, runs: Runs) -> Lines:
        """Lines of least squares of relative residuals."""
        b, t, inside = self.points_of(runs)
        return weighted_line(b, t, inside / t**2)

    def settled(
        self, runs: Runs, lines: Lines, sigma: float | None, tolerance: float
    ) -> tuple[Lines, Array]:
        """The most likely lines of a partition with one scale for all, and their ln residuals, from
        these lines on. sigma: the approximate scale, if known; tolerance: its relative change at
        which it is settled."""
        b, t, inside = self.points_of(runs)
        alpha, beta = lines
        for _ in range(_MOST_STEPS):
            residuals = ln_residuals(b, t, alpha[:, None], beta[:, None])[inside > 0.0]
            before = sigma
            sigma = scale(residuals) if sigma is None else likelier_scale(residuals, sigma)
            if before is not None and abs(sigma / before - 1.0) < tolerance:
                break
            alpha, beta = _step(b, t, inside, alpha, beta, sigma)
        return (alpha, beta), residuals


class SegmentCosts:
    """Costs at any scale. Each run is fitted from the best of several starts, as a robust cost may
    have several minima: least squares, the lines through two of its first, middle and last points,
    its own line at the scale before, and those of the runs that are shorter by one size."""

    def __init__(self, table: TimesBySize) -> None:
        self._table = table
        self._groups = _groups(table.sizes)
        self._sigma = np.inf
        self._alpha, self._beta, self._least = np.zeros((3, table.sizes, table.sizes))
        for runs in self._groups:
            self._alpha[runs], self._beta[runs] = table.least_squares(runs)
        self._plain = [(self._alpha.copy(), self._beta.copy())]
        for left_out in range(3):
            self._plain.append((np.zeros_like(self._alpha), np.zeros_like(self._beta)))
            for runs in self._groups:
                lines = _through_two(*table.points_of(runs), left_out)
                for kept, values in zip(self._plain[-1], lines, strict=True):
                    kept[runs] = values

    def lines(self, runs: Runs) -> Lines:
        """Lines of least cost at the last scale."""
        return self._alpha[runs], self._beta[runs]

    def at(self, sigma: float, most: float, per_segment: float) -> Array:
        """The cost of each run, (first size, last size); infinite where it has too few sizes, or
        where no partition with it costs `most` or less, with `per_segment` for each segment but
        one.

        Costs do not fall as sigma falls: runs that cost too much at the scale before, with the best
        of what precedes and follows them, are not fitted again."""
        if sigma > self._sigma:
            self._least[:] = 0.0
        self._sigma = sigma
        before = _cheapest_before(self._least, per_segment)
        after = _cheapest_before(self._least[::-1, ::-1].T, per_segment)[::-1]
        possible = self._least <= most - before[:-1, None] - after[1:]
        cost = np.full_like(self._least, np.inf)
        for starts, ends in self._groups:
            fitted = possible[starts, ends]
            runs = starts[fitted], ends[fitted]
            if len(runs[0]):
                fits = [self._fit(few, sigma) for few in _few_at_once(runs)]
                lines = (np.concatenate(values) for values in zip(*fits, strict=True))
                self._alpha[runs], self._beta[runs], cost[runs] = lines
                self._least[runs] = np.maximum(self._least[runs], cost[runs])
        return cost

    def _fit(self, runs: Runs, sigma: float) -> tuple[Array, Array, Array]:
        """The line of each run and its cost, the least, by steps from the best start."""
        first, last = runs
        b, t, inside = self._table.points_of(runs)
        shorter = (first, last - 1), (first + 1, last)
        starts = [(self._alpha[indices], self._beta[indices]) for indices in (runs, *shorter)]
        starts += [(alpha[runs], beta[runs]) for alpha, beta in self._plain]
        alpha, beta = (np.array(values) for values in zip(*starts, strict=True))
        cost = _cost(b, t, inside, alpha, beta, sigma)
        best = cost.argmin(axis=0), np.arange(len(first))
        alpha, beta, cost = alpha[best], beta[best], cost[best]
        moved_alpha, moved_beta = alpha, beta
        for _ in range(_STEPS):
            moved_alpha, moved_beta = _step(b, t, inside, moved_alpha, moved_beta, sigma)
        moved = _cost(b, t, inside, moved_alpha, moved_beta, sigma)
        better = moved < cost
        return (
            np.where(better, moved_alpha, alpha),
            np.where(better, moved_beta, beta),
            np.where(better, moved, cost),
        )


def _groups(sizes: int) -> list[Runs]:
    """First and last size of every run of at least LEAST_SIZES, the shorter ones first."""
    first, last = np.triu_indices(sizes, LEAST_SIZES - 1)
    by_length = np.argsort(last - first, kind="stable")  # so that little is padded
    first, last = first[by_length], last[by_length]
    groups, longest = [], LEAST_SIZES
    length = last - first + 1
    shortest = LEAST_SIZES
    while shortest <= sizes:
        inside = (length >= shortest) & (length <= longest)
        groups.append((first[inside], last[inside]))
        shortest, longest = longest + 1, longest * _GROWTH
    return groups


def _few_at_once(runs: Runs) -> Iterator[Runs]:
    """The runs in parts, in order, of up to _AT_ONCE sizes each where they are as long as the
    longest."""
    first, last = runs
    longest = int((last - first).max()) + 1
    each = max(_AT_ONCE // longest, 1)
    for begin in range(0, len(first), each):
        yield first[begin : begin + each], last[begin : begin + each]


def _cheapest_before(least: Array, per_segment: float) -> Array:
    """The least cost of partitions of the first k sizes for each k from 0, shape (sizes + 1,)."""
    cheapest = np.full(len(least) + 1, np.inf)
    cheapest[0] = 0.0
    for size in range(LEAST_SIZES, len(cheapest)):
        begin = size - LEAST_SIZES + 1
        cheapest[size] = (cheapest[:begin] + least[:begin, size - 1]).min() + per_segment
    return cheapest


def _through_two(b: Array, t: Array, inside: Array, left_out: int) -> Lines:
    """Lines, within the bounds, through two of the first, middle and last points."""
    rows, count = np.arange(len(b)), inside.sum(axis=1).astype(np.intp)
    three = (np.zeros_like(count), (count - 1) // 2, count - 1)
    weight = np.zeros_like(t)
    for which, point in enumerate(three):
        if which != left_out:
            weight[rows, point] = 1.0
    return weighted_line(b, t, weight / t**2)


def _cost(b: Array, t: Array, inside: Array, alpha: Array, beta: Array, sigma: float) -> Array:
    """Cost of lines. b, t, inside: (rows, points); alpha, beta: (..., rows)."""
    residuals = ln_residuals(b, t, alpha[..., None], beta[..., None])
    residuals *= inside / (sigma * np.sqrt(DEGREES))
    residuals *= residuals
    return np.asarray((DEGREES + 1.0) * np.log1p(residuals, out=residuals).sum(axis=-1))


def _step(
    b: Array, t: Array, inside: Array, alpha: Array, beta: Array, sigma: float
) -> tuple[Array, Array]:
    """One Gauss-Newton step of least squares of ln residuals, with the weights of Student's t."""
    predicted = np.maximum(alpha[:, None] + beta[:, None] * b, LEAST_PREDICTED * t)
    residuals = np.log(t / predicted)
    weight = inside / (1.0 + residuals**2 / (sigma**2 * DEGREES))
    u, target = 1.0 / predicted, 1.0 + cut(residuals)
    v, weighted_u = b * u, weight * u
    weighted_v = weight * v
    uu, uv, vv, tu, tv = (
        np.einsum("ij,ij->i", weighted, factor)
        for weighted, factor in (
            (weighted_u, u),
            (weighted_u, v),
            (weighted_v, v),
            (weighted_u, target),
            (weighted_v, target),
        )
    )
    return bounded_line(tu, tv, uu, uv, vv)

"""The partition of sizes into lines that has the least criterion, over all partitions.

The criterion (`likelihood.criterion`) of a partition takes one scale sigma for all residuals, so
that its segments do not add up. At a given sigma they do: the least of

    F(sigma) = 2 n ln(sigma) + G(sigma),   G = min over partitions of their cost and penalty

is found exactly by dynamic programming over the cost of every run of sizes. G does not rise with
sigma. So for sigma' below sigma, F(sigma') is at least 2 n ln(sigma') + G(sigma): from the highest
possible sigma downwards, everything that cannot be better than the best known partition is skipped,
and the rest is looked at in steps of _STEP.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.fitting.likelihood import DEGREES, LEAST_SCALE, penalty, rating, scale
from hockney.infer.fitting.partition import LEAST_SIZES, MOST_SEGMENTS, best_partitions
from hockney.infer.fitting.segment_costs import Lines, SegmentCosts, TimesBySize

MOST_SIZES = 200
"""Most sizes of which all partitions are searched, in some seconds; the time grows with the
square."""
_LINEAR, _SQUARE = 2.0, (DEGREES + 1.0) / 2.0
"""Change of F and of a partition's deviance with ln sigma, for each point (see above)."""
_STEP = 0.05
"""Least step of ln sigma. An overlooked partition is better by _SQUARE n (_STEP / 2)^2 at most:
0.04 for 24 sizes, where a difference of 2 is no reason to prefer a partition."""
_LOOKED_AT = 50.0
"""Excess over the least known criterion up to which partitions are priced exactly."""
_LOOKS = 3
_NEARLY, _WHOLLY = 1e-3, 1e-9
"""Relative change of sigma below which lines are settled: its square changes the criterion."""


@dataclass(frozen=True)
class Partition:
    """Lines of least criterion for one partition."""

    starts: list[int]
    """Points at which the second and later segments start."""
    alpha: Array
    """Seconds."""
    beta: Array
    """Seconds per byte."""
    ln_residuals: Array
    criterion: float
    """Criterion of the partition; infinite if it has too few points."""


def free_numbers(segments: int) -> int:
    """Number of fitted numbers: alpha and beta of each segment, and the places between them."""
    return 3 * segments - 1


class Search:
    """The best of the partitions considered so far."""

    def __init__(self, bytes_: Array, seconds: Array) -> None:
        """bytes_ (ascending) and seconds of the points, shape (points,)."""
        self._table = TimesBySize(bytes_, seconds)
        self._points = len(bytes_)
        most = min(MOST_SEGMENTS, self._table.sizes // LEAST_SIZES)
        penalties = [penalty(self._points, free_numbers(k + 1)) for k in range(most)]
        self._penalty = np.array([added for added in penalties if added is not None])
        self._seen: dict[tuple[int, ...], Partition] = {}

    @property
    def is_too_large(self) -> bool:
        """Whether there are too many sizes to search all partitions."""
        return self._table.sizes > MOST_SIZES

    def consider(
        self, starts: list[int], lines: Lines | None = None, sigma: float | None = None
    ) -> None:
        """Considers one partition. lines, sigma: approximate ones, if known. The likelihood of one
        partition may have several maxima: the best of several starts counts."""
        lines = lines or self._table.least_squares(self._table.runs(starts))
        partition = self._settled(starts, lines, sigma, _NEARLY)
        known = self._seen.get(tuple(starts))
        if known is None or partition.criterion < known.criterion:
            self._seen[tuple(starts)] = partition

    def _settled(
        self, starts: list[int], lines: Lines, sigma: float | None, tolerance: float
    ) -> Partition:
        table = self._table
        (alpha, beta), residuals = table.settled(table.runs(starts), lines, sigma, tolerance)
        return Partition(
            starts,
            alpha * table.unit_s,
            beta * (table.unit_s / table.unit_B),
            residuals,
            rating(residuals, free_numbers(len(alpha))),
        )

    @property
    def settled_best(self) -> Partition:
        """The best partition, with its lines to all digits that matter."""
        best, table = self.best, self._table
        lines = best.alpha / table.unit_s, best.beta / (table.unit_s / table.unit_B)
        return self._settled(best.starts, lines, scale(best.ln_residuals), _WHOLLY)

    @property
    def best(self) -> Partition:
        return min(self._seen.values(), key=lambda partition: partition.criterion)

    def everywhere(self) -> None:
        """Searches all partitions. One must have been considered."""
        if not len(self._penalty):
            return
        self._costs = SegmentCosts(self._table)
        lowest = float(np.log(LEAST_SCALE))
        ln_sigma = (self.best.criterion - self._penalty[0]) / (_LINEAR * self._points)
        while ln_sigma > lowest:
            worse = max(self._at(ln_sigma) - self.best.criterion, 0.0) / self._points
            ln_sigma -= max(worse / _LINEAR, float(np.sqrt(worse / _SQUARE)), _STEP)
        self._at(lowest)
        self._until_settled()

    def _until_settled(self) -> None:
        """Searches at the best partition's own scale until none of _LOOKS is better: lines of
        shorter runs start longer ones."""
        looks = 0
        while looks < _LOOKS:
            before = self.best
            self._at(float(np.log(scale(before.ln_residuals))))
            looks = looks + 1 if self.best is before else 0

    def _at(self, ln_sigma: float) -> float:
        """F at this scale, or a lower limit of it. Considers the best partitions there."""
        fixed, sigma = _LINEAR * self._points * ln_sigma, float(np.exp(ln_sigma))
        known = self.best.criterion
        least = known + _LOOKED_AT
        # Penalties of more segments rise faster.
        per_segment = float(np.diff(self._penalty[:2]).sum()) if len(self._penalty) > 1 else np.inf
        cost = self._costs.at(sigma, least - fixed - float(self._penalty[0]), per_segment)
        for blocks in best_partitions(cost, len(self._penalty)):
            bounds = [0, *blocks, len(cost)]
            total = sum(cost[a, b - 1] for a, b in pairwise(bounds))
            value = fixed + float(total) + float(self._penalty[len(blocks)])
            least = min(least, value)
            starts = [int(self._table.first[block]) for block in blocks]
            seen = self._seen.get(tuple(starts))
            limit = known + _SQUARE * self._points * _STEP**2
            if value < (limit if seen is None else seen.criterion):
                self.consider(starts, self._costs.lines(self._table.runs(starts)), sigma)
        return float(least)

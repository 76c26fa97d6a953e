"""How much equal runs differ, from those that are known.

The logarithm of a launch's median is the level of its question, plus a part of the run, plus a part
of the launch. The standard deviation between runs is a number with a distribution: its prior
(prior.py), times the likelihood of the runs' levels. Points of one measurement are pooled in part.
Their levels move together, with correlations of about CORRELATION, so that 30 points show little
more than one; and their deviations are alike, not equal (UNLIKE).

All distributions are probabilities on one grid of deviations: no integral is approximated by
anything else, and 30 points take some milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.differences import Unseen
from hockney.infer.estimate.launches import MAD_TO_SIGMA
from hockney.infer.estimate.quantiles import quick_median
from hockney.infer.memory.prior import GRID

CORRELATION = 0.9
"""Correlation of the levels of two points over runs. Runs are too few to estimate it from them; a
smaller one would count the same chance several times."""
UNLIKE = 0.5
"""Standard deviation over points of the logarithm of their deviations between runs."""
SMALLER = 0.73
"""The square of the smaller of two estimates of the scatter of n normal launches is too small by
the fraction SMALLER / sqrt(n): within 0.02 in 40,000 simulated runs of 3 to 200 launches."""
CENTRE = math.pi / 3.0
"""The variance of the centre of normal values over that of their mean (Hollander & Wolfe, 4.5)."""
MOST_AVERAGED = 200
"""Launches up to which the centre is the median of Walsh averages; of more it is the median."""
LIMITS = (0.05, 0.95)
"""Quantiles between which 90 % of a deviation's probability lie."""


class RunLevel(NamedTuple):
    """One run at one point."""

    centre: float
    """Hodges and Lehmann's centre of the logarithms of its launches."""
    scatter: float
    """Standard deviation of its launches, or that of their median deviation if smaller: outliers
    must not make runs look alike. 0 for one launch."""
    launches: int

    @property
    def variance(self) -> float:
        """Variance of its launches: `scatter`, the smaller of two estimates, is low on average."""
        short = SMALLER / math.sqrt(self.launches) if self.launches > 2 else 0.0  # of 2 they agree
        return self.scatter**2 / (1.0 - short)

    @property
    def explained(self) -> float:
        """The part of the centre's variance that launches explain."""
        return CENTRE * self.variance / self.launches


def level_of(logs: Array) -> RunLevel:
    """logs: of the launches of one run, at least one."""
    n = len(logs)
    if n > MOST_AVERAGED:
        centre = quick_median(logs)
    else:
        i, j = _pairs(n)
        centre = quick_median(logs[i] + logs[j]) / 2.0
    return RunLevel(centre, scatter_of(logs), n)


@lru_cache(maxsize=32)
def _pairs(n: int) -> tuple[Whole, Whole]:
    return np.triu_indices(n)


def scatter_of(logs: Array) -> float:
    """The standard deviation of launches, or that of their median deviation if it is smaller."""
    if len(logs) < 2:
        return 0.0
    median_deviation = quick_median(np.abs(logs - quick_median(logs)))
    return min(float(logs.std(ddof=1)), MAD_TO_SIGMA * median_deviation)


class RunsEvidence(NamedTuple):
    """What runs show at one point."""

    squares: float
    """Sum of squares of the runs' levels about those of their questions."""
    freedom: int
    explained: float
    """Mean over runs of the variance that their launches explain."""
    runs: int


def evidence_of(groups: Sequence[Sequence[RunLevel]]) -> RunsEvidence:
    """groups: the runs of each question; of a single one nothing shows how it differs."""
    several = [group for group in groups if len(group) > 1]
    squares = [np.var([run_level.centre for run_level in group]) * len(group) for group in several]
    levels = [level for group in several for level in group]
    if not levels:
        return RunsEvidence(0.0, 0, 0.0, 0)
    explained = float(np.mean([run_level.explained for run_level in levels]))
    return RunsEvidence(float(sum(squares)), len(levels) - len(several), explained, len(levels))


@dataclass(frozen=True, eq=False)
class BetweenRuns:
    """The standard deviation between equal runs, of logarithms, beyond that of their launches."""

    weights: Array
    """Probability of each deviation of GRID."""
    runs: int
    """Runs that it is from; 0 where it is assumed, by the prior alone."""

    @property
    def deviation(self) -> float:
        """The median of its distribution."""
        return self.quantile(0.5)

    @property
    def limits(self) -> tuple[float, float]:
        """Limits between which it lies with 90 % probability."""
        return self.quantile(LIMITS[0]), self.quantile(LIMITS[1])

    @property
    def freedom(self) -> float:
        """The degrees of freedom of a scaled inverse chi-squared distribution that is as wide: the
        variance of the logarithm of a variance is about 2 / freedom (Bartlett & Kendall 1946)."""
        logs = 2.0 * np.log(GRID)
        mean = float(self.weights @ logs)
        return 2.0 / float(self.weights @ (logs - mean) ** 2)

    @property
    def of_one(self) -> Unseen:
        """The run-to-run variation of one run, against what has none."""
        return Unseen(GRID, self.weights)

    @property
    def of_two(self) -> Unseen:
        """The run-to-run variation of the difference of two runs."""
        return Unseen(math.sqrt(2.0) * GRID, self.weights)

    def quantile(self, fraction: float) -> float:
        below = np.cumsum(self.weights) - self.weights / 2.0
        return float(np.exp(np.interp(fraction, below, np.log(GRID))))


def between_runs(
    points: Sequence[RunsEvidence],
    priors: Sequence[Array],
    means: Sequence[tuple[RunsEvidence, Array]] = (),
) -> list[BetweenRuns]:
    """The deviation between runs at each point, then of each of `means` over points, whose evidence
    is that of the points and is not pooled. priors: log probabilities of each deviation of GRID.

    What other points show counts as their effective number beyond one allows: a composite
    likelihood to a power (Ribatet, Cooley & Davison 2012, Statistica Sinica 22).
    """
    known = [_log_likelihood(point) for point in points if point.freedom]
    others = np.zeros(len(GRID))
    if len(known) > 1:
        others = np.log(_spread(_normalised(_beyond_one(len(known)) * np.mean(known, 0))))
    return [
        BetweenRuns(_normalised(prior + others + _log_likelihood(evidence)), evidence.runs)
        for evidence, prior in (*zip(points, priors, strict=True), *means)
    ]


def _beyond_one(points: int) -> float:
    """The number of independent points that are worth as much as these, beyond the first: of
    variances, whose correlation is the square of that of the levels."""
    return points / (1.0 + (points - 1) * CORRELATION**2) - 1.0


def _log_likelihood(evidence: RunsEvidence) -> Array:
    """For each deviation of GRID: sums of squares over their expected variance are chi-squared."""
    variance = GRID**2 + evidence.explained
    return -0.5 * (evidence.freedom * np.log(variance) + evidence.squares / variance)


def _normalised(logs: Array) -> Array:
    """Probabilities; those that would be 0 are tiny, so that they have logarithms."""
    weights = np.exp(np.maximum(logs - logs.max(), -600.0))
    return np.asarray(weights / weights.sum())


_DISTANCES = np.subtract.outer(np.log(GRID), np.log(GRID)) / UNLIKE
_KERNEL: Array = np.exp(-0.5 * _DISTANCES**2)
_KERNEL /= _KERNEL.sum(0)


def _spread(weights: Array) -> Array:
    """The distribution of one point's deviation, given that of all points'."""
    return np.asarray(_KERNEL @ weights)

"""Shifts of logarithms by rank tests: of paired values, and between two samples.

The estimate is that of Hodges and Lehmann, its interval the set of shifts that the rank test does
not reject: estimate, interval and p are of one estimand, and the estimate always lies in its
interval.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.quantiles import carries_interval

LEVEL = 0.05
"""Error rate of each test and of each interval."""
MOST_EXACT_P = 2_500
"""Differences, as of 50 values each, up to which p is exact with ties (50 ms)."""
MOST_EXACT_RANKS = 10_000
"""Differences, as of 100 values each, up to which the interval's ranks are exact: by the normal
distribution it is wider by one rank at most."""
MOST_EXACT_PAIRS = 200
"""Number of pairs up to which the p of the signed-rank test and the ranks of its interval are
exact."""
MOST_DIFFERENCES, FEW_DIFFERENCES = 10_000_000, 100_000
"""Differences that are made at once, some 100 MiB, as of 3,000 values each; and how many remain to
be sorted where there are more."""


@dataclass(frozen=True)
class Shift:
    """A shift of logarithms with its interval, and the p of the test that it is 0."""

    centre: float
    interval: Interval | None
    p: float | None
    count: float
    """Pairs, or values of each side (harmonic mean, as variances of means add up)."""
    of_mean: Interval | None = None
    """The interval of the shift of means, by Student's t: for modes mixed in other proportions it
    is wide where that of the ranks is not."""
    fewest: int | None = None
    """Fewest values of each side, or pairs, that have an interval; None if these have."""

    half: float = 0.0
    """Half the width of the interval of these values alone, or of that of their mean if wider."""
    seen: float = 0.0
    """The standard deviation of the centre, by the interval of these values alone."""


def paired_shift(values: Array, level: float = LEVEL) -> Shift:
    """The centre of values that are symmetric about it: the median of Walsh averages, its interval,
    and the exact p of the signed-rank test (Hollander & Wolfe, 3.1 to 3.3)."""
    n = len(values)
    below = _below_pairs(n, level) if carries_interval(n) else 0
    fewest = None if below else _fewest(lambda n: _below_pairs(n, level))
    if n == 0:
        return Shift(0.0, None, None, 0, None, fewest)
    if n * (n + 1) // 2 > MOST_DIFFERENCES:
        raise UsageError(f"{n * (n + 1) // 2} differences are more than can be compared")
    i, j = np.triu_indices(n)
    averages = np.sort((values[i] + values[j]) / 2.0)
    centre, p = float(np.median(averages)), signed_rank_p(values)
    if not below:
        return Shift(centre, None, p, n, None, fewest)
    interval = Interval(float(averages[below - 1]), float(averages[-below]), 1.0 - level)
    of_mean = _mean_interval([values], float(values.mean()), level)
    half = max(interval.half_width, of_mean.half_width)
    seen = interval.half_width / normal_quantile(level)
    return Shift(centre, interval, p, n, of_mean, None, half, seen)


def sample_shift(first: Array, second: Array, level: float = LEVEL) -> Shift:
    """The shift from first to second: the median of all differences, its interval (Moses; Hollander
    & Wolfe, 4.2 and 4.3), and the exact p of the rank-sum test."""
    m, n = len(first), len(second)
    below = below_samples(m, n, level) if carries_interval(min(m, n)) else 0
    fewest = None if below else _fewest(lambda n: below_samples(n, n, level))
    if min(m, n) == 0:
        return Shift(0.0, None, None, 0, None, fewest)
    ranks = [(m * n - 1) // 2, m * n // 2, max(below - 1, 0), m * n - max(below, 1)]
    if m * n > MOST_DIFFERENCES:
        middle, next_middle, low, high = (ranked(first, second, rank) for rank in ranks)
    else:
        differences = np.sort((second[:, None] - first[None, :]).ravel())
        middle, next_middle, low, high = differences[ranks].tolist()
    centre, count = 0.5 * (middle + next_middle), 2.0 * m * n / (m + n)
    p = rank_sum_p(first, second)
    if not below:
        return Shift(centre, None, p, count, None, fewest)
    of_mean = _mean_interval([first, second], float(second.mean() - first.mean()), level)
    interval = Interval(low, high, 1.0 - level)
    half = max(interval.half_width, of_mean.half_width)
    seen = interval.half_width / normal_quantile(level)
    return Shift(centre, interval, p, count, of_mean, None, half, seen)


def ranked(first: Array, second: Array, rank: int) -> float:
    """The difference (second less first) of this rank, from 0 and ascending, without making all of
    them: limits are halved until few differences lie between."""
    first, second = np.sort(first), np.sort(second)
    low, high = float(second[0] - first[-1]), float(second[-1] - first[0])
    below, upto = np.zeros(len(first), np.int64), np.full(len(first), len(second))
    while int((upto - below).sum()) > FEW_DIFFERENCES:
        middle = (low + high) / 2.0
        if not low < middle < high:
            return high
        at = np.searchsorted(second, first + middle, side="right")
        if int(at.sum()) > rank:
            high, upto = middle, at
        else:
            low, below = middle, at
    limits = zip(first.tolist(), below.tolist(), upto.tolist(), strict=True)
    left = np.concatenate([second[start:end] - value for value, start, end in limits])
    place = rank - int(below.sum())
    return float(np.partition(left, place)[place])


def _mean_interval(samples: Sequence[Array], centre: float, level: float) -> Interval:
    """Welch's interval (1947, Biometrika 34) of a sum or difference of means; of one, Student's."""
    from scipy.special import stdtrit

    parts = [float(values.var(ddof=1)) / len(values) for values in samples]
    total = sum(parts)
    if total == 0.0:
        return Interval(centre, centre, 1.0 - level)
    freedom = total**2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, samples, strict=True)
    )
    half = float(stdtrit(freedom, 1.0 - level / 2.0)) * math.sqrt(total)
    return Interval(centre - half, centre + half, 1.0 - level)


def _fewest(below: Callable[[int], int]) -> int:
    """The least number of values that carries an interval and has one at this level."""
    return next(n for n in itertools.count(1) if carries_interval(n) and below(n) > 0)


def signed_rank_p(values: Array) -> float:
    """Two-sided p of Wilcoxon's signed-rank test: exact also with ties, by the distribution over
    all signs of the midranks; zeros keep their ranks and have no sign (Pratt 1959)."""
    ranks = _doubled_midranks(np.abs(values))
    signed = ranks[values != 0.0]
    if len(signed) == 0:
        return 1.0
    positive, total = int(ranks[values > 0.0].sum()), int(signed.sum())
    distance = abs(2 * positive - total)
    if len(values) > MOST_EXACT_PAIRS:
        from scipy.special import ndtr

        deviation = math.sqrt(float((signed.astype(np.float64) ** 2).sum()))
        return min(2.0 * float(ndtr(-distance / deviation)), 1.0)
    chances = _sums_of_signs(signed)
    return float(chances[np.abs(2 * np.arange(total + 1) - total) >= distance].sum())


def _doubled_midranks(values: Array) -> Whole:
    """Twice the rank of each value, of equal ones twice the mean of theirs: whole numbers."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((2 * np.cumsum(counts) - counts + 1)[places])


def _sums_of_signs(ranks: Whole) -> Array:
    """The chance of each sum of the ranks whose sign is positive, where all signs are as likely."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks.tolist():
        chances[rank:] = 0.5 * (chances[rank:] + chances[: len(chances) - rank])
        chances[:rank] *= 0.5
    return chances


@lru_cache(maxsize=512)
def _below_pairs(n: int, level: float) -> int:
    """How many Walsh averages on each side are outside of the interval."""
    if n > MOST_EXACT_PAIRS:
        sigma = math.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
        return int(n * (n + 1) / 4.0 - normal_quantile(level) * sigma)
    cumulative = np.cumsum(_sums_of_signs(np.arange(1, n + 1)))
    return int(np.searchsorted(cumulative, level / 2.0, side="right"))


def rank_sum_p(first: Array, second: Array) -> float | None:
    """Two-sided p of the rank-sum test (Wilcoxon; Mann and Whitney): exact also with ties, by the
    distribution of the midranks' sum over all ways to choose the first sample; of many values by
    the normal distribution. None with fewer than two values on a side."""
    if min(len(first), len(second)) < 2:
        return None
    if len(first) * len(second) > MOST_EXACT_P:
        from scipy.stats import mannwhitneyu  # which takes half a second to load

        test = mannwhitneyu(first, second, alternative="two-sided", method="asymptotic")
        return float(test.pvalue)
    few, many = sorted((first, second), key=len)
    ranks = _doubled_midranks(np.concatenate([few, many]))
    m, total = len(few), len(ranks)
    chances = _sums_of_chosen(tuple(sorted(ranks.tolist())), m)
    centre = m * (total + 1)  # the mean of the sum of doubled ranks
    distance = abs(int(ranks[:m].sum()) - centre)
    extreme = np.abs(np.arange(len(chances)) - centre) >= distance
    return float(min(chances[extreme].sum(), 1.0))


@lru_cache(maxsize=256)
def _sums_of_chosen(ranks: tuple[int, ...], m: int) -> Array:
    """The chance of each sum of m of the ranks, where all choices are as likely."""
    counts = np.zeros((m + 1, sum(ranks[-m:]) + 1))
    counts[0, 0] = 1.0
    for rank in ranks:
        counts[1:, rank:] += counts[:-1, : counts.shape[1] - rank].copy()
    return np.asarray(counts[m] / counts[m].sum())


@lru_cache(maxsize=512)
def below_samples(m: int, n: int, level: float = LEVEL) -> int:
    """How many differences on each side are outside of the interval."""
    if m * n > MOST_EXACT_RANKS:
        sigma = math.sqrt(m * n * (m + n + 1) / 12.0)
        return int(m * n / 2.0 - normal_quantile(level) * sigma)
    cumulative = np.cumsum(rank_sum_counts(m, n)) / math.comb(m + n, n)
    return int(np.searchsorted(cumulative, level / 2.0, side="right"))


def rank_sum_counts(m: int, n: int) -> Array:
    """In how many of all orders U takes each value 0 .. m n: coefficients of the Gaussian
    binomial, product over i of (1 - q^(n+i)) / (1 - q^i)."""
    counts = np.zeros(m * n + 1)
    counts[0] = 1.0
    for i in range(1, m + 1):
        counts[n + i :] -= counts[: max(len(counts) - n - i, 0)].copy()
        for start in range(i):
            counts[start::i] = np.cumsum(counts[start::i])
    return counts


def normal_quantile(level: float) -> float:
    """The normal quantile that both tails together exceed at this level."""
    from scipy.special import ndtri

    return float(-ndtri(level / 2.0))

"""Whether two things differ: paired values and two samples, judged by the same rule.

All values are logarithms of times, so that a shift is a ratio. The estimate is that of Hodges and
Lehmann, its interval the set of shifts that the rank test does not reject: estimate, interval and
p are of one estimand, and the estimate always lies in its interval.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hockney.errors import AskedWronglyError
from hockney.estimate.quantiles import carries_interval
from hockney.lazy import lazy_imports

with lazy_imports():
    from scipy.special import ndtr, ndtri, stdtr, stdtrit
    from scipy.stats import mannwhitneyu, rankdata

Array = NDArray[np.float64]
Verdict = Literal["faster", "slower", "same", "unknown"]

LEVEL = 0.05
"""Error rate of each test, and of each interval."""
MOST_NEEDED = 10_000
"""A larger number of launches or blocks that would decide is not suggested."""
LARGEST_LOG = 709.0
"""The largest logarithm of a double."""
MOST_EXACT_P = 2_500
"""Differences, as of 50 values each, up to which p is exact with ties (50 ms)."""
MOST_EXACT_RANKS = 10_000
"""Differences, as of 100 values each, up to which the interval's ranks are exact: by the normal
distribution it is wider by one rank at most."""
MOST_EXACT_PAIRS = 200
"""The same of pairs."""
MOST_DIFFERENCES, FEW_DIFFERENCES = 10_000_000, 100_000
"""Differences that are made at once, some 100 MiB, as of 3,000 values each; where there are more,
those among which one is looked for."""
VERDICT_RULE = (
    "faster or slower where the test shows a difference and the interval excludes 1; same where it "
    "shows none and the interval, like that of the mean, lies within the tolerance; else unknown"
)
"""Shown beside verdicts."""


@dataclass(frozen=True)
class Unseen:
    """A part of a difference of which the compared values show nothing, such as the drift of the
    machine between two runs."""

    deviation: float
    """Standard deviation of the logarithm of the ratio."""
    freedom: float = math.inf
    """Degrees of freedom with which it is known; infinite where it is assumed."""


@dataclass(frozen=True)
class Judged:
    """The second against the first, as a ratio of times."""

    ratio: float
    """Hodges and Lehmann's estimate."""
    low: float | None
    high: float | None
    """The interval of that ratio; None where there are too few values for one."""
    p: float | None
    verdict: Verdict
    within_tolerance: bool
    """Whether the whole interval lies within the tolerance, whatever the test shows."""
    needed: int | None
    """About how many values of each (or pairs) would decide; None unless the verdict is unknown,
    and where no number of them would."""

    @property
    def matters(self) -> bool:
        """Whether a difference is shown that is not surely within the tolerance."""
        return self.verdict in ("faster", "slower") and not self.within_tolerance


@dataclass(frozen=True)
class Shift:
    """A shift of logarithms with its interval, and the p of the test that it is 0."""

    centre: float
    interval: tuple[float, float] | None
    p: float | None
    count: int
    """Values of the larger side, or pairs."""
    of_mean: tuple[float, float] | None = None
    """The interval of the shift of means, by Student's t: of modes that are mixed in other
    proportions it is wide where that of the ranks is not."""
    fewest: int | None = None
    """Where there is no interval: values of each side, or pairs, from which on there is one."""


def paired(log_ratios: Array, tolerance: float, level: float = LEVEL) -> Judged:
    """Judges the log ratios of independent pairs or blocks (second over first)."""
    return paired_each([log_ratios], tolerance, level)[0]


def paired_each(each: Sequence[Array], tolerance: float, level: float = LEVEL) -> list[Judged]:
    """Judges several paired comparisons; their p are corrected for their number by Holm."""
    shifts = [paired_shift(np.asarray(one, dtype=np.float64), level) for one in each]
    known = [shift.p for shift in shifts if shift.p is not None]
    corrected = iter(holm(np.array(known)).tolist())
    return [
        judged(shift, None if shift.p is None else next(corrected), tolerance, level)
        for shift in shifts
    ]


def exact(log_ratios: Array, tolerance: float, level: float = LEVEL) -> Judged:  # noqa: ARG001
    """Judges ratios without errors of measurement, as of simulated times; smaller differences than
    the tolerance count as none."""
    ratio = _exp(float(np.median(log_ratios)) if len(log_ratios) else 0.0)
    within = abs(ratio - 1.0) <= tolerance
    verdict: Verdict = "same" if within else "slower" if ratio > 1.0 else "faster"
    return Judged(ratio, ratio, ratio, None, verdict, within, None)


def judged(
    shift: Shift,
    p: float | None,
    tolerance: float,
    level: float = LEVEL,
    unseen: Unseen | None = None,
) -> Judged:
    """Applies VERDICT_RULE. p: that of the shift, or corrected for many."""
    ratio = _exp(shift.centre)
    if shift.interval is None or p is None:
        return Judged(ratio, None, None, p, "unknown", False, shift.fewest)
    low, high = shift.interval
    least, most = math.log1p(-tolerance), math.log1p(tolerance)
    within = _is_inside(shift.interval, least, most)
    verdict: Verdict = "unknown"
    if p < level and not low <= 0.0 <= high:
        verdict = "slower" if low > 0.0 else "faster"
    elif within and p >= level and _is_inside(shift.of_mean, least, most):
        verdict = "same"
    needed = _needed(shift, most, level, unseen) if verdict == "unknown" else None
    return Judged(ratio, _exp(low), _exp(high), p, verdict, within, needed)


def _is_inside(interval: tuple[float, float] | None, least: float, most: float) -> bool:
    return interval is not None and least <= interval[0] and interval[1] <= most


def _needed(shift: Shift, tolerance: float, level: float, unseen: Unseen | None) -> int | None:
    """How many values narrow the interval so far that it excludes 0 or lies within the tolerance,
    if the estimate stays: half-widths shrink with the square root of their number."""
    assert shift.interval is not None
    unseen_half = _unseen_half(unseen, level)
    seen = max(_half(shift.interval), _half(shift.of_mean or shift.interval))
    half = math.sqrt(max(seen**2 - unseen_half**2, 0.0))
    target = max(abs(shift.centre), tolerance - abs(shift.centre))
    left = target**2 - unseen_half**2
    if left <= 0.0 or half == 0.0:
        return None
    needed = max(math.ceil(shift.count * half**2 / left), shift.count + 1)
    return needed if needed <= MOST_NEEDED else None


def _half(interval: tuple[float, float]) -> float:
    return (interval[1] - interval[0]) / 2.0


def with_unseen(shift: Shift, unseen: Unseen | None, level: float = LEVEL) -> Shift:
    """Adds an independent part that the values do not show: distances of the limits from the
    estimate add up as variances do (Zou & Donner 2008, Statistics in Medicine 27, MOVER)."""
    if unseen is None or shift.interval is None or unseen.deviation == 0.0:
        return shift
    extra = _unseen_half(unseen, level)
    low, high = (end - shift.centre for end in shift.interval)
    interval = (shift.centre - math.hypot(low, extra), shift.centre + math.hypot(high, extra))
    of_mean = shift.of_mean
    if of_mean is not None:
        middle, half = sum(of_mean) / 2.0, math.hypot(_half(of_mean), extra)
        of_mean = (middle - half, middle + half)
    towards_0 = low if shift.centre > 0.0 else high
    deviation = math.hypot(towards_0 / _normal(level), unseen.deviation)
    p = 2.0 * float(_t_below(unseen.freedom, -abs(shift.centre) / deviation))
    return Shift(shift.centre, interval, max(p, shift.p or 0.0), shift.count, of_mean)


def _unseen_half(unseen: Unseen | None, level: float) -> float:
    if unseen is None:
        return 0.0
    if math.isinf(unseen.freedom):
        return _normal(level) * unseen.deviation
    return float(stdtrit(unseen.freedom, 1.0 - level / 2.0)) * unseen.deviation


def _normal(level: float) -> float:
    """The normal quantile that both tails together exceed at this level."""
    return float(-ndtri(level / 2.0))


def _t_below(freedom: float, value: float) -> float:
    return float(ndtr(value) if math.isinf(freedom) else stdtr(freedom, value))


def paired_shift(values: Array, level: float = LEVEL) -> Shift:
    """The centre of values that are symmetric about it: the median of Walsh averages, its interval,
    and the exact p of the signed-rank test (Hollander & Wolfe, 3.1 to 3.3)."""
    n = len(values)
    if n == 0:
        return Shift(0.0, None, None, 0, None, _fewest(lambda n: _below_pairs(n, level)))
    _check(n * (n + 1) // 2)
    i, j = np.triu_indices(n)
    averages = np.sort((values[i] + values[j]) / 2.0)
    below = _below_pairs(n, level) if carries_interval(n) else 0
    return Shift(
        float(np.median(averages)),
        (float(averages[below - 1]), float(averages[-below])) if below else None,
        signed_rank_p(values),
        n,
        _mean_interval([values], float(values.mean()), level) if below else None,
        None if below else _fewest(lambda n: _below_pairs(n, level)),
    )


def sample_shift(first: Array, second: Array, level: float = LEVEL) -> Shift:
    """The shift from first to second: the median of all differences, its interval (Moses; Hollander
    & Wolfe, 4.2 and 4.3), and the exact p of the rank-sum test."""
    m, n = len(first), len(second)
    if min(m, n) == 0:
        return Shift(0.0, None, None, 0, None, _fewest(lambda n: below_samples(n, n, level)))
    below = below_samples(m, n, level) if carries_interval(min(m, n)) else 0
    ranks = [(m * n - 1) // 2, m * n // 2, max(below - 1, 0), m * n - max(below, 1)]
    if m * n > MOST_DIFFERENCES:
        middle, next_middle, low, high = (ranked(first, second, rank) for rank in ranks)
    else:
        differences = np.sort((second[:, None] - first[None, :]).ravel())
        middle, next_middle, low, high = differences[ranks].tolist()
    return Shift(
        0.5 * (middle + next_middle),
        (low, high) if below else None,
        rank_sum_p(first, second),
        max(m, n),
        _mean_interval([first, second], float(second.mean() - first.mean()), level)
        if below
        else None,
        None if below else _fewest(lambda n: below_samples(n, n, level)),
    )


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


def _mean_interval(samples: Sequence[Array], centre: float, level: float) -> tuple[float, float]:
    """Welch's interval (1947, Biometrika 34) of a sum or difference of means; of one, Student's."""
    parts = [float(values.var(ddof=1)) / len(values) for values in samples]
    total = sum(parts)
    if total == 0.0:
        return centre, centre
    freedom = total**2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, samples, strict=True)
    )
    half = float(stdtrit(freedom, 1.0 - level / 2.0)) * math.sqrt(total)
    return centre - half, centre + half


def _fewest(below: Callable[[int], int]) -> int:
    """The least number of values that carries an interval and has one at this level."""
    return next(n for n in itertools.count(1) if carries_interval(n) and below(n) > 0)


def _check(differences: int) -> None:
    if differences > MOST_DIFFERENCES:
        raise AskedWronglyError(f"{differences} differences are more than can be compared")


def signed_rank_p(values: Array) -> float:
    """Two-sided p of Wilcoxon's signed-rank test: exact also with ties, by the distribution over
    all signs of the midranks; zeros keep their ranks and have no sign (Pratt 1959)."""
    ranks = np.rint(2.0 * rankdata(np.abs(values))).astype(np.int64)
    signed = ranks[values != 0.0]
    if len(signed) == 0:
        return 1.0
    positive, total = int(ranks[values > 0.0].sum()), int(signed.sum())
    distance = abs(2 * positive - total)
    if len(values) > MOST_EXACT_PAIRS:
        deviation = math.sqrt(float((signed.astype(np.float64) ** 2).sum()))
        return min(2.0 * _t_below(math.inf, -distance / deviation), 1.0)
    chances = _sums_of_signs(signed)
    return float(chances[np.abs(2 * np.arange(total + 1) - total) >= distance].sum())


def _sums_of_signs(ranks: NDArray[np.int64]) -> Array:
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
        return int(n * (n + 1) / 4.0 - _normal(level) * sigma)
    cumulative = np.cumsum(_sums_of_signs(np.arange(1, n + 1)))
    return int(np.searchsorted(cumulative, level / 2.0, side="right"))


def rank_sum_p(first: Array, second: Array) -> float | None:
    """Two-sided p of the rank-sum test (Wilcoxon; Mann and Whitney): exact also with ties, by the
    distribution of the midranks' sum over all ways to choose the first sample; of many values by
    the normal distribution. None with fewer than two values on a side."""
    if min(len(first), len(second)) < 2:
        return None
    if len(first) * len(second) > MOST_EXACT_P:
        found = mannwhitneyu(first, second, alternative="two-sided", method="asymptotic")
        return float(found.pvalue)
    few, many = sorted((first, second), key=len)
    ranks = np.rint(2.0 * rankdata(np.concatenate([few, many]))).astype(np.int64)
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
        return int(m * n / 2.0 - _normal(level) * sigma)
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


def holm(p: Array) -> Array:
    """Adjusted p values that keep the chance of any false finding (Holm 1979, Scandinavian
    Journal of Statistics 6)."""
    order = np.argsort(p)
    scaled = p[order] * (len(p) - np.arange(len(p)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def benjamini_hochberg(p: Array) -> Array:
    """Adjusted p values that keep the false discovery rate (Benjamini & Hochberg 1995)."""
    if len(p) == 0:
        return p
    order = np.argsort(p)
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


def _exp(log: float) -> float:
    """Infinite where the result exceeds a double: an imported log may hold 1e-300 s."""
    return math.exp(log) if log < LARGEST_LOG else math.inf

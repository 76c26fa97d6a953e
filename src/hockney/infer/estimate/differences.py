"""Whether two things differ: paired values and two samples, judged by the same rule.

All values are logarithms of times, so that a shift is a ratio; estimate.shifts finds the shift, its
interval and its p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hockney.infer.estimate.shifts import (
    LEVEL,
    Array,
    Shift,
    normal_quantile,
    paired_shift,
    sample_shift,
)

Verdict = Literal["faster", "slower", "same", "unknown"]

MOST_NEEDED = 10_000
"""A larger number of launches or blocks that would decide is not suggested."""
LARGEST_LOG = 709.0
"""The largest logarithm of a double."""
VERDICT_RULE = (
    "faster or slower where the test shows a difference and the interval excludes 1; same where it "
    "shows none and the interval, like that of the mean, lies within the tolerance; else unknown"
)
"""Text shown beside verdicts."""


@dataclass(frozen=True)
class Unseen:
    """The part of a difference that the compared values cannot reveal, such as the drift of the
    machine between two runs."""

    deviation: float
    """Standard deviation of the logarithm of the ratio."""
    freedom: float = math.inf
    """Degrees of freedom of the deviation; infinite if it is assumed."""
    whole: float = 0.0
    """Standard deviation of the logarithm of the ratio of two equal runs, with what their launches
    add: no interval is narrower than this allows. 0 where it is not known."""


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
    """Approximate number of values on each side (or of pairs) that would decide; None unless the
    verdict is unknown, or if no number would."""
    smallest_difference: float | None = None
    """Relative: half the width of the interval. A smaller difference could not have been shown;
    None where there is no interval, so that no difference could."""

    @property
    def matters(self) -> bool:
        """Whether a difference is shown that is not surely within the tolerance."""
        return self.verdict in ("faster", "slower") and not self.within_tolerance


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


def two_samples(
    first: Array, second: Array, tolerance: float, unseen: Unseen | None = None
) -> Judged:
    """Judges the log times of independent launches of two runs (second over first). unseen: the
    part of the difference that they cannot reveal."""
    shift = with_unseen(sample_shift(first, second), unseen)
    return judged(shift, shift.p, tolerance, LEVEL, unseen)


def exact(log_ratios: Array, tolerance: float, level: float = LEVEL) -> Judged:  # noqa: ARG001
    """Judges ratios without errors of measurement, as of simulated times; smaller differences than
    the tolerance count as none."""
    ratio = _exp(float(np.median(log_ratios)) if len(log_ratios) else 0.0)
    within = abs(ratio - 1.0) <= tolerance
    verdict: Verdict = "same" if within else "slower" if ratio > 1.0 else "faster"
    return Judged(ratio, ratio, ratio, None, verdict, within, None, tolerance)


def judged(
    shift: Shift,
    p: float | None,
    tolerance: float,
    level: float = LEVEL,
    unseen: Unseen | None = None,
) -> Judged:
    """Applies VERDICT_RULE. p: of the shift's test, possibly corrected for several tests."""
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
    smallest = _exp(_half(shift.interval)) - 1.0
    return Judged(ratio, _exp(low), _exp(high), p, verdict, within, needed, smallest)


def _is_inside(interval: tuple[float, float] | None, least: float, most: float) -> bool:
    return interval is not None and least <= interval[0] and interval[1] <= most


def _needed(shift: Shift, tolerance: float, level: float, unseen: Unseen | None) -> int | None:
    """The number of values on each side from which the interval excludes 0 or lies within the
    tolerance, if the estimate stays: half-widths shrink with the square root of the number."""
    unseen_half, whole = _unseen_halves(unseen, level)
    target = max(abs(shift.centre), tolerance - abs(shift.centre))
    left = target**2 - unseen_half**2
    if left <= 0.0 or whole >= target or shift.half == 0.0:
        return None
    needed = max(math.ceil(shift.count * shift.half**2 / left), math.floor(shift.count) + 1)
    return needed if needed <= MOST_NEEDED else None


def _half(interval: tuple[float, float]) -> float:
    return (interval[1] - interval[0]) / 2.0


def with_unseen(shift: Shift, unseen: Unseen | None, level: float = LEVEL) -> Shift:
    """Adds an independent part that the values do not show: distances of the limits from the
    estimate add up as variances do (Zou & Donner 2008, Statistics in Medicine 27, MOVER). No
    interval is narrower than equal runs as a whole allow (the exact t-test of two runs): the part
    alone is cut at zero where few runs happen to lie close together."""
    if unseen is None or shift.interval is None or not (unseen.deviation or unseen.whole):
        return shift
    extra, whole = _unseen_halves(unseen, level)
    low, high = (
        math.copysign(max(math.hypot(end - shift.centre, extra), whole), sign)
        for end, sign in zip(shift.interval, (-1.0, 1.0), strict=True)
    )
    of_mean = shift.of_mean
    if of_mean is not None:
        middle, half = sum(of_mean) / 2.0, max(math.hypot(_half(of_mean), extra), whole)
        of_mean = (middle - half, middle + half)
    towards_0 = shift.interval[0 if shift.centre > 0.0 else 1] - shift.centre
    seen = towards_0 / normal_quantile(level)
    deviation = max(math.hypot(seen, unseen.deviation), unseen.whole)
    p = 2.0 * _t_below(unseen.freedom, -abs(shift.centre) / deviation)
    interval = (shift.centre + low, shift.centre + high)
    return replace(shift, interval=interval, p=max(p, shift.p or 0.0), of_mean=of_mean)


def _unseen_halves(unseen: Unseen | None, level: float) -> tuple[float, float]:
    """Half-widths of the intervals of the unseen part alone, and of whole runs."""
    from scipy.special import stdtrit

    if unseen is None:
        return 0.0, 0.0
    if math.isinf(unseen.freedom):
        quantile = normal_quantile(level)
    else:
        quantile = float(stdtrit(unseen.freedom, 1.0 - level / 2.0))
    return quantile * unseen.deviation, quantile * unseen.whole


def _t_below(freedom: float, value: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(value) if math.isinf(freedom) else stdtr(freedom, value))


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
    """exp, infinite where a double overflows: an imported log may hold 1e-300 s."""
    return math.exp(log) if log < LARGEST_LOG else math.inf

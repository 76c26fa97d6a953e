"""Whether two things differ: paired values and two samples, judged by the same rule.

All values are logarithms of times, so that a shift is a ratio; estimate.shifts finds the shift, its
interval and its p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.shifts import (
    LEVEL,
    Shift,
    normal_quantile,
    paired_shift,
    sample_shift,
)

Verdict = Literal["faster", "slower", "same", "unknown"]

N = TypeVar("N", int, float)

MOST_NEEDED = 10_000
"""A larger number of launches or blocks that would decide is not suggested."""
LARGEST_LOG = 709.0
"""The largest logarithm of a double."""
LEAST_LOG = 1e-15
"""A standard deviation of logarithms that is as good as 0."""
MOST_STEPS, EXACT = 100, 1e-9
"""Newton's steps to a distance, and the last one's size, relative."""
POWER = 0.8
"""How often a test of enough power finds a difference."""
VERDICT_RULE = (
    "faster or slower where the test shows a difference and the interval excludes 1; same where it "
    "shows none and the interval, like that of the mean, lies within the tolerance; else unknown"
)
"""Text shown beside verdicts."""


@dataclass(frozen=True, eq=False)
class Unseen:
    """The part of a difference that the compared values cannot reveal, such as the drift of the
    machine between two runs: normal, by a standard deviation that is not quite known."""

    deviations: Array
    """Possible standard deviations of the logarithm of the ratio."""
    weights: Array
    """The probability of each."""

    @classmethod
    def of(cls, deviation: float) -> Unseen:
        """A part of a known or assumed standard deviation."""
        return cls(np.array([deviation]), np.ones(1))

    def p(self, distance: Array, seen: Array) -> Array:
        """The chance that this part and a normal one of the standard deviation `seen` together lie
        further from 0 than that, on either side."""
        from scipy.special import ndtr

        scaled = np.abs(distance)[:, None] / self._together(seen)
        return np.asarray(2.0 * ndtr(-scaled) @ self.weights)

    def distance(self, p: float, seen: Array) -> Array:
        """The distance from 0 that both parts together exceed with that chance. Newton's steps from
        0 stay below it, as the chance is convex."""
        from scipy.special import ndtr

        together, distance = self._together(seen), np.zeros(len(seen))
        densities = math.sqrt(2.0 / math.pi) * self.weights / together
        for _ in range(MOST_STEPS):
            scaled = distance[:, None] / together
            beyond = 2.0 * ndtr(-scaled) @ self.weights - p
            step = beyond / (densities * np.exp(-0.5 * scaled**2)).sum(1)
            distance = distance + step
            if (step <= EXACT * distance).all():
                break
        return distance

    def _together(self, seen: Array) -> Array:
        """Standard deviations of both parts, shape (seen, deviations); never 0."""
        return np.asarray(np.maximum(np.hypot(seen[:, None], self.deviations), LEAST_LOG))


@dataclass(frozen=True)
class Judged:
    """The second against the first, as a ratio of times."""

    ratio: float
    """Hodges and Lehmann's estimate."""
    interval: Interval | None
    """The interval of the ratio; None with too few values."""
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
    found_in_80: float | None = None
    """Relative: the difference that such a comparison shows in 80 of 100 repetitions."""

    def needed_against(
        self, bound: float, count: float, unseen: Unseen | None = None
    ) -> int | None:
        """Approximate number of values on each side (or of pairs), of which `count` are known, from
        which the interval excludes the ratio `bound`; None without an interval, or if no number up
        to MOST_NEEDED would. unseen: the part of the interval that no number makes narrower."""
        if self.interval is None or self.interval.low <= 0.0:
            return None
        whole, kept = math.log(self.interval.high / self.interval.low) / 2.0, _half_of(unseen)
        half = math.sqrt(max(whole**2 - kept**2, 0.0))
        return _suggested(count, half, math.log(bound / self.ratio) ** 2 - kept**2)

    @property
    def matters(self) -> bool:
        """Whether a difference is shown that is not surely within the tolerance."""
        return self.verdict in ("faster", "slower") and not self.within_tolerance

    @property
    def is_faster(self) -> bool:
        """Whether it is shown to be faster, and not surely by less than the tolerance."""
        return self.matters and self.verdict == "faster"

    @property
    def is_slower(self) -> bool:
        """Whether it is shown to be slower, and not surely by less than the tolerance."""
        return self.matters and self.verdict == "slower"


def paired(log_ratios: Array, tolerance: float, level: float = LEVEL) -> Judged:
    """Judges the log ratios of independent pairs or blocks (second over first)."""
    return paired_each([log_ratios], tolerance, level)[0]


def paired_each(
    each: Sequence[Array],
    tolerance: float,
    level: float = LEVEL,
    hidden: Sequence[float] | None = None,
) -> list[Judged]:
    """Judges several paired comparisons; their p are corrected for their number by Holm. hidden:
    what the steps of a clock hide of each, at most."""
    shifts = [
        with_hidden(paired_shift(np.asarray(log_ratios, dtype=np.float64), level), most)
        for log_ratios, most in zip(each, hidden or [0.0] * len(each), strict=True)
    ]
    known = [shift.p for shift in shifts if shift.p is not None]
    corrected = iter(holm(np.array(known)).tolist())
    return [
        judged(shift, None if shift.p is None else next(corrected), tolerance, level)
        for shift in shifts
    ]


def two_samples(
    first: Array,
    second: Array,
    tolerance: float,
    unseen: Unseen | None = None,
    hidden: float = 0.0,
    constant: int | None = None,
) -> Judged:
    """Judges the log times of independent launches of two runs (second over first). unseen: the
    part of the difference that they cannot reveal; hidden: what their printed digits hide of it, at
    most; constant: see shift_between."""
    shift = with_hidden(with_unseen(shift_between(first, second, constant), unseen), hidden)
    return judged(shift, shift.p, tolerance, LEVEL, unseen)


def shift_between(first: Array, second: Array, constant: int | None) -> Shift:
    """The shift from the first launches to the second. constant: the side (0 or 1) that repeats one
    value, against which the launches of the other are one sample; None where both scatter."""
    if constant is None:
        return sample_shift(first, second)
    return paired_shift(second - first[0] if constant == 0 else second[0] - first)


def with_hidden(shift: Shift, most: float) -> Shift:
    """The shift with intervals wider by what printed digits hide, a logarithm."""
    return replace(
        shift,
        interval=shift.interval and shift.interval.wider(most),
        of_mean=shift.of_mean and shift.of_mean.wider(most),
    )


def both(first: Judged, second: Judged) -> Judged:
    """What two judgements of one ratio show together; the estimate is the first one's."""
    if first.interval is None or second.interval is None:
        return first if first.interval is None else replace(second, ratio=first.ratio)
    agree = first.verdict == second.verdict
    return Judged(
        first.ratio,
        first.interval.including(second.interval.low, second.interval.high),
        _largest(first.p, second.p),
        first.verdict if agree else "unknown",
        first.within_tolerance and second.within_tolerance,
        _largest(first.needed, second.needed) if agree else None,
        _largest(first.smallest_difference, second.smallest_difference),
        _largest(first.found_in_80, second.found_in_80),
    )


def _largest(first: N | None, second: N | None) -> N | None:
    """The larger of two numbers; None where one is unknown."""
    return None if first is None or second is None else max(first, second)


def exact(log_ratios: Array, tolerance: float, level: float = LEVEL) -> Judged:  # noqa: ARG001
    """Judges ratios without errors of measurement, as of simulated times; smaller differences than
    the tolerance count as none."""
    ratio = _exp(float(np.median(log_ratios)) if len(log_ratios) else 0.0)
    within = abs(ratio - 1.0) <= tolerance
    verdict: Verdict = "same" if within else "slower" if ratio > 1.0 else "faster"
    return Judged(ratio, Interval.exact(ratio), None, verdict, within, None, tolerance)


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
        return Judged(ratio, None, p, "unknown", False, shift.fewest)
    interval, of_mean = shift.interval, shift.of_mean
    least, most = math.log1p(-tolerance), math.log1p(tolerance)
    within = interval.lies_in(least, most)
    verdict: Verdict = "unknown"
    if p < level and not interval.holds(0.0):
        verdict = "slower" if interval.low > 0.0 else "faster"
    elif within and p >= level and of_mean is not None and of_mean.lies_in(least, most):
        verdict = "same"
    needed = _needed(shift, most, level, unseen) if verdict == "unknown" else None
    half = interval.half_width
    found_in_80 = _exp(half + _power_distance(shift.seen, unseen)) - 1.0
    smallest = _exp(half) - 1.0
    return Judged(ratio, interval.through(_exp), p, verdict, within, needed, smallest, found_in_80)


def _power_distance(seen: float, unseen: Unseen | None) -> float:
    """How far beyond the limit of the interval a difference must lie to be shown in POWER."""
    tails = 2.0 * (1.0 - POWER)
    if unseen is None:
        return normal_quantile(tails) * seen
    return float(unseen.distance(tails, np.array([seen]))[0])


def _needed(shift: Shift, tolerance: float, level: float, unseen: Unseen | None) -> int | None:
    """The number of values on each side from which the interval excludes 0 or lies within the
    tolerance, if the estimate stays: half-widths shrink with the square root of the number."""
    target = max(abs(shift.centre), tolerance - abs(shift.centre))
    return _suggested(shift.count, shift.half, target**2 - _half_of(unseen, level) ** 2)


def _half_of(unseen: Unseen | None, level: float = LEVEL) -> float:
    """Half the width of the interval of any number of values, a logarithm."""
    return 0.0 if unseen is None else float(unseen.distance(level, np.zeros(1))[0])


def _suggested(count: float, half: float, squared: float) -> int | None:
    """The number of values whose interval has a half-width of the root of `squared`, where that of
    `count` values is `half`."""
    if squared <= 0.0 or half == 0.0 or count * half**2 > MOST_NEEDED * squared:
        return None
    needed = max(math.ceil(count * half**2 / squared), math.floor(count) + 1)
    return needed if needed <= MOST_NEEDED else None


def with_unseen(shift: Shift, unseen: Unseen | None, level: float = LEVEL) -> Shift:
    """Adds an independent part that the values do not show. Each limit's distance from the estimate
    stands for a normal part as wide; both together make the new limits and p."""
    if unseen is None or shift.interval is None:
        return shift
    quantile, centre = normal_quantile(level), shift.centre
    halves = [abs(end - centre) for end in (shift.interval.low, shift.interval.high)]
    halves += [shift.of_mean.half_width] if shift.of_mean else []
    seen = np.array(halves) / quantile
    low, high, *mean = unseen.distance(level, seen).tolist()
    of_mean = shift.of_mean
    if of_mean is not None:
        middle = (of_mean.low + of_mean.high) / 2.0
        of_mean = replace(of_mean, low=middle - mean[0], high=middle + mean[0])
    towards_0 = seen[[0 if centre > 0.0 else 1]]
    p = float(unseen.p(np.array([centre]), towards_0)[0])
    interval = replace(shift.interval, low=centre - low, high=centre + high)
    return replace(shift, interval=interval, p=max(p, shift.p or 0.0), of_mean=of_mean)


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

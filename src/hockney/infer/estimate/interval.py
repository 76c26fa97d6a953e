"""The interval of an estimate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

CONFIDENCE = 0.95
IntervalKind = Literal["confidence", "prediction", "exact"]


@dataclass(frozen=True)
class Interval:
    """An interval in the unit of the estimate; an end that is not known is infinite."""

    low: float
    high: float
    confidence: float | None = CONFIDENCE
    """The least confidence; None where it is not known, as of one chosen for being narrow."""
    kind: IntervalKind = "confidence"
    """Of what was estimated; of its next value; or exact: both ends are the value."""

    @classmethod
    def exact(cls, value: float) -> Interval:
        """The interval of a value without errors of measurement, as of a simulated time."""
        return cls(value, value, 1.0, "exact")

    @property
    def is_exact(self) -> bool:
        return self.kind == "exact"

    @property
    def is_known(self) -> bool:
        """Whether at least one end is."""
        return math.isfinite(self.low) or math.isfinite(self.high)

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are known."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2.0

    def including(self, low: float, high: float) -> Interval:
        """The interval, widened to include these."""
        return replace(self, low=min(self.low, low), high=max(self.high, high))

    def wider(self, by: float) -> Interval:
        """The interval with both ends farther out."""
        return replace(self, low=self.low - by, high=self.high + by)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def lies_in(self, low: float, high: float) -> bool:
        return low <= self.low and self.high <= high

    def through(self, monotonic: Callable[[float], float]) -> Interval:
        """The interval of a function of the estimate that rises or falls everywhere."""
        ends = monotonic(self.low), monotonic(self.high)
        return replace(self, low=min(ends), high=max(ends))

    def inverse(self) -> Interval:
        """The interval of 1 over the estimate, which is positive."""
        return self.through(lambda end: 1.0 / end if end else math.inf)


def log_half_width(interval: Interval | None, unknown: float) -> float:
    """Half the width of the logarithm's interval; `unknown` without one, or with an end at 0."""
    if interval is None or interval.low <= 0.0:
        return unknown
    return math.log(interval.high / interval.low) / 2.0


def interval_words(interval: Interval | None, text: Callable[[float], str]) -> str:
    """What follows a number, " [0.98 to 1.02]", its ends by `text`; empty where it is not known or
    exact."""
    if interval is None or interval.low == interval.high:
        return ""
    return f" [{text(interval.low)} to {text(interval.high)}]"


def low_of(interval: Interval | None) -> float | None:
    """The lower end; None where it is unknown."""
    return interval.low if interval is not None and math.isfinite(interval.low) else None


def high_of(interval: Interval | None) -> float | None:
    """The upper end; None where it is unknown."""
    return interval.high if interval is not None and math.isfinite(interval.high) else None

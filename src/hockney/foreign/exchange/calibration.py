"""Makes a platform for SimGrid from measurements, and finds its error at held-out ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from hockney.base.grouping import by_key
from hockney.foreign.programs.simgrid import WireTimes, measured_of, platform_of
from hockney.infer.analysis import Analysis
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import key_without

EVERY = 3
"""One of so many neighbouring sizes is held out: the platform is made without it."""

WHOLE = 0.9
"""Fraction of the one-way time above which an overhead cannot be separated from the latency."""


@dataclass(frozen=True)
class Deviation:
    """A held-out time, measured and simulated on the platform."""

    pattern: str
    bytes: int
    measured_s: float
    simulated_s: float

    @property
    def error(self) -> float:
        """The relative error: 0.05 for 5 % too long or too short."""
        return math.expm1(abs(math.log(self.simulated_s / self.measured_s)))


@dataclass(frozen=True)
class PatternError:
    """The errors of one pattern."""

    pattern: str
    sizes: int
    median: float
    worst: Deviation


@dataclass(frozen=True)
class Scatter:
    """Standard deviations as fractions of the time, each the median over sizes; None where
    unknown."""

    within_launches: float | None
    between_launches: float | None


def held_out(sizes: Sequence[int]) -> list[int]:
    """Every third size, neither the smallest nor the largest."""
    ordered = sorted(set(sizes))
    return ordered[1:-1:EVERY]


def calibrated(messages: Analysis, overheads: Analysis | None) -> bytes:
    """The platform file, made of the sizes that are not held out."""
    times = measured_of(messages)
    left_out = held_out([int(size) for size in times.bytes])
    kept = ~np.isin(times.bytes, left_out)
    sizes, seconds = times.bytes[kept], times.seconds[kept]
    if overheads is None:
        zeros = np.zeros(len(sizes))
        return platform_of(messages.run, WireTimes(sizes, seconds, zeros, zeros))
    of = measured_of(overheads)
    send, receive = _at(sizes, seconds, of, of.send_s), _at(sizes, seconds, of, of.receive_s)
    return platform_of(messages.run, WireTimes(sizes, seconds, send, receive), True)


def _at(sizes: Array, seconds: Array, of: WireTimes, overheads_s: Array) -> Array:
    """Overheads (s) at other sizes: interpolated as fractions of the time, which change less than
    the overheads. They are 0 where they are the whole time: a receive that lasts as long as the
    message shows no overhead."""
    fractions = overheads_s / of.seconds
    if np.median(fractions) > WHOLE:
        return np.zeros(len(sizes))
    return np.asarray(np.interp(sizes, of.bytes, fractions) * seconds)


def deviations(pattern: str, measured: Analysis, simulated: Analysis) -> list[Deviation]:
    """The deviations at all points that were measured and simulated."""
    simulated_s = {_key(point): point.typical_s for point in simulated.estimates.own()}
    return [
        Deviation(pattern, point.bytes, point.typical_s, simulated_s[_key(point)])
        for point in measured.estimates.own()
        if _key(point) in simulated_s and point.typical_s > 0.0 and simulated_s[_key(point)] > 0.0
    ]


def _key(point: PointEstimate) -> object:
    return point.bytes, key_without(point, "bytes", "buffers")


def validation_error(deviations: Sequence[Deviation]) -> float | None:
    """The median error of the worst pattern; None if nothing was held out. It is not over all
    points: most are ping-pongs close to a switch, which would hide what is wrong with a pattern."""
    return max(errors_of(deviations).values(), default=None)


def pattern_errors(deviations: Sequence[Deviation]) -> list[PatternError]:
    return [
        PatternError(
            name,
            len(own),
            median(deviation.error for deviation in own),
            max(own, key=lambda deviation: deviation.error),
        )
        for name, own in by_key(deviations, lambda deviation: deviation.pattern).items()
    ]


def errors_of(deviations: Sequence[Deviation]) -> dict[str, float]:
    """The median error of each pattern."""
    return {error.pattern: error.median for error in pattern_errors(deviations)}


def noise_of(analysis: Analysis) -> Scatter:
    points = analysis.estimates.own()

    def relative(name: str) -> float | None:
        known = [getattr(p, name) / p.typical_s for p in points if getattr(p, name) is not None]
        return median(known) if known else None

    return Scatter(relative("within_std_s"), relative("between_std_s"))

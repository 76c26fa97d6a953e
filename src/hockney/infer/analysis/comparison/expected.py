"""What another run would give: the interval for the next run's median, from earlier runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from hockney.infer.analysis.comparison.run_drift import RunDrift
from hockney.infer.estimate.differences import Unseen
from hockney.infer.estimate.interval import CONFIDENCE, Interval
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.estimate.shifts import LEVEL
from hockney.infer.memory.components import CENTRE, BetweenRuns, RunLevel
from hockney.infer.memory.host import EarlierRun
from hockney.infer.memory.prior import GRID
from hockney.plan.axes import Key, key_without

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

LEAST_OTHERS = 4
"""Fewest earlier runs where each run has one launch: without the scatter of launches nothing is
assumed of the scatter of runs, and from fewer the interval would be useless."""
MEDIAN = math.pi / 2.0
"""The variance of a median of normal values over that of their mean."""

OUTSIDE = 0.005
"""Chance of a median beyond each end of the bootstrap. 0.025 would hold the medians of 18 launches
of two kinds, one as frequent as the other, in 78 % of runs, this does in 88 %."""


@dataclass(frozen=True)
class NextRun:
    """What is known of another run of the same question."""

    interval: Interval
    """The 95 % prediction interval of its median, in seconds."""
    between_runs: float
    """Standard deviation between runs beyond what their launches explain, of logarithms."""
    between_launches: float
    """Standard deviation between launches, of logarithms."""
    runs: int
    """Number of runs that it is computed from, this one included; 1 where the deviation between
    runs is assumed."""


@dataclass(frozen=True)
class Expected:
    """What is known of the next run of a run's question, in its state."""

    points: Mapping[Key, NextRun]
    notes: tuple[str, ...] = ()
    """Earlier runs that were left out, and why."""
    is_of_state: bool = False
    """Whether runs in other states of the machine were left out."""

    @property
    def earlier(self) -> int:
        """The number of earlier runs of the point that has most; 0 where all is assumed."""
        return max((point.runs - 1 for point in self.points.values()), default=0)

    def at(self, point: PointEstimate) -> NextRun | None:
        """The prediction for a point; None where nothing is known of how much it differs."""
        return self.points.get(key_without(point))


def next_run(analysis: Analysis, earlier: Sequence[EarlierRun]) -> Expected:
    """What earlier runs of the same question show of the next, in the state of most rounds."""
    drift = RunDrift.of((analysis,), 0, earlier)
    points = [point for point in analysis.of_every_launch.own(0) if min(point.medians_s) > 0.0]
    sides = [(point,) for point in points]
    each, _ = drift.between(sides)
    next_runs: dict[Key, NextRun] = {}
    for point, between in zip(sides, each, strict=True):
        (levels,) = drift.levels(point)
        if between is not None and _is_enough(levels):
            known = predicted(levels, between)
            # Where launches are of two kinds, the median jumps between these.
            interval = known.interval.including(*ends_of_median(point[0].medians_s))
            next_runs[key_without(point[0])] = replace(known, interval=interval)
    return Expected(next_runs, drift.notes, drift.is_of_state)


def _is_enough(levels: Sequence[RunLevel]) -> bool:
    return len(levels) > LEAST_OTHERS or any(level.launches > 1 for level in levels)


def ends_of_median(seconds: Sequence[float]) -> tuple[float, float]:
    """The values between which the median of as many launches lies in 99 of 100 cases, if launches
    are distributed as these: the exact bootstrap of a median (Maritz and Jarrett 1978)."""
    ascending, end = sorted(seconds), _outermost_median(len(seconds))
    return ascending[end], ascending[-1 - end]


@cache
def _outermost_median(n: int) -> int:
    """The number of the smallest of n values, from 0, that the median of n draws from them is not
    above with a chance of more than OUTSIDE."""
    from scipy.special import bdtrc  # the chance of more successes; scipy.stats loads longer

    # At least half of the draws are then among the smallest k + 1 values.
    chances = bdtrc((n + 1) // 2 - 1, n, np.arange(1, n + 1) / n)
    return int(np.argmax(chances > OUTSIDE))


def predicted(levels: Sequence[RunLevel], between: BetweenRuns) -> NextRun:
    """The next run scatters about the mean of the known ones by run-to-run variation and by the
    error of that mean. It is taken to have as many launches as this run, the first of `levels`."""
    runs = len(levels)
    variance = float(np.mean([level.variance for level in levels if level.launches > 1] or [0.0]))
    of_mean = CENTRE * sum(variance / level.launches for level in levels) / runs**2
    seen = math.sqrt(MEDIAN * variance / levels[0].launches + of_mean)
    part = Unseen(math.sqrt(1.0 + 1.0 / runs) * GRID, between.weights)
    half = float(part.distance(LEVEL, np.array([seen]))[0])
    middle = float(np.mean([level.centre for level in levels]))
    ends = math.exp(middle - half), math.exp(middle + half)
    interval = Interval(*ends, CONFIDENCE, "prediction")
    return NextRun(interval, between.deviation, math.sqrt(variance), runs)

"""Many runs of one system in the order of their start: trends, change points, and whether the last
runs are worse."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hockney.base.grouping import by_key
from hockney.base.units import format_size, how_many
from hockney.infer.analysis.conditions.between import are_one_state
from hockney.infer.analysis.history.autocorrelation import step, without_outliers
from hockney.infer.analysis.history.changes import LAST, LEAST_RUNS, Drift, changes_or_drift
from hockney.infer.analysis.history.course import LEAST_RUN_LENGTH, course_of
from hockney.infer.analysis.history.run_facts import HANDOVER, POINTS, RunFacts, system_label
from hockney.infer.arrays import Array
from hockney.infer.estimate.interval import Interval

if TYPE_CHECKING:
    from hockney.infer.analysis.findings import DecidingFinding

FEW_RUNS = 120
"""Most runs that are judged as a whole; more are judged one after the other."""

WORSE_RULE = (
    "worse: the level since the last change is worse than the best level before it by more than "
    "the tolerance, if by several smaller steps, or a drift made it worse by more than that"
)
MANY_RULE = (
    "of more than 120 runs, a level changes where an e-detector reaches 6,000, the least average "
    "run length, and the interval of the change lies beyond the tolerance"
)
MOST_SIZES = 34
"""Most sizes of a curve that are judged."""


@dataclass(frozen=True)
class RunPoint:
    id: str
    started: datetime
    file: str
    value: float
    interval: Interval | None


@dataclass(frozen=True)
class ChangePoint:
    """The first run of a new level."""

    index: int
    started: datetime
    first: datetime
    last: datetime
    """Starts of the earliest and latest run at which the new level may have begun."""
    ratio: float
    """Median after over median before."""
    run_length: float
    """Average number of runs to a false alarm as clear."""
    changed: tuple[tuple[str, str | None, str | None], ...]
    """Differences between the records of this run and the one before: name, before, after."""


@dataclass(frozen=True)
class Trend:
    """One number of a system over its runs; latency in s, bandwidth in B/s."""

    what: str
    curve: str
    """Its name, as of an algorithm; empty where the system has one curve."""
    unit: str
    bytes: int
    points: tuple[RunPoint, ...]
    changes: tuple[ChangePoint, ...]
    drift: Drift | None
    """A slow change of the whole series, which excludes changes of level; None without one."""
    worse: str | None
    """Why the last runs are worse, by WORSE_RULE; None where they are not."""
    enough: bool
    """Whether there are enough runs to judge the last ones."""
    left_best: int | None
    """Index of the first run after its best level; None where the last level is the best."""
    times_worse: float
    """The last level over the best one, or what a drift made of it; 1 where it is the best."""
    is_between: bool = False
    """Whether it is the worst of the sizes between the ends of its curve."""
    curve_name: str = ""
    """Its curve for people: of variants, what differs."""

    @property
    def words(self) -> str:
        """ "time at 8 B", "bcast, binomial, 4 ranks: time at 8 B"."""
        return ": ".join(filter(None, (self.curve_name, self.what)))

    @property
    def levels(self) -> list[tuple[int, int, float]]:
        """The indices of the first and the last run of each level, and its median."""
        starts = [0, *(change.index for change in self.changes)]
        return [
            (first, end - 1, float(np.median([point.value for point in self.points[first:end]])))
            for first, end in pairwise([*starts, len(self.points)])
        ]

    @property
    def level(self) -> float:
        """The median since the last change point."""
        return self.levels[-1][-1]


@dataclass(frozen=True)
class History:
    system: str
    runs: tuple[RunFacts, ...]
    trends: tuple[Trend, ...]
    left_out: tuple[str, ...]
    """Files whose runs share nothing with most of the others."""
    between: int = 0
    """Number of the sizes between the ends of curves, which are judged, too: of each curve the
    worst one is a trend where none of its ends is worse."""
    failed: tuple[DecidingFinding, ...] = ()
    """Failed findings of the newest run alone, such as a slow node: a trend, which follows one
    number a run, does not show it."""

    @property
    def name(self) -> str:
        """The system, in few words."""
        newest = self.runs[-1]
        return newest.short_system if newest.system == self.system else self.system

    @property
    def label(self) -> str:
        newest = self.runs[-1]
        has_hosts = newest.kind and newest.system == self.system
        return system_label(self.system) if has_hosts else self.system

    @property
    def worse(self) -> list[str]:
        return [f"{trend.words}: {trend.worse}" for trend in self.trends if trend.worse]


def histories(runs: Sequence[RunFacts], tolerance: float, together: bool = False) -> list[History]:
    """One history of each system, or of all runs together."""
    in_order = sorted(runs, key=lambda run: run.started)
    systems = by_key(in_order, lambda run: "all runs" if together else run.system)
    return [_history(name, of, tolerance) for name, of in sorted(systems.items())]


def _history(system: str, runs: Sequence[RunFacts], tolerance: float) -> History:
    counts = Counter(curve for run in runs for curve in run.curves)
    common = sorted(curve for curve, count in counts.items() if 2 * count > len(runs))
    shown = _curve_names(runs, common)
    trends: list[Trend] = []
    between = 0
    for curve in common:
        of_curve = [run for run in runs if curve in run.curves]
        name = shown[curve] if len(counts) > 1 else ""
        series = _Series(curve, name, tolerance, len(common))
        sizes = series.sizes(of_curve)
        curve_trends = series.trends(of_curve, sizes)
        trends += curve_trends
        between += len(sizes[1:-1]) if curve_trends else 0
    kept = {point.id for trend in trends for point in trend.points}
    left_out = tuple(run.file for run in runs if run.id not in kept)
    return History(system, tuple(runs), tuple(trends), left_out, between)


def _curve_names(runs: Sequence[RunFacts], curves: Sequence[str]) -> dict[str, str]:
    """Each curve for people, as the newest run names it; its own where two would be alike."""
    names = {curve: name for run in runs for curve, name in run.curve_names.items()}
    counts = Counter(names.get(curve, curve) for curve in curves)
    return {
        curve: names[curve] if curve in names and counts[names[curve]] == 1 else curve
        for curve in curves
    }


@dataclass(frozen=True)
class _Series:
    """The times of one curve over many runs."""

    curve: str
    name: str
    """The curve for people; empty where there is no other."""
    tolerance: float
    count: int
    """The number of series, which share an error rate."""

    def sizes(self, runs: Sequence[RunFacts]) -> list[int]:
        """Those that most runs have, ascending; of very many MOST_SIZES, evenly chosen."""
        counts = Counter(size for run in runs for size in run.curves[self.curve])
        common = sorted(size for size, count in counts.items() if 2 * count > len(runs))
        chosen = np.linspace(0, len(common) - 1, min(len(common), MOST_SIZES))
        return [common[round(place)] for place in chosen]

    def trends(self, runs: Sequence[RunFacts], sizes: Sequence[int]) -> list[Trend]:
        """The time at the smallest size and the bandwidth at the largest; where neither is worse,
        the worst size between them as well, if one is."""
        kept = [
            run for run in runs if sizes and {sizes[0], sizes[-1]} <= run.curves[self.curve].keys()
        ]
        if not kept:
            return []
        ends = [(sizes[0], False), *([(sizes[-1], True)] if sizes[-1] > 0 else [])]
        trends = [self._trend(kept, size, is_bandwidth) for size, is_bandwidth in ends]
        return (
            trends if any(trend.worse for trend in trends) else trends + self._between(runs, sizes)
        )

    def _between(self, runs: Sequence[RunFacts], sizes: Sequence[int]) -> list[Trend]:
        """The worst of the sizes between the ends, if one is worse. All together give as few false
        alarms as an end does."""
        inner = sizes[1:-1]
        series = replace(self, count=self.count * len(inner))
        each = (
            series._trend([run for run in runs if size in run.curves[self.curve]], size, False)
            for size in inner
        )
        worse = [trend for trend in each if trend.worse]
        if not worse:
            return []
        worst, more = max(worse, key=lambda trend: trend.times_worse), len(worse) - 1
        also = f", and {how_many(more, 'more size')}" if more else ""
        return [replace(worst, what=worst.what + also, is_between=True)]

    def _trend(self, runs: Sequence[RunFacts], size: int, bandwidth: bool) -> Trend:
        points = [_point(run, self.curve, size, bandwidth) for run in runs]
        logs = np.log([point.value for point in points])
        sign = -1.0 if bandwidth else 1.0
        level_changes, drift = _changes(points, logs, self.tolerance, self.count)
        level_changes = level_changes or ([] if drift else self._small_steps(points, logs, sign))
        changes = tuple(
            ChangePoint(
                change.at,
                points[change.at].started,
                points[change.first].started,
                points[change.last].started,
                change.ratio,
                change.run_length,
                _differences(runs[change.at - 1], runs[change.at]),
            )
            for change in level_changes
        )
        levels = _TrendLevels.of(sign * logs, [change.index for change in changes])
        worse, enough = levels.worse(self.tolerance)
        drifted = sign * math.log(drift.ratio) if drift else 0.0
        if drifted > 0.0:
            worse, enough = f"a drift made it {math.exp(drifted):.3f} times worse", True
        together = sorted({run.facts[POINTS] for run in runs if POINTS in run.facts})
        of_points = f", median of {' or '.join(together)}" if together else ""
        what = f"{'bandwidth' if bandwidth else 'time'} at {format_size(size)}{of_points}"
        unit = "B/s" if bandwidth else "s"
        curve = self.curve if self.name else ""
        return Trend(
            *(what, curve, unit, size, tuple(points), changes, drift, worse, enough),
            left_best=levels.left_best,
            times_worse=math.exp(max(drifted, levels.step)),
            curve_name=self.name,
        )

    def _small_steps(
        self, points: Sequence[RunPoint], logs: Array, sign: float
    ) -> list[_LevelStep]:
        """Steps within the tolerance that have made it worse together by more than that."""
        if len(logs) > FEW_RUNS:
            return []
        steps, _ = _changes(points, logs, 0.0, self.count)
        levels = _TrendLevels.of(sign * logs, [change.at for change in steps])
        return steps if len(steps) > 1 and levels.worse(self.tolerance)[0] else []


class _LevelStep(NamedTuple):
    at: int
    first: int
    last: int
    ratio: float
    run_length: float


def _changes(
    points: Sequence[RunPoint], logs: Array, tolerance: float, count: int
) -> tuple[list[_LevelStep], Drift | None]:
    """The changes of level, or the drift: of few runs by likelihood ratios, of many by the sequence
    that is valid at every look. count: how many series share an error rate."""
    if len(logs) <= FEW_RUNS:
        level_changes, drift = changes_or_drift(logs, tolerance, count)
        ends = [0, *(change.at for change in level_changes), len(logs)]
        few = [
            _LevelStep(at, *_begun(logs[ends[i] : ends[i + 2]], ends[i]), ratio, run_length)
            for i, (at, ratio, run_length) in enumerate(level_changes)
        ]
        return few, drift
    times = np.array([point.started.timestamp() for point in points])
    changes = course_of(times, logs[:, None], tolerance, LEAST_RUN_LENGTH * count).changes
    ends = [0, *(change.at for change in changes), len(logs)]
    many = []
    for i, (_, at, first, last, *_, run_length, _) in enumerate(changes):
        before, after = (np.median(logs[ends[j] : ends[j + 1]]) for j in (i, i + 1))
        many.append(_LevelStep(at, first, last, math.exp(float(after - before)), run_length))
    return many, None


def _begun(logs: Array, start: int) -> tuple[int, int]:
    """The first and the last index at which a step in these runs may have begun: where it is at
    least 1/20 as likely as at the best one."""
    cleaned, places = without_outliers(logs), np.arange(1, len(logs))
    likely = np.array(
        [step(cleaned, places[i : i + 1], 0.0).likelihood for i in range(len(places))]
    )
    near = places[likely >= likely.max() - math.log(20.0)]
    return start + int(near[0]), start + int(near[-1])


def _point(run: RunFacts, curve: str, size: int, bandwidth: bool) -> RunPoint:
    value, low, high = run.curves[curve][size]
    interval = None if low is None or high is None else Interval(low, high, confidence=None)
    if bandwidth:
        value = size / value
        interval = interval and interval.through(lambda end: size / end if end else math.inf)
    return RunPoint(run.id, run.started, run.file, value, interval)


def _differences(
    before: RunFacts, after: RunFacts
) -> tuple[tuple[str, str | None, str | None], ...]:
    names = before.facts.keys() | after.facts.keys()
    if are_one_state(before.handover_s, after.handover_s):
        names -= {HANDOVER}
    each = ((name, before.facts.get(name), after.facts.get(name)) for name in sorted(names))
    return tuple((name, first, second) for name, first, second in each if first != second)


class _TrendLevels(NamedTuple):
    """The levels of a series, by logarithms that rise as the system gets worse."""

    medians: list[float]
    starts: list[int]
    """The index of the first run of each level."""
    last: int
    """Number of runs at the last level."""

    @classmethod
    def of(cls, badness: Array, changes: Sequence[int]) -> _TrendLevels:
        starts = [0, *changes]
        medians = [float(np.median(runs)) for runs in np.split(badness, changes)]
        return cls(medians, starts, len(badness) - starts[-1])

    @property
    def best(self) -> int:
        """The best level, of equal ones the last."""
        return min(range(len(self.medians)), key=lambda at: (self.medians[at], -at))

    @property
    def left_best(self) -> int | None:
        return self.starts[self.best + 1] if self.best + 1 < len(self.starts) else None

    @property
    def step(self) -> float:
        """Logarithm of the last level over the best one."""
        return self.medians[-1] - self.medians[self.best]

    def worse(self, tolerance: float) -> tuple[str | None, bool]:
        """Why the last runs are worse by WORSE_RULE, and whether the runs at the last level could
        show another change."""
        if self.step <= math.log1p(tolerance):
            return None, self.last >= LEAST_RUNS + LAST
        is_before = self.best == len(self.medians) - 2
        since = "since the last change point" if is_before else "than at its best level"
        return f"{math.exp(self.step):.3f} times worse {since}", True

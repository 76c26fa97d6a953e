"""The course of a system that is looked at again and again: its levels, and where each began.

A change is reported once; the level after it is then what is usual, and the next looks are judged
against it: of all series, or in a large system of those that changed. A mark (a planned change,
another version) begins a level of all without a report.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.alarm import Alarm
from hockney.infer.estimate.detector import KEPT, Detector, changed_of
from hockney.infer.estimate.interval import Interval

DAY_S = 86400.0
YEAR_S = 365.25 * DAY_S
FALSE_YEARS = 0.05
"""Largest chance of a false alarm in a year of looks."""
LEAST_RUN_LENGTH = 6000.0
"""Expected looks to a false alarm, at least."""
FIRST_GAPS = 4
"""Gaps from which the usual time between looks is known."""


class LevelChange(NamedTuple):
    """A series that left its level."""

    series: int
    at: int
    """Index of the first look of the new level."""
    first: int
    last: int
    """Indices of the earliest and latest look at which the change may have begun."""
    ratio: float
    interval: Interval
    """The new level over the old one, with its interval."""
    run_length: float
    """Expected looks to a false alarm as clear."""
    seen: int
    """Index of the look that showed it."""

    @classmethod
    def of(cls, series: int, alarm: Alarm, now: int) -> LevelChange:
        """now: the index of the look that showed it."""
        return cls(
            series,
            now - alarm.start,
            now - alarm.first,
            now - alarm.last,
            math.exp(alarm.size),
            alarm.interval.through(math.exp),
            alarm.evidence,
            now,
        )

    @property
    def is_worse(self) -> bool:
        return self.ratio > 1.0


class SeriesCourse(NamedTuple):
    """A series as it is drawn: days since 1970, and values that are no logarithms."""

    marks: list[tuple[float, float]]
    """Each look, or the medians of several that follow each other."""
    levels: list[tuple[tuple[float, float], tuple[float, float]]]
    """The first and the last day of each level, with its median."""


@dataclass
class LastingLevel:
    """Series that have been at their level since the same look."""

    start: int
    which: Whole
    """Numbers of series, ascending, also of those that have left: the detector keeps them."""
    is_here: Flags
    detector: Detector | None = None

    @classmethod
    def of(cls, start: int, which: Whole) -> LastingLevel:
        return cls(start, which, np.ones(len(which), dtype=bool))

    @property
    def here(self) -> Whole:
        return self.which[self.is_here]


@dataclass
class Course:
    """All looks so far, the changes in them, and the levels at which series are now."""

    series: int
    tolerance: float
    """A fraction."""
    run_length: float | None = None
    """Expected looks to a false alarm; None for FALSE_YEARS."""
    is_large: bool = False
    """Whether only what changed begins a level, as among thousands something changes often, and the
    values are in memory for the newest KEPT looks only, as in the detector."""
    is_known: bool = False
    """Whether changes are known already and set afterwards: looks are stored, not judged."""
    times: list[float] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    changes: list[LevelChange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.levels = [LastingLevel.of(0, np.arange(self.series))]
        """The one with most series first."""

    def look(self, time_s: float, values: Array, mark: bool = False) -> list[LevelChange]:
        """Takes a look and returns the changes that it shows. values: logarithms; mark: it begins
        a level."""
        self.times.append(time_s)
        self.values.append(values)
        if self.is_large:
            del self.values[:-KEPT]
        if self.is_known:
            return []
        if mark:
            self.levels = [LastingLevel.of(len(self.times) - 1, np.arange(self.series))]
            return []
        for level in self.levels:
            count = len(self.times) - level.start
            if count == FIRST_GAPS + 1 or (count > FIRST_GAPS and count & (count - 1) == 0):
                self._check_interval(level)
            if level.detector is not None:
                level.detector.look(time_s, values[level.which])
        return self._judge()

    def _check_interval(self, level: LastingLevel) -> None:
        """Starts the detector; restarts it where the time between looks has changed."""
        gaps = np.diff(self.times[level.start :])
        usual, detector = max(float(np.median(gaps)), 1.0), level.detector
        if detector is None or abs(math.log(usual / detector.interval_s)) > math.log(1.5):
            limit = self.run_length or max(YEAR_S / usual / FALSE_YEARS, LEAST_RUN_LENGTH)
            tolerance = math.log1p(self.tolerance)
            level.detector = Detector(len(level.which), limit, tolerance, usual)
            rows = self.rows(level.start, level.which)[:-1]
            for time_s, row in zip(self.times[-1 - len(rows) : -1], rows, strict=True):
                level.detector.look(time_s, row)

    def _judge(self) -> list[LevelChange]:
        """The evidence of all series is averaged, whatever their level. In a large system many may
        have changed by less than the tolerance: they are no evidence that others changed."""
        main, evidence = self.levels[0].detector, np.zeros(self.series)
        for level in self.levels:
            if level.detector is not None:
                evidence[level.here] = level.detector.evidence[level.is_here]
        changed = [] if main is None else changed_of(evidence, main.limit)
        possible = {series: self._change(series, float(evidence[series])) for series in changed}
        if self.is_large and main is not None:
            evidence[[series for series in changed if possible[series] is None]] = 0.0
            changed = changed_of(evidence, main.limit)
        changes = [change for series in changed if (change := possible[series]) is not None]
        changes = changes or self._hidden()
        if changes:
            self.changes += changes
            self._begin(min(change.at for change in changes), changes)
        return changes

    def _change(self, series: int, evidence: float) -> LevelChange | None:
        level, now = self.level_of(series), len(self.times) - 1
        assert level.detector is not None
        alarm = level.detector.alarm(int(np.searchsorted(level.which, series)), evidence)
        return alarm and LevelChange.of(series, alarm, now)

    def _hidden(self) -> list[LevelChange]:
        """The changes that a look back shows, at levels that are due for it."""
        changes: list[LevelChange] = []
        for level in self.levels:
            detector = level.detector
            steps = None if detector is None else detector.hidden()
            if detector is None or steps is None:
                continue
            places = np.flatnonzero(level.is_here)
            changed = places[changed_of(steps.evidence[places], detector.limit)]
            changes += [
                LevelChange.of(int(level.which[at]), steps.alarm(at), len(self.times) - 1)
                for at in changed.tolist()
            ]
        return changes

    def _begin(self, start: int, changes: list[LevelChange]) -> None:
        """Begins a level there, with the looks since: of what changed or, if not many, of all."""
        every = np.arange(self.series)
        which = np.unique([change.series for change in changes]) if self.is_large else every
        begun = LastingLevel.of(start, which)
        if len(self.times) - start > FIRST_GAPS:
            self._check_interval(begun)
            assert begun.detector is not None
            begun.detector.look(self.times[-1], self.values[-1][which])
        for level in self.levels:
            level.is_here &= ~np.isin(level.which, which)
        levels = [level for level in (*self.levels, begun) if level.is_here.any()]
        self.levels = sorted(levels, key=lambda level: -int(level.is_here.sum()))

    def level_of(self, series: int) -> LastingLevel:
        return next(level for level in self.levels if series in level.here)

    @property
    def level_start(self) -> int:
        """Where the level of most series began."""
        return self.levels[0].start

    @property
    def first_kept(self) -> int:
        """The index of the first look of which the values are in memory."""
        return len(self.times) - len(self.values)

    def rows(self, start: int, which: Whole) -> Array:
        """The values of these series in all looks from this one on that are in memory; shape
        (looks, series)."""
        return np.array([row[which] for row in self.values[max(start - self.first_kept, 0) :]])

    def drawn(
        self, series: int, started_s: Sequence[float], most: int, is_relative: bool
    ) -> SeriesCourse:
        """The looks whose values are in memory. started_s: of all looks, by the clock; most: marks;
        is_relative: over the median of the first level."""
        days = np.array(started_s[self.first_kept :]) / DAY_S
        changes = [c for c in self.changes if not self.is_large or c.series == series]
        starts = sorted({0, *(max(change.at - self.first_kept, 0) for change in changes)})
        bounds = list(pairwise([*starts, len(days)]))
        own = np.array([row[series] for row in self.values])
        own = own - (np.median(own[slice(*bounds[0])]) if is_relative else 0.0)

        def median_of(looks: Whole | slice) -> float:
            return float(np.exp(np.median(own[looks])))

        groups = np.array_split(np.arange(len(own)), min(len(own), most))
        marks = [(float(np.median(days[group])), median_of(group)) for group in groups]
        levels = [(first, last - 1, median_of(slice(first, last))) for first, last in bounds]
        return SeriesCourse(
            marks, [((days[first], at), (days[last], at)) for first, last, at in levels]
        )

    @property
    def is_learning(self) -> bool:
        """Whether the level of most series has too few looks to be judged."""
        detector = self.levels[0].detector
        return detector is None or detector.is_learning

    @property
    def week_known_s(self) -> float | None:
        """When changes within FIRST_TOLERANCE are looked for at the level of most series; None
        where they are already."""
        detector = self.levels[0].detector
        return None if detector is None else detector.week_known_s


def course_of(times: Array, values: Array, tolerance: float, run_length: float) -> Course:
    """The course of looks in the order of their times. values: logarithms, shape (looks, series);
    tolerance: a fraction."""
    course = Course(values.shape[1], tolerance, run_length)
    for time_s, row in zip(times, values, strict=True):
        course.look(float(time_s), row)
    return course

"""The course of a system that is looked at again and again: its levels, and where each began.

A change is reported once; the level after it is then what is usual, and the next looks are judged
against it. A mark (a planned change, another version) begins a level without a report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockney.infer.estimate.detector import KEPT, Detector
from hockney.infer.estimate.interval import Interval

Array = NDArray[np.float64]

YEAR_S = 365.25 * 86400.0
FALSE_YEARS = 0.05
"""Largest chance of a false alarm in a year of looks."""
LEAST_RUN_LENGTH = 6000.0
"""Expected looks to a false alarm, at least."""
FIRST_GAPS = 4
"""Gaps from which the usual time between looks is known."""
MANY = 1024
"""Series of which all looks are in memory; of more the newest KEPT, as many as the detector has."""


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

    @property
    def is_worse(self) -> bool:
        return self.ratio > 1.0


@dataclass
class Course:
    """All looks so far, the changes in them, and the detector of the current level."""

    series: int
    tolerance: float
    """A fraction."""
    run_length: float | None = None
    """Expected looks to a false alarm; None for FALSE_YEARS."""
    times: list[float] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    """Of each look; of more than MANY series of the newest looks only."""
    changes: list[LevelChange] = field(default_factory=list)
    level_start: int = 0
    detector: Detector | None = None
    is_known: bool = False
    """Whether changes are known already and set afterwards: looks are stored, not judged."""

    def look(self, time_s: float, values: Array, mark: bool = False) -> list[LevelChange]:
        """Takes a look and returns the changes that it shows. values: logarithms; mark: it begins
        a level."""
        self.times.append(time_s)
        self.values.append(values)
        if self.series > MANY:
            del self.values[:-KEPT]
        if self.is_known:
            return []
        if mark:
            self._begin(len(self.times) - 1)
            return []
        level = len(self.times) - self.level_start
        if level == FIRST_GAPS + 1 or (level > FIRST_GAPS and level & (level - 1) == 0):
            self._check_interval()
        if self.detector is None:
            return []
        self.detector.look(time_s, values)
        return self._judge()

    def _check_interval(self) -> None:
        """Starts the detector; restarts it where the time between looks has changed."""
        gaps = np.diff(self.times[self.level_start :])
        usual = max(float(np.median(gaps)), 1.0)
        if self.detector is None or abs(math.log(usual / self.detector.interval_s)) > math.log(1.5):
            limit = self.run_length or max(YEAR_S / usual / FALSE_YEARS, LEAST_RUN_LENGTH)
            self.detector = Detector(self.series, limit, math.log1p(self.tolerance), usual)
            rows = self.values[self._place_of(self.level_start) : -1]
            for time_s, row in zip(self.times[-1 - len(rows) : -1], rows, strict=True):
                self.detector.look(time_s, row)

    def _judge(self) -> list[LevelChange]:
        assert self.detector is not None
        now = len(self.times) - 1
        changes = [
            LevelChange(
                alarm.series,
                now - alarm.start,
                now - alarm.first,
                now - alarm.last,
                math.exp(alarm.size),
                alarm.interval.through(math.exp),
                alarm.evidence,
                now,
            )
            for alarm in self.detector.alarms()
        ]
        if changes:
            self.changes += changes
            self._begin(min(change.at for change in changes))
        return changes

    def _begin(self, start: int) -> None:
        """Begins a level there, with the looks since."""
        self.level_start, self.detector = start, None
        if len(self.times) - start > FIRST_GAPS:
            self._check_interval()
            assert self.detector is not None
            self.detector.look(self.times[-1], self.values[-1])

    @property
    def first_kept(self) -> int:
        """The index of the first look of which the values are in memory."""
        return len(self.times) - len(self.values)

    def _place_of(self, look: int) -> int:
        """Where the values from this look on begin, or all that are in memory."""
        return max(look - self.first_kept, 0)

    def rows(self, start: int) -> Array:
        """The values of all looks from this one on that are in memory; shape (looks, series)."""
        return np.array(self.values[self._place_of(start) :])

    @property
    def is_learning(self) -> bool:
        """Whether the current level has too few looks to be judged."""
        return self.detector is None or self.detector.is_learning


def course_of(times: Array, values: Array, tolerance: float, run_length: float) -> Course:
    """The course of looks in the order of their times. values: logarithms, shape (looks, series);
    tolerance: a fraction."""
    course = Course(values.shape[1], tolerance, run_length)
    for time_s, row in zip(times, values, strict=True):
        course.look(float(time_s), row)
    return course

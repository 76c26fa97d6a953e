"""Looks that are judged one after the other."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from hockney.infer.analysis.history.course import Course, LevelChange
from hockney.infer.analysis.history.outlying import SURE_AFTER, Outlying
from hockney.infer.analysis.history.parts import NO_PARTS, Order, Parts, nodes_of
from hockney.infer.analysis.history.readings import TIME, Reading, WatchedSeries
from hockney.infer.analysis.history.run_facts import RunFacts, shortened, system_label
from hockney.infer.arrays import Array, Flags, Whole

IDENTITY = ("hockney", "MPI version", "definition")
"""Facts whose change begins a level: results before and after are of different things."""
RECENT = 20
"""Number of the newest looks whose duration limits how often one is made, and whose values are
usual."""
LARGE = 128
"""A system of more nodes is large: its name, which is in each look, alarm and metric, lists no more
hosts, and something changes often."""
SAME_NODES = 0.9
"""Least fraction of the nodes of a large system that a look of it has."""
_FEW_WORDS = re.compile(r"(.+), \S+ and \d+ more \([0-9a-f]{8}\)")
"""The name of a large system without a label of the user's, and its words before the hosts."""


class Look(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line of the list: a look, or a mark, which has no file. A line of another version is
    computed from its result file again."""

    number: int
    started: str
    file: str = ""
    system: str = ""
    identity: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    """Empty where nothing was measured. Lists of earlier versions have the parts of a network
    here, too."""
    wall_s: float | None = None
    mark: str | None = None
    parts: tuple[int, int] | None = None
    """Where the file of parts has their order, and where what this look has of them."""
    outlying: tuple[Outlying, ...] = ()
    """What this look alone shows to be slow."""
    kind: str | None = None
    """RunFacts.kind; None in lists of earlier versions."""

    @property
    def started_s(self) -> float:
        return datetime.fromisoformat(self.started).timestamp()


def look_of(
    number: int, facts: RunFacts, readings: tuple[Reading, ...], wall_s: float | None
) -> Look:
    """The line of a look."""
    return Look(
        number,
        facts.started.isoformat(),
        Path(facts.file).name,
        name_of(facts.system, facts.kind),
        tuple(facts.facts.get(name, "") for name in IDENTITY),
        readings,
        wall_s,
        kind=facts.kind,
    )


def name_of(system: str, kind: str | None) -> str:
    """The name of a system, of a large one in few words; the user's label is kept as it is."""
    return system if kind == "" else shortened(system, LARGE)


def _kind_of(look: Look) -> str:
    """The system of a look of a large network without its hosts; empty with the user's label."""
    if look.kind is not None:
        return look.kind
    of_hosts = _FEW_WORDS.fullmatch(name_of(look.system, None))
    return of_hosts[1] if of_hosts else ""


def failed_look(number: int, started_s: float, file: str) -> Look:
    """A look in which nothing was measured; `file`: empty where none was kept."""
    started = datetime.fromtimestamp(started_s, timezone.utc)
    return Look(number, started.isoformat(), file)


def mark_of(number: int, text: str) -> Look:
    return Look(number, datetime.now(timezone.utc).isoformat(), mark=text)


class SeriesNow(NamedTuple):
    number: int
    """Its place among the series that are followed."""
    series: WatchedSeries
    value: float
    """Of the newest look."""
    usual: float
    """Median over the looks at the current level."""
    alarms: int
    """Changes for the worse so far."""

    @property
    def ratio(self) -> float:
        return self.value / self.usual


@dataclass
class Watched:
    """The looks of one system."""

    system: str
    series: tuple[WatchedSeries, ...]
    course: Course
    identity: tuple[str, ...]
    looks: list[Look] = field(default_factory=list)
    ahead_s: float = 0.0
    """What is added to the clock after it went back, so that times ascend."""
    is_marked: bool = False
    lacks: Flags = field(default_factory=lambda: np.empty(0, dtype=bool))
    """Which series the newest look lacks."""
    announced: set[str] = field(default_factory=set)
    """Words of what has been slow since an alarm of it was given."""
    changes_announced: int = 0
    """How many of the changes have been reported."""

    def __post_init__(self) -> None:
        self._place = {series: i for i, series in enumerate(self.series)}
        self._order: Order = ()
        self._places_in_order: Whole = np.empty(0, dtype=np.int64)

    @property
    def label(self) -> str:
        return self.system if self.looks[-1].kind == "" else system_label(self.system)

    @cached_property
    def nodes(self) -> frozenset[WatchedSeries]:
        return nodes_of(self.series)

    def now(self) -> list[SeriesNow]:
        """What the newest look has of each series, beside what is usual."""
        medians = np.empty(len(self.series))
        for level in self.course.levels:
            medians[level.here] = np.median(self.course.rows(level.start, level.here), axis=0)
        values, usual = np.exp(self.course.values[-1]).tolist(), np.exp(medians).tolist()
        alarms = Counter(change.series for change in self.course.changes if change.is_worse)
        return [
            SeriesNow(i, series, values[i], usual[i], alarms[i])
            for i, series in enumerate(self.series)
            if not self.lacks[i]
        ]

    @property
    def looks_at_level(self) -> int:
        return len(self.looks) - self.course.level_start

    @property
    def slower(self) -> LevelChange | None:
        """The largest change for the worse with which a current level began; None without."""
        here = (
            change
            for change in self.course.changes
            if change.at >= self.course.level_of(change.series).start
        )
        return max(
            (level_change for level_change in here if level_change.is_worse),
            key=lambda change: change.ratio,
            default=None,
        )

    @property
    def outlying(self) -> list[tuple[Outlying, int]]:
        """What the newest look alone shows to be slow, and how many looks in a row have shown
        it."""
        return [(part, self.looks_in_a_row(part)) for part in self.looks[-1].outlying]

    @property
    def lasting(self) -> list[Outlying]:
        """What enough looks in a row have shown to be slow."""
        return [part for part, looks in self.outlying if looks >= SURE_AFTER]

    @property
    def unannounced(self) -> list[Outlying]:
        """What an alarm is due for. It is not lost where the look that was the first to be sure of
        it failed after it had been listed."""
        return [part for part in self.lasting if part.words not in self.announced]

    @property
    def news(self) -> list[LevelChange]:
        """Changes that are to be reported, also of looks that were listed and then not judged,
        because their process died."""
        return self.course.changes[self.changes_announced :]

    @property
    def has_news(self) -> bool:
        return bool(self.news or self.unannounced)

    def announce(self) -> None:
        """Notes that all that was due was reported."""
        self.announced |= {part.words for part in self.lasting}
        self.changes_announced = len(self.course.changes)

    def announce_of_earlier_looks(self) -> None:
        """Where only the looks are left of a watch: what was due before the newest was reported
        then."""
        newest = len(self.looks) - 1
        self.announced |= {part.words for part, looks in self.outlying if looks > SURE_AFTER}
        self.changes_announced = sum(change.seen < newest for change in self.course.changes)

    def looks_in_a_row(self, part: Outlying) -> int:
        named = (part.words in {each.words for each in look.outlying} for look in self.looks[::-1])
        return sum(1 for _ in takewhile(bool, named))

    def has_times_of(self, look: Look) -> bool:
        times = {reading.series for reading in look.readings if reading.series.what == TIME}
        return times == {series for series in self.series if series.what == TIME}

    def numbers(self, look: Look, parts: Parts) -> tuple[Array, int]:
        """The logarithms of a look, NaN for those that it lacks, and how many it has besides."""
        values, more = np.full(len(self.series), math.nan), 0
        for reading in look.readings:
            at = self._place.get(reading.series)
            if at is None:
                more += 1
            else:
                values[at] = math.log(reading.value)
        if parts.order is not self._order:
            places = [self._place.get(series, -1) for series in parts.order]
            self._order, self._places_in_order = parts.order, np.array(places, dtype=np.int64)
        has, is_followed = ~np.isnan(parts.values), self._places_in_order >= 0
        both = has & is_followed
        values[self._places_in_order[both]] = np.log(parts.values[both])
        return values, more + int((has & ~is_followed).sum())

    def usual_if_lacking(self, values: Array) -> Array:
        """The values of a look, recent ones for those that it lacks."""
        self.lacks = np.isnan(values)
        if self.lacks.any():
            recent = np.array(self.course.values[-RECENT:])[:, self.lacks]
            values[self.lacks] = np.median(recent, axis=0)
        return values


def _unlike(lacks: int, more: int, count: int) -> list[str]:
    """Notes on what a look lacks of what is followed, and what it has besides."""
    notes = []
    if lacks:
        notes.append(f"this look lacks {lacks} of the {count} numbers that are followed")
    if more:
        what = f"{more} numbers are" if more > 1 else "1 number is"
        notes.append(
            f"{what} not followed, because the first look lacked it: follow it in another --dir"
        )
    return notes


def no_parts(_: Look) -> Parts:
    return NO_PARTS


@dataclass
class Shown:
    """What a look showed."""

    watched: Watched | None
    changes: list[LevelChange]
    notes: list[str]


class Watch:
    """All looks of a directory, judged one after the other."""

    def __init__(self, tolerance: float, parts_of: Callable[[Look], Parts] = no_parts) -> None:
        """parts_of: reads what the file of parts has of a look."""
        self.tolerance, self.parts_of = tolerance, parts_of
        self.systems: dict[str, Watched] = {}
        self.marks: list[Look] = []
        self.walls_s: list[float] = []
        self.last_s: float | None = None
        self.next_number = 1
        self.is_known = False

    def interval_s(self, duty: float) -> float:
        """The time between two looks that keeps to this part of the time; 0 before the first."""
        recent = self.walls_s[-RECENT:]
        return float(np.median(recent)) / duty if recent else 0.0

    def take(self, look: Look) -> Shown:
        """Judges a look. A mark holds for all systems."""
        self.next_number = max(self.next_number, look.number + 1)
        if look.mark is not None:
            self.marks.append(look)
            for watched in self.systems.values():
                watched.is_marked = True
            return Shown(None, [], [])
        self.last_s = look.started_s
        if look.wall_s:
            self.walls_s.append(look.wall_s)
        if not look.readings:
            return Shown(None, [], ["nothing was measured"])
        parts = self.parts_of(look)
        system = self._system_of(look, parts)
        if system not in self.systems:
            series = (*(reading.series for reading in look.readings), *parts.known)
            course = Course(
                len(series),
                self.tolerance,
                is_large=len(nodes_of(series)) > LARGE,
                is_known=self.is_known,
            )
            self.systems[system] = Watched(system, series, course, look.identity)
        watched = self.systems[system]
        if not watched.has_times_of(look):
            return Shown(None, [], [f"{look.file}: other sizes than the looks before: not judged"])
        values, more = watched.numbers(look, parts)
        values = watched.usual_if_lacking(values)
        notes = _unlike(int(watched.lacks.sum()), more, len(watched.series))
        return self._judged(watched, look, values, notes)

    def _system_of(self, look: Look, parts: Parts) -> str:
        """The name of the system of a look: of many nodes, of which some are down now and then, one
        that has most of them."""
        name = name_of(look.system, look.kind)
        if name in self.systems or len(parts.order) <= LARGE:
            return name
        kind, nodes = _kind_of(look), parts.nodes
        if not kind or len(nodes) <= LARGE:
            return name
        for other, watched in self.systems.items():
            shared = len(nodes & watched.nodes) / max(len(nodes), len(watched.nodes))
            if _kind_of(watched.looks[-1]) == kind and shared >= SAME_NODES:
                return other
        return name

    def _judged(self, watched: Watched, look: Look, values: Array, notes: list[str]) -> Shown:
        time_s = look.started_s + watched.ahead_s
        if watched.course.times and time_s <= watched.course.times[-1]:
            back_s = watched.course.times[-1] - time_s
            gaps = np.diff(watched.course.times)
            watched.ahead_s += back_s + (float(np.median(gaps)) if len(gaps) else 60.0)
            time_s = look.started_s + watched.ahead_s
            notes.append(f"the clock went back by {back_s:.0f} s: looks are kept in their order")
        if watched.identity != look.identity:
            changed = [
                f"{name} {before or '-'} -> {after or '-'}"
                for name, before, after in zip(
                    IDENTITY, watched.identity, look.identity, strict=True
                )
                if before != after
            ]
            notes.append(f"{', '.join(changed)}: a new level begins here, as with --mark")
            watched.identity, watched.is_marked = look.identity, True
        changes = watched.course.look(time_s, values, watched.is_marked)
        watched.is_marked = False
        watched.looks.append(look)
        watched.announced &= {part.words for part in look.outlying}
        return Shown(watched, changes, notes)

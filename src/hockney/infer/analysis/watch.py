"""Looks that are judged one after the other, and what judging them has led to."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from hockney import __version__
from hockney.infer.analysis.course import Course, LevelChange
from hockney.infer.analysis.histories import RunFacts
from hockney.infer.estimate.detector import detector_of, numbers_of

IDENTITY = ("hockney", "MPI version", "definition")
"""Facts whose change begins a level: results before and after are of different things."""
RECENT = 20
"""Newest looks whose duration says how often one may be made."""


class Look(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the list: a look, or a mark, which has no file."""

    number: int
    started: str
    file: str = ""
    system: str = ""
    identity: tuple[str, ...] = ()
    times_s: dict[str, float] = {}
    """The median time by message size in bytes; empty where nothing was measured."""
    wall_s: float | None = None
    mark: str | None = None

    @property
    def started_s(self) -> float:
        return datetime.fromisoformat(self.started).timestamp()


def look_of(number: int, facts: RunFacts, wall_s: float | None) -> Look:
    """The line of a look."""
    return Look(
        number,
        facts.started.isoformat(),
        Path(facts.file).name,
        facts.system,
        tuple(facts.facts.get(name, "") for name in IDENTITY),
        {str(size): times[0] for size, times in facts.latencies.items()},
        wall_s,
    )


def mark_of(number: int, text: str) -> Look:
    return Look(number, datetime.now(timezone.utc).isoformat(), mark=text)


class SizeNow(NamedTuple):
    bytes: int
    time_s: float
    """Median of the newest look."""
    usual_s: float
    """Median over the looks at the current level."""
    ratio: float
    alarms: int
    """Changes for the worse so far."""


@dataclass
class Watched:
    """The looks of one system."""

    system: str
    sizes: tuple[str, ...]
    course: Course
    identity: tuple[str, ...]
    looks: list[Look] = field(default_factory=list)
    ahead_s: float = 0.0
    """What is added to the clock, which once went back, so that time goes on."""
    is_marked: bool = False

    def sizes_now(self) -> list[SizeNow]:
        """The newest look of each size beside what is usual."""
        looks = self.looks[self.course.level_start :]
        found = []
        for number, size in enumerate(self.sizes):
            time_s = self.looks[-1].times_s[size]
            usual_s = float(np.median([look.times_s[size] for look in looks]))
            worse = [one for one in self.course.changes if one.series == number and one.is_worse]
            found.append(SizeNow(int(size), time_s, usual_s, time_s / usual_s, len(worse)))
        return found


@dataclass
class Shown:
    """What a look showed."""

    watched: Watched | None
    changes: list[LevelChange]
    notes: list[str]


class Watch:
    """All looks of a directory, judged one after the other."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.systems: dict[str, Watched] = {}
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
            for watched in self.systems.values():
                watched.is_marked = True
            return Shown(None, [], [])
        self.last_s = look.started_s
        if look.wall_s:
            self.walls_s.append(look.wall_s)
        if not look.times_s:
            return Shown(None, [], ["nothing was measured"])
        sizes = tuple(sorted(look.times_s, key=int))
        if look.system not in self.systems:
            course = Course(len(sizes), self.tolerance, is_known=self.is_known)
            self.systems[look.system] = Watched(look.system, sizes, course, look.identity)
        watched = self.systems[look.system]
        if watched.sizes != sizes:
            return Shown(None, [], [f"{look.file}: other sizes than the looks before: not judged"])
        return self._judged(watched, look)

    def _judged(self, watched: Watched, look: Look) -> Shown:
        notes, time_s = [], look.started_s + watched.ahead_s
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
        values = np.log([look.times_s[size] for size in watched.sizes])
        changes = watched.course.look(time_s, values, watched.is_marked)
        watched.is_marked = False
        watched.looks.append(look)
        return Shown(watched, changes, notes)


def state_of(watch: Watch, looks: Sequence[Look]) -> bytes:
    """What judging these looks has led to, so that the next process need not judge them again."""
    systems = []
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for number, (name, watched) in enumerate(watch.systems.items()):
        course = watched.course
        systems.append((name, course.level_start, course.changes, course.detector is not None))
        if course.detector is not None:
            for key, value in numbers_of(course.detector).items():
                arrays[f"{number} {key}"] = value
    about = _About(_key(watch, looks), systems)
    arrays["about"] = np.frombuffer(msgspec.json.encode(about), dtype=np.uint8)
    with io.BytesIO() as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()


def resume(watch: Watch, looks: Sequence[Look], state: bytes) -> int:
    """Takes the looks that a state holds, and returns their number; 0 where it is of other looks.
    Raises ValueError where the state is damaged; the watch is then of no use."""
    try:
        with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
            about = msgspec.json.decode(arrays["about"].tobytes(), type=_About)
            count = about.key[0]
            if _key(watch, looks[:count]) != about.key:
                return 0
            watch.is_known = True
            for look in looks[:count]:
                watch.take(look)
            watch.is_known = False
            for number, (system, level_start, changes, has_detector) in enumerate(about.systems):
                course = watch.systems[system].course
                course.is_known, course.level_start, course.changes = False, level_start, changes
                if has_detector:
                    before = f"{number} "
                    numbers = {k[len(before) :]: arrays[k] for k in arrays if k.startswith(before)}
                    course.detector = detector_of(numbers)
            return count
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(str(error)) from error


class _About(msgspec.Struct):
    key: tuple[int, str, float, str]
    systems: list[tuple[str, int, list[LevelChange], bool]]


def _key(watch: Watch, looks: Sequence[Look]) -> tuple[int, str, float, str]:
    """What a state is of: looks, the tolerance and the version."""
    content = hashlib.blake2b(digest_size=16)
    for look in looks:
        content.update(msgspec.json.encode(look))
    return len(looks), content.hexdigest(), watch.tolerance, __version__

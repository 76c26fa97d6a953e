"""The state of a watch after some looks, so that the next process need not judge them again."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from hockney import __version__
from hockney.infer.analysis.history.course import Course, LastingLevel, LevelChange
from hockney.infer.analysis.history.watch import Look, Watch
from hockney.infer.estimate.detector import detector_of, numbers_of


def state_of(watch: Watch, looks: Sequence[Look]) -> bytes:
    """The state after these looks, so that the next process need not judge them again."""
    systems, more, announced, changes_announced = [], [], [], []
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for number, (name, watched) in enumerate(watch.systems.items()):
        levels = watched.course.levels
        main = levels[0]
        systems.append((name, main.start, watched.course.changes, main.detector is not None))
        announced.append(sorted(watched.announced))
        changes_announced.append(watched.changes_announced)
        more.append([(level.start, level.detector is not None) for level in levels[1:]])
        for at, level in enumerate(levels):
            prefix, detector = _prefix(number, at), level.detector
            arrays |= {f"{prefix}which": level.which, f"{prefix}is_here": level.is_here}
            numbers = {} if detector is None else numbers_of(detector)
            arrays |= {f"{prefix}{key}": value for key, value in numbers.items()}
    about = _About(_key(watch, looks), systems, more, announced, changes_announced)
    arrays["about"] = np.frombuffer(msgspec.json.encode(about), dtype=np.uint8)
    with io.BytesIO() as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()


def resume(watch: Watch, looks: Sequence[Look], state: bytes) -> int:
    """Takes the looks that a state holds, and returns their number; 0 if they are not these.
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
            for number, (system, start, changes, has_detector) in enumerate(about.systems):
                watched = watch.systems[system]
                watched.announced = set(about.announced[number]) if about.announced else set()
                watched.changes_announced = (
                    about.changes_announced[number] if about.changes_announced else len(changes)
                )
                course = watched.course
                course.is_known, course.changes = False, changes
                others = about.more[number] if about.more else []
                course.levels = [
                    _level(course, arrays, _prefix(number, at), *level)
                    for at, level in enumerate([(start, has_detector), *others])
                ]
            return count
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(str(error)) from error


class _About(msgspec.Struct):
    key: tuple[int, str, float, str]
    systems: list[tuple[str, int, list[LevelChange], bool]]
    """Name; start of the level of most series, all changes, whether that level has a detector."""
    more: list[list[tuple[int, bool]]] = []
    """Of each system its other levels: start, and whether it has a detector."""
    announced: list[list[str]] = []
    """Of each system Watched.announced."""
    changes_announced: list[int] = []
    """Of each system Watched.changes_announced; states of earlier versions lack it: of all."""


def _prefix(system: int, level: int) -> str:
    """What the names of a level's arrays begin with."""
    return f"{system}.{level} " if level else f"{system} "


def _level(
    course: Course, arrays: Mapping[str, Any], prefix: str, start: int, has_detector: bool
) -> LastingLevel:
    numbers = {k.removeprefix(prefix): arrays[k] for k in arrays if k.startswith(prefix)}
    which = numbers.get("which", np.arange(course.series))
    level = LastingLevel(start, which, numbers.get("is_here", np.ones(len(which), dtype=bool)))
    if has_detector:
        rows = course.rows(start, which)
        level.detector = detector_of(numbers, course.times, rows)
    return level


def _key(watch: Watch, looks: Sequence[Look]) -> tuple[int, str, float, str]:
    """Identifies a state: its looks, the tolerance and the version."""
    content = hashlib.blake2b(digest_size=16)
    for look in looks:
        content.update(msgspec.json.encode(look))
    return len(looks), content.hexdigest(), watch.tolerance, __version__

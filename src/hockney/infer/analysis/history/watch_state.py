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
    systems: list[_KeptSystem] = []
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for number, (name, watched) in enumerate(watch.systems.items()):
        course = watched.course
        levels = [(level.start, level.detector is not None) for level in course.levels]
        announced = sorted(watched.announced), watched.changes_announced
        systems.append(_KeptSystem(name, course.changes, levels, *announced))
        for at, level in enumerate(course.levels):
            prefix, detector = _prefix(number, at), level.detector
            arrays |= {f"{prefix}which": level.which, f"{prefix}is_here": level.is_here}
            numbers = {} if detector is None else numbers_of(detector)
            arrays |= {f"{prefix}{key}": value for key, value in numbers.items()}
    kept = _KeptWatch(_key(watch, looks), systems)
    arrays["kept"] = np.frombuffer(msgspec.json.encode(kept), dtype=np.uint8)
    with io.BytesIO() as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()


def resume(watch: Watch, looks: Sequence[Look], state: bytes) -> int:
    """Takes the looks that a state holds, and returns their number; 0 if they are not these.
    Raises ValueError where the state is damaged; the watch is then of no use."""
    try:
        with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
            if "kept" not in arrays:
                return 0  # of an earlier version
            kept = msgspec.json.decode(arrays["kept"].tobytes(), type=_KeptWatch)
            count = kept.key[0]
            if _key(watch, looks[:count]) != kept.key:
                return 0
            watch.is_known = True
            for look in looks[:count]:
                watch.take(look)
            watch.is_known = False
            for number, system in enumerate(kept.systems):
                watched = watch.systems[system.name]
                watched.announced = set(system.announced)
                watched.changes_announced = system.changes_announced
                course = watched.course
                course.is_known, course.changes = False, system.changes
                course.levels = [
                    _level(course, arrays, _prefix(number, at), *level)
                    for at, level in enumerate(system.levels)
                ]
            return count
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(str(error)) from error


class _KeptSystem(msgspec.Struct):
    name: str
    changes: list[LevelChange]
    levels: list[tuple[int, bool]]
    """The start of each, and whether it has a detector."""
    announced: list[str]
    changes_announced: int


class _KeptWatch(msgspec.Struct):
    key: tuple[int, str, float, str]
    systems: list[_KeptSystem]


def _prefix(system: int, level: int) -> str:
    """What the names of a level's arrays begin with."""
    return f"{system}.{level} "


def _level(
    course: Course, arrays: Mapping[str, Any], prefix: str, start: int, has_detector: bool
) -> LastingLevel:
    numbers = {k.removeprefix(prefix): arrays[k] for k in arrays if k.startswith(prefix)}
    which = numbers["which"]
    rows = course.rows(start, which)
    detector = detector_of(numbers, course.times, rows) if has_detector else None
    return LastingLevel(start, which, numbers["is_here"], detector)


def _key(watch: Watch, looks: Sequence[Look]) -> tuple[int, str, float, str]:
    """Identifies a state: its looks, the tolerance and the version."""
    content = hashlib.blake2b(digest_size=16)
    for look in looks:
        content.update(msgspec.json.encode(look))
    return len(looks), content.hexdigest(), watch.tolerance, __version__

"""What `hockney watch` keeps: a directory with a result file a look and a list of all looks.

The list and, of networks, the file of parts hold what the detector needs of each look, in the order
of their numbers, whatever the clock says. What is damaged or missing there is made again from the
result files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import msgspec
from msgspec.structs import replace

from hockney.base.errors import HockneyError
from hockney.base.outputs import WAYS_OUT, append_whole, unwritable, write_output
from hockney.base.units import how_many
from hockney.infer.analysis.history.watch import Look
from hockney.run.measure.parts_file import PartsFile

LIST = "looks.jsonl"
FILE = re.compile(r"look-(\d{6,})\.jsonl")


def read_looks(
    directory: Path, look_of_file: Callable[[int, Path], Look | None], parts: PartsFile
) -> tuple[list[Look], list[str]]:
    """The looks of a directory, and what had to be repaired: lines that are damaged or missing are
    made again from the result files, and the list is rewritten."""
    path = directory / LIST
    every, damaged = _listed(path)
    known = [look for look in every if parts.holds(look)]
    lost = [look for look in every if not parts.holds(look)]
    known += [replace(look, parts=None) for look in lost if not (directory / look.file).exists()]
    listed = {look.file for look in known if look.file}
    missing = [(n, file) for n, file in look_files(directory) if file.name not in listed]
    if not damaged and not lost and not missing:
        return _in_order(known), []
    for number, file in missing:
        look = look_of_file(number, file) or Look(number, _changed(file), file.name)
        try:
            known.append(parts.store(look))
        except OSError as error:
            raise unwritable(parts.path, error) from error
    known = _in_order(known)
    lines = b"".join(msgspec.json.encode(look) + b"\n" for look in known)
    write_output(path, lines, force=True)
    facts = [f"{how_many(damaged, 'line')} {'was' if damaged == 1 else 'were'} damaged"] * bool(
        damaged
    )
    facts += [f"{parts.path.name} lacked {how_many(len(lost), 'look')}"] * bool(lost)
    facts += [f"{how_many(len(missing), 'look')} read from result files again"] * bool(missing)
    return known, [f"{path}: {'; '.join(facts)}"]


def last_number(directory: Path) -> int:
    """The largest number of a look, whether it left a file or failed without one; 0 before the
    first."""
    listed, _ = _listed(directory / LIST)
    numbers = [look.number for look in listed if look.mark is None]
    return max([*numbers, *(number for number, _ in look_files(directory))], default=0)


def _listed(path: Path) -> tuple[list[Look], int]:
    """The looks and marks of a list, and how many of its lines are damaged."""
    looks: list[Look] = []
    damaged = 0
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            looks.append(_checked(msgspec.json.decode(line, type=Look)))
        except ValueError:
            damaged += 1
    return looks, damaged


def _in_order(looks: list[Look]) -> list[Look]:
    """By number; a mark has that of the look after it."""
    return sorted(looks, key=lambda look: (look.number, look.mark is None))


def _checked(look: Look) -> Look:
    """Raises ValueError for impossible numbers."""
    _ = look.started_s
    if not all(
        0.0 < reading.value < math.inf and reading.series.bytes >= 0 for reading in look.readings
    ):
        raise ValueError("not a time")
    return look


def _changed(file: Path) -> str:
    return datetime.fromtimestamp(file.stat().st_mtime, timezone.utc).isoformat()


def look_files(directory: Path) -> Iterator[tuple[int, Path]]:
    """The result files by their number, ascending."""
    matches = [(FILE.fullmatch(path.name), path) for path in directory.glob("look-*.jsonl")]
    yield from sorted((int(match[1]), path) for match, path in matches if match)


def append_look(directory: Path, look: Look, parts: PartsFile | None = None) -> Look:
    """Adds a line, as a whole or not at all, and returns it. parts: where what the look has of the
    parts of a network goes. Raises HockneyError where the disk refuses."""
    path = directory / LIST
    if parts is not None:
        try:
            look = parts.store(look)
        except OSError as error:
            raise _not_added(look, parts.path, error) from error
    try:
        append_whole(path, msgspec.json.encode(look) + b"\n")
    except OSError as error:
        raise _not_added(look, path, error) from error
    return look


def _not_added(look: Look, path: Path, error: OSError) -> HockneyError:
    return HockneyError(
        f"{path} cannot be written: {error.strerror}"
        + (f"; the look is in {look.file}, and is added later" if look.file else ""),
        WAYS_OUT.get(error.errno or 0),
    )

"""Upgrades version 1 of the record format, which stored axes of a point in the algorithm's name.

Engines built before version 2 write such lines, too. Records of version 2 stay unchanged, and names
without axes are kept as names.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec

from hockney.errors import AskedWronglyError
from hockney.records.kinds import LaunchRecord, Samples, Summary
from hockney.spec.axes import COLD, MODES, NONBLOCKING, RETURNED, SEPARATE, STANDARD, Axes, Point
from hockney.spec.trains import Train
from hockney.spec.workloads.collective import NONBLOCKING as NONBLOCKING_COLLECTIVES
from hockney.units import format_size, parse_size

OF_TRAINS = frozenset({"train", "late"})
DELAYS_ALONE = 64
"""In version 1 a sample of a train without messages timed so many send delays; now it is one."""
WITHOUT_BUFFERS = frozenset({"handover", "copy"})
"""Operations that do not use the message buffers of the experiment."""
WITH_PAIRS = frozenset({"pairs", "cores"})
"""Experiments that measure the contention of pairs."""
_NUMBER = r"(\d{1,30}(?:\.\d{1,30})?(?:e[+-]\d{1,3})?)"
_DELAY = rf"{_NUMBER}\+{_NUMBER} ns"
_TRAIN = re.compile(rf"n (\d{{1,18}}), send delay {_DELAY}, receive delay {_DELAY}")
_WINDOW = re.compile(r"window (\d{1,9})")
_SEGMENTS = re.compile(r"(.+), (\d{1,18} (?:B|KiB|MiB|GiB)) segments")
_UNSEGMENTED = re.compile(r"(.+), unsegmented")
_OVERLAPPED = re.compile(r"(?:(.+), )?overlapped")


def upgrade(record: Samples | Summary, experiment: str, buffers: str | None) -> None:
    """Sets the axes of a record that was just read; `buffers` are those of its launch."""
    found: dict[str, Any] = _found(record, experiment, buffers)
    if isinstance(record, Samples) and divisor(found) > 1:
        found["ns"] = [ns / divisor(found) for ns in record.ns]
    for name, value in found.items():
        msgspec.structs.force_setattr(record, name, value)  # not shared yet


def upgraded(point: Point, experiment: str, buffers: str | None) -> tuple[Point, int]:
    """The point of samples, and what divides their times; `buffers` are those of the launch."""
    found = _found(point, experiment, buffers)
    return (msgspec.structs.replace(point, **found) if found else point), divisor(found)


def divisor(found: dict[str, Any]) -> int:
    """What divides the times of samples that have these axes now."""
    train = found.get("train")
    return DELAYS_ALONE if train is not None and train.messages == 0 else 1


def _found(record: Axes, experiment: str, buffers: str | None) -> dict[str, Any]:
    """The axes that version 1 held elsewhere."""
    found: dict[str, Any] = {}
    if record.algorithm is not None:
        found |= axes_in(record.operation, record.algorithm)
    if record.mode is None and record.operation == "pingpong":
        found = {"mode": STANDARD} | found
    if record.form is None and record.operation in NONBLOCKING_COLLECTIVES:
        found["form"] = NONBLOCKING
    ranks = record.ranks or 0
    # More than two ranks at once are several pairs, in any experiment.
    several = ranks > 2 or (experiment in WITH_PAIRS and ranks == 2)
    if record.pairs is None and record.is_one_pair and several:
        found["pairs"] = ranks // 2
    if buffers and record.buffers is None and record.operation not in WITHOUT_BUFFERS:
        found["buffers"] = buffers
    return found


@lru_cache(maxsize=4096)
def axes_in(operation: str, name: str) -> dict[str, Any]:
    """The axes in the name of an algorithm, with the remaining bare name."""
    if operation in OF_TRAINS:
        train = _train(name)
        return {} if train is None else {"algorithm": None, "train": train}
    if operation == "pingpong" and name in MODES:
        return {"algorithm": None, "mode": name}
    if window := _WINDOW.fullmatch(name):
        return {"algorithm": None, "window": int(window[1])}
    found: dict[str, Any] = {}
    if overlapped := _OVERLAPPED.fullmatch(name):
        found = {"algorithm": overlapped[1], "overlap": True}
        name = overlapped[1] or ""
    if segments := _SEGMENTS.fullmatch(name):
        size = _size(segments[2])
        if size is not None:
            found |= {"algorithm": segments[1], "segment_bytes": size}
    elif unsegmented := _UNSEGMENTED.fullmatch(name):
        found |= {"algorithm": unsegmented[1], "segment_bytes": 0}
    return found


def _size(text: str) -> int | None:
    """The size; None for text that version 1 did not write."""
    try:
        size = parse_size(text)
    except AskedWronglyError:
        return None
    return size if size and format_size(size) == text else None


def _train(name: str) -> Train | None:
    found = _TRAIN.fullmatch(name)
    try:
        return found and Train(
            messages=int(found[1]),
            send_delay_ns=float(found[2]),
            send_delay_ns_per_B=float(found[3]),
            receive_delay_ns=float(found[4]),
            receive_delay_ns_per_B=float(found[5]),
        )
    except ValueError:
        return None


def buffers_of(launch: LaunchRecord) -> str | None:
    """The buffers, which version 1 stored in the definition of a sample."""
    if launch.buffers is not None:
        return launch.buffers
    if launch.cold_bytes:
        return COLD
    definition = launch.definition or ""
    if definition.endswith(", one buffer"):
        return RETURNED
    return SEPARATE if definition.endswith(", two buffers") else None

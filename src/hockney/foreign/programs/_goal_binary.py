"""Reads GOAL in the binary form that LogGOPSim and ATLAHS replay and their txt2bin writes: public
traces of AI and HPC programs have it.

All numbers are little-endian, without padding: a mark, the number of ranks, for each where its
part begins and ends (counted from the end of the mark), and the parts: the operations, and a list
of those that wait for each.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hockney.base.errors import UsageError
from hockney.foreign.programs._goal_reading import (
    MOST_OPERATIONS,
    MOST_RANKS,
    GoalOperation,
    GoalRank,
    too_many,
)
from hockney.profiling.order import RECEIVE, SEND

MARK = (4223).to_bytes(8, "little")
HEAD = struct.Struct("<IBB")
"""The number of ranks, and the largest CPU and network interface."""
COUNTS = struct.Struct("<II")
"""A rank's number of operations, and of those that wait for nothing."""
OPERATION = np.dtype(
    [
        *(("waits", "<u4"), ("what", "u1"), ("peer", "<u4"), ("amount", "<u8")),
        *(("tag", "<u4"), ("cpu", "u1"), ("interface", "u1")),
        *(("ended", "<u4"), ("ended_at", "<u4"), ("started", "<u4"), ("started_at", "<u4")),
    ]
)
"""`ended`, `started`: how many operations wait until it has ended, or started, and the place of the
first of them in the list."""
WHAT = {1: SEND, 2: RECEIVE, 3: 0}
ANY = 2**32 - 1
MOST_BYTES = 64 * MOST_OPERATIONS


def ranks_in(content: bytes, path: Path) -> Iterator[int | GoalRank]:
    """First the number of ranks, then each rank with its operations. Raises UsageError where the
    file is damaged."""
    content = content[len(MARK) :]
    if len(content) < HEAD.size:
        raise UsageError(f"{path} ends early, before its number of ranks")
    world, _, _ = HEAD.unpack_from(content)
    if not 0 < world <= MOST_RANKS:
        raise UsageError(f"{path}: {world} ranks are out of range")
    if len(content) < HEAD.size + 16 * world:
        raise UsageError(f"{path} ends early, before its {world} ranks")
    yield world
    bounds = np.frombuffer(content, "<u8", 2 * world, HEAD.size).reshape(world, 2).tolist()
    count = 0
    for number, (start, end) in enumerate(bounds):
        if not HEAD.size + 16 * world <= start <= end <= len(content):
            raise UsageError(f"{path}: rank {number} lies outside of the file, which ends early")
        rank = _rank(number, content[start:end], path)
        count += len(rank.operations)
        if count > MOST_OPERATIONS:
            raise too_many(path)
        yield rank


def _rank(number: int, part: bytes, path: Path) -> GoalRank:
    damaged = UsageError(f"{path}: rank {number} is damaged", "make the file again with txt2bin")
    if len(part) < COUNTS.size:
        raise damaged
    count, roots = COUNTS.unpack_from(part)
    at = COUNTS.size + 4 * roots
    behind = at + OPERATION.itemsize * count
    if behind > len(part) or (len(part) - behind) % 4:
        raise damaged
    each = np.frombuffer(part, OPERATION, count, at)
    waiting = np.frombuffer(part, "<u4", offset=behind)
    known = np.isin(each["what"], list(WHAT)).all()
    if not known or waiting.max(initial=0) >= max(count, 1):
        raise damaged
    messages = each[each["what"] != 3]
    if (messages["peer"] == ANY).any():
        raise UsageError(
            f"{path}: rank {number} receives from any source",
            "its order is not known before it runs",
        )
    rank = GoalRank(number, 0)
    rank.operations = [
        GoalOperation(WHAT[what], amount, peer, tag)
        for what, amount, peer, tag in zip(
            *(each[name].tolist() for name in ("what", "amount", "peer", "tag")), strict=True
        )
    ]
    rank.cpus = {str(cpu) for cpu in np.unique(each["cpu"][each["what"] == 3]).tolist()}
    for how in ("ended", "started"):
        for first, second in _waits(each[how], each[f"{how}_at"], waiting, damaged):
            getattr(rank.operations[second], how).append(first)
    return rank


def _waits(
    counts: NDArray[np.uint32],
    places: NDArray[np.uint32],
    waiting: NDArray[np.uint32],
    damaged: UsageError,
) -> Iterator[tuple[int, int]]:
    """Each operation with one that waits for it."""
    for first in np.flatnonzero(counts).tolist():
        start, end = int(places[first]), int(places[first]) + int(counts[first])
        if end > len(waiting):
            raise damaged
        for second in waiting[start:end].tolist():
            yield first, second

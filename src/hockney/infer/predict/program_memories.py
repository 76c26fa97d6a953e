"""Times of a program's messages from memory of accelerators by each measured way: by the library,
staged through the host, or as if from memory of the host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.grouping import by_key
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.memories import HOST, staging_text
from hockney.profiling.expected import times_of
from hockney.profiling.kinds import Calls, Profile
from hockney.profiling.summary import sends

BY_LIBRARY, FROM_HOST = "by the library", "from memory of the host"


@dataclass(frozen=True)
class WayTime:
    """The messages of a program from one memory, by one way."""

    memory: str
    way: str
    messages: int
    bytes: int
    seconds: float
    """By the measured times, one message after the other."""
    ratio: float | None
    """Over `by the library`; None if that was not measured."""


def ways_of(profile: Profile, points: Sequence[PointEstimate]) -> list[WayTime]:
    """A row for each memory but the host's and each measured way, the fastest first. Messages to
    the ranks of other memories count as between two of the sender's."""
    curves: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for point in points:
        if point.memory is not None and point.peer_memory is None and point.typical_s > 0.0:
            curves[point.memory, _way(point)].setdefault(point.bytes, point.typical_s)
    sent = [
        calls
        for calls in profile.calls
        if sends(calls) and calls.peer is not None and calls.memory != HOST
    ]
    by_memory = by_key(sent, lambda calls: calls.memory)
    return [row for memory, of_it in by_memory.items() for row in _rows(memory, of_it, curves)]


def _way(point: PointEstimate) -> str:
    if point.memory == HOST:
        return FROM_HOST
    return BY_LIBRARY if point.staging is None else staging_text(point.staging)


def _rows(
    memory: str, sent: Sequence[Calls], curves: dict[tuple[str, str], dict[int, float]]
) -> list[WayTime]:
    seconds = {}
    for (of, way), curve in curves.items():
        if of in (memory, HOST):
            times = times_of(tuple(curve.items()))
            if times is None:
                continue
            seconds[way] = sum(
                calls.count * times.message_s(calls.bytes_sum / calls.count) for calls in sent
            )
    base = seconds.get(BY_LIBRARY)
    messages, bytes_ = sum(calls.count for calls in sent), sum(calls.bytes_sum for calls in sent)
    return [
        WayTime(memory, way, messages, bytes_, spent, spent / base if base else None)
        for way, spent in sorted(seconds.items(), key=lambda item: item[1])
    ]

"""How long calls waited for other ranks: the same call on several ranks, side by side on one clock.

A receive waits until its message is sent (late sender), a send that cannot complete alone until it
is received (late receiver), a collective until the last rank arrives that it needs. Ranks of one
host share a clock; between hosts it is unknown who waited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hockney.profiles.layout import CELLS, RECEIVED, SENT, RankFile, Records

FROM_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
"""Collectives in which all wait for the root alone."""
TO_ROOT = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
"""Collectives in which the root alone waits."""
EXCHANGES = frozenset({"MPI_Sendrecv", "MPI_Sendrecv_replace"})
"""Calls that send and receive: they are taken to wait for what they receive."""


@dataclass(frozen=True)
class Waits:
    """What is known of one rank's waiting, by its cells."""

    seen: NDArray[np.int64]
    """Calls of each cell that could be set beside those of other ranks."""
    seconds: NDArray[np.float64]
    """The time these waited."""


@dataclass(frozen=True)
class Waited:
    """One call that waited."""

    rank: int
    cell: int
    enter: float
    exit: float
    seconds: float
    blamed: int | None
    """The rank that it waited for; None where it waited for nobody."""


def waits_of(files: Sequence[RankFile]) -> tuple[list[Waits], NDArray[np.float64]]:
    """The waits of each of these ranks (of one job), and [i, j]: the seconds that rank i waited for
    rank j in the calls that were seen."""
    found = [*_messages(files), *_collectives(files)]
    waits = [Waits(np.zeros(CELLS, np.int64), np.zeros(CELLS)) for _ in files]
    blamed = np.zeros((len(files), len(files)))
    for one in _without_repeats(found):
        waits[one.rank].seen[one.cell] += 1
        waits[one.rank].seconds[one.cell] += one.seconds
        if one.blamed is not None:
            blamed[one.rank, one.blamed] += one.seconds
    return waits, blamed


def _without_repeats(found: Sequence[Waited]) -> Iterator[Waited]:
    """One call that completes several requests waits for the last of them alone."""
    longest: dict[tuple[int, float, float], float] = {}
    for one in found:
        key = one.rank, one.enter, one.exit
        longest[key] = max(longest.get(key, 0.0), one.seconds)
    counted: set[tuple[int, float, float]] = set()
    for one in found:
        key = one.rank, one.enter, one.exit
        if one.seconds < longest[key] or key in counted:
            yield Waited(one.rank, one.cell, one.enter, one.exit, 0.0, None)
        else:
            counted.add(key)
            yield one


def _clipped(until: float, enter: float, exit_: float) -> float:
    return min(max(until - enter, 0.0), exit_ - enter)


def _messages(files: Sequence[RankFile]) -> Iterator[Waited]:
    """Each message whose two ends were kept."""
    ranks = {int(file.header["rank"]): place for place, file in enumerate(files)}
    sent: dict[tuple[int, ...], tuple[int, float, float]] = {}
    for file in files:
        for event, enter, exit_ in _timed(file, file.messages):
            if event["kind"] == SENT:
                key = _channel(event, int(file.header["rank"]), int(event["peer"]))
                sent[key] = int(event["cell"]), enter, exit_
    for place, file in enumerate(files):
        for event, enter, exit_ in _timed(file, file.messages):
            if event["kind"] != RECEIVED:
                continue
            key = _channel(event, int(event["peer"]), int(file.header["rank"]))
            other, start = ranks.get(int(event["peer"])), sent.get(key)
            if other is None or start is None or not _same_clock(file, files[other]):
                continue
            cell, sent_enter, sent_exit = start
            late = _clipped(sent_enter, enter, exit_)
            yield Waited(place, int(event["cell"]), enter, exit_, late, other if late else None)
            if _name(files[other], cell) in EXCHANGES:
                continue
            blocked = sent_exit > enter
            late = _clipped(enter, sent_enter, sent_exit) if blocked else 0.0
            yield Waited(other, cell, sent_enter, sent_exit, late, place if late else None)


def _name(file: RankFile, cell: int) -> str:
    return file.names[int(file.cells[cell]["call"]) - 1]


def _timed(file: RankFile, events: Records) -> Iterator[tuple[Records, float, float]]:
    enters, exits = file.seconds_at(events["enter"]), file.seconds_at(events["exit"])
    yield from zip(events, enters.tolist(), exits.tolist(), strict=True)


def _channel(event: Records, source: int, target: int) -> tuple[int, ...]:
    return int(event["members"]), source, target, int(event["tag"]), int(event["number"])


def _same_clock(a: RankFile, b: RankFile) -> bool:
    """Whether two ranks ran under one kernel, and read the same clock."""
    return bool(a.header["boot"] and a.header["boot"] == b.header["boot"])


@dataclass(frozen=True)
class _Arrival:
    place: int
    cell: int
    enter: float
    exit: float


def _collectives(files: Sequence[RankFile]) -> Iterator[Waited]:
    calls: dict[tuple[int, int], list[_Arrival]] = {}
    sizes: dict[int, int] = {}
    for place, file in enumerate(files):
        sizes |= {int(group["members"]): int(group["size"]) for group in file.groups}
        for event, enter, exit_ in _timed(file, file.collectives):
            arrival = _Arrival(place, int(event["cell"]), enter, exit_)
            calls.setdefault((int(event["members"]), int(event["number"])), []).append(arrival)
    for (members, _), arrivals in calls.items():
        first = files[arrivals[0].place]
        if len(arrivals) == sizes.get(members) and all(
            _same_clock(first, files[one.place]) for one in arrivals
        ):
            yield from _in_collective(files, arrivals)


def _in_collective(files: Sequence[RankFile], arrivals: Sequence[_Arrival]) -> Iterator[Waited]:
    of_first = files[arrivals[0].place]
    cell = of_first.cells[arrivals[0].cell]
    name, root = _name(of_first, arrivals[0].cell), int(cell["peer"])
    last = max(arrivals, key=lambda one: one.enter)
    roots = [one for one in arrivals if int(files[one.place].header["rank"]) == root]
    for one in arrivals:
        needed: _Arrival | None = last
        if name in FROM_ROOT:
            needed = roots[0] if roots else None
        elif name in TO_ROOT and one not in roots:
            needed = None
        late = _clipped(needed.enter, one.enter, one.exit) if needed else 0.0
        yield Waited(
            one.place,
            one.cell,
            one.enter,
            one.exit,
            late,
            needed.place if needed and late else None,
        )

"""How long calls waited for other ranks: the same call on several ranks, side by side on one clock.

A receive waits until its message is sent (late sender), a send that cannot complete alone until it
is received (late receiver), a collective until the last rank arrives that it needs. Ranks of one
host share a clock. Those of several are compared by what the program exchanged (clocks.py): waits
that are shorter than the error of that count as none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hockney.profiling.clocks import ClockOffset, Precedence, clocks_of
from hockney.profiling.layout import CELLS, RECEIVED, SENT, RankFile, Records, text

FROM_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
"""Collectives in which all wait for the root alone."""
TO_ROOT = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
"""Collectives in which the root alone waits."""
OF_ALL = frozenset(f"MPI_{name}" for name in ("Barrier", "Allreduce", "Allgather", "Alltoall"))
"""Collectives that no rank leaves before all have come."""
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


@dataclass(frozen=True)
class _End:
    """One call on one rank; its moments are on the clock of the rank's host."""

    place: int
    cell: int
    enter: float
    exit: float

    def on(self, clock: ClockOffset | None) -> _End:
        """On the clock of the first rank, where that is known."""
        if clock is None:
            return self
        return replace(self, enter=clock.reference_s(self.enter), exit=clock.reference_s(self.exit))


def waits_of(
    files: Sequence[RankFile],
) -> tuple[list[Waits], NDArray[np.float64], list[float | None]]:
    """The waits of each of these ranks (of one job); [i, j]: the seconds that rank i waited for
    rank j in the calls that were seen; and the error of each rank's clock, None where it could not
    be compared with the first rank's."""
    messages, collectives = list(_messages(files)), list(_collectives(files))
    boots = [text(file.header["boot"]) for file in files]
    orders: list[Precedence] = []
    if len(set(boots)) > 1:
        orders += (
            Precedence(sent.place, sent.enter, got.place, got.exit) for sent, got in messages
        )
        orders += (one for arrivals in collectives for one in _orders(files, arrivals))
    clocks = clocks_of(boots, orders)
    found: list[Waited] = []
    for ends, waited in ((messages, _in_message), (collectives, _in_collective)):
        for those in ends:
            error = _error(boots, clocks, those)
            if error is None:
                continue
            placed = [one.on(clocks[one.place]) for one in those] if orders else those
            found += (_over(one, error) for one in waited(files, placed))
    waits = [Waits(np.zeros(CELLS, np.int64), np.zeros(CELLS)) for _ in files]
    blamed = np.zeros((len(files), len(files)))
    for one in _without_repeats(found):
        waits[one.rank].seen[one.cell] += 1
        waits[one.rank].seconds[one.cell] += one.seconds
        if one.blamed is not None:
            blamed[one.rank, one.blamed] += one.seconds
    return waits, blamed, [None if clock is None else clock.error_s for clock in clocks]


def _error(
    boots: Sequence[str], clocks: Sequence[ClockOffset | None], ends: Sequence[_End]
) -> float | None:
    """By how much moments of these calls may be off each other; None where that is unknown."""
    of_hosts = {boots[one.place]: clocks[one.place] for one in ends}
    if len(of_hosts) == 1 and "" not in of_hosts:
        return 0.0
    errors = [clock.error_s for clock in of_hosts.values() if clock is not None]
    return sum(sorted(errors)[-2:]) if len(errors) == len(of_hosts) else None


def _over(one: Waited, error: float) -> Waited:
    return one if one.seconds > error else replace(one, seconds=0.0, blamed=None)


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


def _messages(files: Sequence[RankFile]) -> Iterator[tuple[_End, _End]]:
    """The send and the receive of each message of which both were kept."""
    ranks = {int(file.header["rank"]): place for place, file in enumerate(files)}
    sent: dict[tuple[int, ...], _End] = {}
    for place, file in enumerate(files):
        for event, enter, exit_ in _timed(file, file.messages):
            if event["kind"] == SENT:
                key = _channel(event, int(file.header["rank"]), int(event["peer"]))
                sent[key] = _End(place, int(event["cell"]), enter, exit_)
    for place, file in enumerate(files):
        for event, enter, exit_ in _timed(file, file.messages):
            if event["kind"] != RECEIVED or int(event["peer"]) not in ranks:
                continue
            start = sent.get(_channel(event, int(event["peer"]), int(file.header["rank"])))
            if start is not None:
                yield start, _End(place, int(event["cell"]), enter, exit_)


def _in_message(files: Sequence[RankFile], ends: Sequence[_End]) -> Iterator[Waited]:
    sent, got = ends
    late = _clipped(sent.enter, got.enter, got.exit)
    yield Waited(got.place, got.cell, got.enter, got.exit, late, sent.place if late else None)
    if _name(files[sent.place], sent.cell) in EXCHANGES:
        return
    late = _clipped(got.enter, sent.enter, sent.exit) if sent.exit > got.enter else 0.0
    yield Waited(sent.place, sent.cell, sent.enter, sent.exit, late, got.place if late else None)


def _name(file: RankFile, cell: int) -> str:
    return file.names[int(file.cells[cell]["call"]) - 1]


def _timed(file: RankFile, events: Records) -> Iterator[tuple[Records, float, float]]:
    enters, exits = file.seconds_at(events["enter"]), file.seconds_at(events["exit"])
    yield from zip(events, enters.tolist(), exits.tolist(), strict=True)


def _channel(event: Records, source: int, target: int) -> tuple[int, ...]:
    return int(event["members"]), source, target, int(event["tag"]), int(event["number"])


def _collectives(files: Sequence[RankFile]) -> Iterator[list[_End]]:
    """Each collective that was kept by all of its ranks."""
    calls: dict[tuple[int, int], list[_End]] = {}
    sizes: dict[int, int] = {}
    for place, file in enumerate(files):
        sizes |= {int(group["members"]): int(group["size"]) for group in file.groups}
        for event, enter, exit_ in _timed(file, file.collectives):
            end = _End(place, int(event["cell"]), enter, exit_)
            calls.setdefault((int(event["members"]), int(event["number"])), []).append(end)
    for (members, _), arrivals in calls.items():
        if len(arrivals) == sizes.get(members):
            yield arrivals


def _orders(files: Sequence[RankFile], arrivals: Sequence[_End]) -> Iterator[Precedence]:
    """Who cannot have left before whom came, where all wait for all. Those without data may not."""
    first = arrivals[0]
    name = _name(files[first.place], first.cell)
    if name not in OF_ALL or (
        name != "MPI_Barrier" and not files[first.place].cells[first.cell]["bytes"]
    ):
        return
    last: dict[bytes, _End] = {}
    for one in arrivals:
        boot = bytes(files[one.place].header["boot"])
        last[boot] = max(last.get(boot, one), one, key=lambda end: end.enter)
    for one in arrivals if len(last) > 1 else ():
        for other in last.values():
            yield Precedence(other.place, other.enter, one.place, one.exit)


def _in_collective(files: Sequence[RankFile], arrivals: Sequence[_End]) -> Iterator[Waited]:
    of_first = files[arrivals[0].place]
    cell = of_first.cells[arrivals[0].cell]
    name, root = _name(of_first, arrivals[0].cell), int(cell["peer"])
    last = max(arrivals, key=lambda one: one.enter)
    roots = [one for one in arrivals if int(files[one.place].header["rank"]) == root]
    for one in arrivals:
        needed: _End | None = last
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

"""Waiting times of calls for other ranks, from the same call on several ranks on one clock.

A receive waits until its message is sent (late sender), a send that cannot complete alone until it
is received (late receiver), a collective until the last rank arrives that it needs. Ranks of one
host share a clock. Clocks of several hosts are compared by the program's messages (clocks.py);
waits shorter than the error of that count as none.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockney.profiling.clocks import ClockOffset, Precedence, clocks_of
from hockney.profiling.layout import CELLS, RECEIVED, SENT, RankFile, Records, text

FROM_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
"""Collectives in which all ranks wait only for the root."""
TO_ROOT = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
"""Collectives in which only the root waits."""
OF_ALL = frozenset(f"MPI_{name}" for name in ("Barrier", "Allreduce", "Allgather", "Alltoall"))
"""Collectives that no rank leaves before all have come."""
OF_PREVIOUS = frozenset({"MPI_Scan", "MPI_Exscan"})
"""Collectives in which a rank waits for those before it."""
OF_NEIGHBORS = "MPI_Neighbor"
"""Begins the names of collectives of neighbours: which ranks these are was not recorded."""
EXCHANGES = frozenset({"MPI_Sendrecv", "MPI_Sendrecv_replace"})
"""Calls that send and receive, and are assumed to wait for what they receive."""


@dataclass(frozen=True)
class Waits:
    """Waiting of one rank, by the cells of its table."""

    seen: NDArray[np.int64]
    """Number of calls of each cell that were matched with those of other ranks."""
    seconds: NDArray[np.float64]
    """Waiting time of these calls."""


@dataclass(frozen=True)
class _End:
    """One call on one rank, by the clock of the rank's host."""

    place: int
    cell: int
    enter: float
    exit: float

    def on(self, clock: ClockOffset | None) -> _End:
        """The call by the first rank's clock, if that is known."""
        if clock is None:
            return self
        return replace(self, enter=clock.reference_s(self.enter), exit=clock.reference_s(self.exit))


class _Waited(NamedTuple):
    """One call that waited."""

    call: _End
    seconds: float
    blamed: int | None
    """The rank that it waited for; None without waiting."""

    @classmethod
    def until(cls, other: _End, call: _End) -> _Waited:
        """Waiting of the call until the other began."""
        late = min(max(other.enter - call.enter, 0.0), call.exit - call.enter)
        return cls(call, late, other.place if late else None)


def waits_of(
    files: Sequence[RankFile],
) -> tuple[list[Waits], NDArray[np.float64], list[float | None]]:
    """The waits of the ranks of one job; [i, j]: the seconds that rank i waited for rank j in
    matched calls; and the error of each rank's clock, None if it cannot be compared with the first
    rank's."""
    messages, collectives = list(_messages(files)), list(_collectives(files))
    boots = [text(file.header["boot"]) for file in files]
    orders: list[Precedence] = []
    if len(set(boots)) > 1:
        orders += (
            Precedence(sent.place, sent.enter, got.place, got.exit) for sent, got in messages
        )
        orders += (order for arrivals in collectives for order in _orders(files, arrivals))
    clocks = clocks_of(boots, orders)
    waited_calls: list[_Waited] = []
    for ends, waited in ((messages, _in_message), (collectives, _in_collective)):
        for those in ends:
            error = _error(boots, clocks, those)
            if error is None:
                continue
            placed = [end.on(clocks[end.place]) for end in those] if orders else those
            waited_calls += (
                wait if wait.seconds > error else _Waited(wait.call, 0.0, None)
                for wait in waited(files, placed, error)
            )
    waits = [Waits(np.zeros(CELLS, np.int64), np.zeros(CELLS)) for _ in files]
    blamed = np.zeros((len(files), len(files)))
    for call, seconds, other in _without_repeats(waited_calls):
        waits[call.place].seen[call.cell] += 1
        waits[call.place].seconds[call.cell] += seconds
        if other is not None:
            blamed[call.place, other] += seconds
    return waits, blamed, [None if clock is None else clock.error_s for clock in clocks]


def _error(
    boots: Sequence[str], clocks: Sequence[ClockOffset | None], ends: Sequence[_End]
) -> float | None:
    """Largest error between the times of these calls; None if unknown."""
    of_hosts = {boots[end.place]: clocks[end.place] for end in ends}
    if len(of_hosts) == 1 and "" not in of_hosts:
        return 0.0
    errors = [clock.error_s for clock in of_hosts.values() if clock is not None]
    return sum(sorted(errors)[-2:]) if len(errors) == len(of_hosts) else None


def _without_repeats(waited_calls: Sequence[_Waited]) -> Iterator[_Waited]:
    """Waits without repeats: a call that completes several requests waits only for the last of
    them."""
    longest: dict[tuple[int, float, float], float] = {}
    for call, seconds, _ in waited_calls:
        key = call.place, call.enter, call.exit
        longest[key] = max(longest.get(key, 0.0), seconds)
    counted: set[tuple[int, float, float]] = set()
    for wait in waited_calls:
        key = wait.call.place, wait.call.enter, wait.call.exit
        if wait.seconds < longest[key] or key in counted:
            yield _Waited(wait.call, 0.0, None)
        else:
            counted.add(key)
            yield wait


def _messages(files: Sequence[RankFile]) -> Iterator[tuple[_End, _End]]:
    """The send and the receive of each message with both ends recorded."""
    ranks = {int(file.header["rank"]) for file in files}
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


def _in_message(
    files: Sequence[RankFile],
    ends: Sequence[_End],
    _: float,
) -> Iterator[_Waited]:
    sent, got = ends
    yield _Waited.until(sent, got)
    if _name(files[sent.place], sent.cell) in EXCHANGES:
        return
    yield _Waited.until(got, sent) if sent.exit > got.enter else _Waited(sent, 0.0, None)


def _name(file: RankFile, cell: int) -> str:
    return file.names[int(file.cells[cell]["call"]) - 1]


def _timed(file: RankFile, events: Records) -> Iterator[tuple[Records, float, float]]:
    enters, exits = file.seconds_at(events["enter"]), file.seconds_at(events["exit"])
    yield from zip(events, enters.tolist(), exits.tolist(), strict=True)


def _channel(event: Records, source: int, target: int) -> tuple[int, ...]:
    return int(event["members"]), source, target, int(event["tag"]), int(event["number"])


def _collectives(files: Sequence[RankFile]) -> Iterator[list[_End]]:
    """Each collective that all of its ranks recorded."""
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
    """Precedences of a collective in which all ranks wait for all; without data they may not."""
    first = arrivals[0]
    name = _name(files[first.place], first.cell)
    if name not in OF_ALL or (
        name != "MPI_Barrier" and not files[first.place].cells[first.cell]["bytes"]
    ):
        return
    last: dict[bytes, _End] = {}
    for arrival in arrivals:
        boot = bytes(files[arrival.place].header["boot"])
        last[boot] = max(last.get(boot, arrival), arrival, key=lambda end: end.enter)
    for arrival in arrivals if len(last) > 1 else ():
        for other in last.values():
            yield Precedence(other.place, other.enter, arrival.place, arrival.exit)


def _in_collective(
    files: Sequence[RankFile], arrivals: Sequence[_End], error: float
) -> Iterator[_Waited]:
    name = _name(files[arrivals[0].place], arrivals[0].cell)
    if name.startswith(OF_NEIGHBORS):
        return
    for here, needed in zip(arrivals, _needed(files, name, arrivals, error), strict=True):
        yield _Waited.until(needed, here) if needed else _Waited(here, 0.0, None)


def _needed(
    files: Sequence[RankFile], name: str, arrivals: Sequence[_End], error: float
) -> list[_End | None]:
    """The rank that each arrival of a collective needed last; None if it waits for nobody."""
    by_enter = sorted(arrivals, key=lambda arrival: arrival.enter)
    if name in OF_ALL:
        return [by_enter[-1]] * len(arrivals)
    if name in OF_PREVIOUS:
        return _last_before(files, arrivals)
    first = files[arrivals[0].place]
    root = int(first.cells[arrivals[0].cell]["peer"])
    is_root = [int(files[arrival.place].header["rank"]) == root for arrival in arrivals]
    if name in FROM_ROOT:
        return [next(compress(arrivals, is_root), None)] * len(arrivals)
    if name in TO_ROOT:
        return [by_enter[-1] if waits else None for waits in is_root]
    # Without data for each other, ranks need not wait: who left before did not.
    enters = [arrival.enter for arrival in by_enter]
    return [by_enter[max(bisect(enters, end.exit + error), 1) - 1] for end in arrivals]


def _last_before(files: Sequence[RankFile], arrivals: Sequence[_End]) -> list[_End | None]:
    """For each arrival the last of it and of those before it in the communicator."""
    last: dict[int, _End] = {}
    latest = None
    for arrival in sorted(arrivals, key=lambda end: _rank_within(files, end)):
        latest = max(latest or arrival, arrival, key=lambda end: end.enter)
        last[arrival.place] = latest
    return [last[arrival.place] for arrival in arrivals]


def _rank_within(files: Sequence[RankFile], end: _End) -> int:
    """The rank in the communicator of the call."""
    file = files[end.place]
    group = int(file.cells[end.cell]["group"])
    return int(file.groups[group]["rank"]) if group < len(file.groups) else 0

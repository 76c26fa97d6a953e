"""Sums of a profile: by call, by rank, by pair of ranks, and by cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from hockney.profiling.causes import Causes, spent_in
from hockney.profiling.kinds import Calls, Profile
from hockney.profiling.places import NOBODY, distance

SENDING = frozenset(
    f"MPI_{name}"
    for name in (
        *("Send", "Bsend", "Ssend", "Rsend", "Isend", "Ibsend", "Issend", "Irsend"),
        *("Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"),
        *("Put", "Rput", "Accumulate", "Raccumulate"),
    )
)
"""Calls whose bytes go to their peer."""
STARTING = frozenset({"MPI_Start", "MPI_Startall"})


def sends(calls: Calls) -> bool:
    """Whether the bytes of these calls go to their peer."""
    if calls.call in STARTING and calls.started is not None:
        return calls.started.lower().endswith("send_init")
    return calls.call in SENDING


@dataclass
class Sum:
    """Sums over calls."""

    count: int = 0
    bytes: int = 0
    time_s: float = 0.0
    """Time inside the calls."""
    completion_s: float = 0.0
    """Time of the calls that completed their requests."""
    spent_s: float = 0.0
    """Sum of `time_s` and `completion_s`; without the `time_s` of completing calls, which counts
    for others."""
    wait_s: float | None = None
    seen: int = 0
    untimed: int = 0

    def add(self, calls: Calls) -> None:
        self.count += calls.count
        self.bytes += calls.bytes_sum
        self.time_s += calls.time_s
        self.completion_s += calls.completion_s
        self.spent_s += spent_in(calls)[0]
        self.seen += calls.seen
        self.untimed += calls.untimed
        if calls.wait_s is not None:
            self.wait_s = (self.wait_s or 0.0) + calls.wait_s


@dataclass(frozen=True)
class CallRow:
    """Calls of all ranks with the same key."""

    key: tuple[object, ...]
    sum: Sum


@dataclass(frozen=True)
class ProfileSummary:
    profile: Profile

    def by(self, key: Callable[[Calls], tuple[object, ...]]) -> list[CallRow]:
        """Sums of all calls by a key, those that took the most time first."""
        rows = _rows((key(calls), calls) for calls in self.profile.calls)
        return sorted(rows, key=lambda row: (-row.sum.spent_s, -row.sum.time_s))

    @cached_property
    def rows(self) -> list[CallRow]:
        """Sums by call, the call that made a started request, communicator size and bytes of each
        call."""
        return self.by(
            lambda calls: (calls.call, calls.started, calls.communicator_size, calls.bytes)
        )

    @cached_property
    def lines(self) -> list[CallRow]:
        """Like `rows`, but sizes up to the same power of two are one row: in a program with many
        different sizes none would stand out. The key ends with the least and the most bytes."""
        sizes = self._sizes
        return self.by(
            lambda calls: (
                *(calls.call, calls.started, calls.communicator_size),
                *sizes[_size_class(calls)],
            )
        )

    def sizes_of(self, calls: Calls) -> tuple[int, int]:
        """The least and the most bytes of the line that these calls are in."""
        return self._sizes[_size_class(calls)]

    @cached_property
    def _sizes(self) -> dict[tuple[object, ...], tuple[int, int]]:
        sizes: dict[tuple[object, ...], tuple[int, int]] = {}
        for calls in self.profile.calls:
            least, most = sizes.get(_size_class(calls), (calls.bytes, calls.bytes))
            sizes[_size_class(calls)] = min(least, calls.bytes), max(most, calls.bytes)
        return sizes

    @cached_property
    def of_rank(self) -> dict[tuple[int, int], Sum]:
        """Sum of all calls of each rank, by job and rank."""
        sums = {key: Sum() for key in self.profile.by_rank}
        for calls in self.profile.calls:
            sums[calls.job, calls.rank].add(calls)
        return sums

    @cached_property
    def computing_s(self) -> dict[tuple[int, int], float]:
        """Time of each rank outside of MPI, by job and rank. A schedule has no wall time: there it
        is what the rank computes before its calls."""
        computing = {
            key: max(self.profile.by_rank[key].wall_s - total.time_s, 0.0)
            for key, total in self.of_rank.items()
        }
        if self.profile.program.source is not None:
            for acts in self.profile.acts:
                if (acts.job, acts.rank) in computing:
                    computing[acts.job, acts.rank] += sum(acts.before_ns) * 1e-9
        return computing

    @cached_property
    def time_s(self) -> float:
        """Time inside MPI, of all ranks."""
        return sum(total.time_s for total in self.of_rank.values())

    @cached_property
    def wall_s(self) -> float:
        """Time between MPI_Init and MPI_Finalize, of all ranks."""
        return sum(rank.wall_s for rank in self.profile.ranks)

    @property
    def fraction(self) -> float | None:
        """Fraction of the ranks' time spent inside MPI; None if no time is known."""
        return min(self.time_s / self.wall_s, 1.0) if self.wall_s else None

    @cached_property
    def recording_s(self) -> float | None:
        """Time of the recorder, over all ranks; None if it is unknown for one."""
        of_ranks = [rank.recording_s for rank in self.profile.ranks]
        known = [seconds for seconds in of_ranks if seconds is not None]
        return sum(known) if known and len(known) == len(of_ranks) else None

    @property
    def recording_fraction(self) -> float | None:
        """Fraction of the ranks' time spent by the recorder."""
        return self.recording_s / self.wall_s if self.recording_s and self.wall_s else None

    @cached_property
    def causes(self) -> Causes:
        """Causes of the time of calls and of ranks."""
        return Causes(self.profile)

    @cached_property
    def traffic(self) -> dict[tuple[int, int, int], tuple[int, int]]:
        """Numbers of messages and bytes by job, sender and receiver, without collectives."""
        traffic: dict[tuple[int, int, int], tuple[int, int]] = {}
        for calls in self.profile.calls:
            if sends(calls) and calls.peer is not None:
                key = calls.job, calls.rank, calls.peer
                messages, bytes_ = traffic.get(key, (0, 0))
                traffic[key] = messages + calls.count, bytes_ + calls.bytes_sum
        return traffic

    @cached_property
    def by_memory(self) -> list[CallRow]:
        """Calls with bytes, by the memory of their buffers and by the call; empty if all of it is
        the host's."""
        if all(calls.memory == "host" for calls in self.profile.calls):
            return []
        rows = _rows(
            ((calls.memory, name), calls)
            for calls in self.profile.calls
            if calls.bytes_sum
            for name in (None, calls.started or calls.call)
        )
        whole = {row.key[0]: row.sum.bytes for row in rows if row.key[1] is None}
        return sorted(
            rows, key=lambda row: (-whole[row.key[0]], row.key[1] is not None, -row.sum.bytes)
        )

    @cached_property
    def messages(self) -> list[tuple[Calls, str]]:
        """Calls that send to a rank, with the distance to it (places.py)."""
        known = self.profile.by_rank
        messages = []
        for calls in self.profile.calls:
            if sends(calls):
                other = known.get((calls.job, calls.peer)) if calls.peer is not None else None
                # No datatype: nothing was sent.
                is_to_nobody = calls.peer is None and calls.datatype is None
                far = NOBODY if is_to_nobody else distance(known[calls.job, calls.rank], other)
                messages.append((calls, far))
        return messages

    @cached_property
    def by_distance(self) -> list[CallRow]:
        """Messages between two ranks, by their distance."""
        rows = _rows(((far,), calls) for calls, far in self.messages)
        return sorted(rows, key=lambda row: -row.sum.bytes)


def _rows(keyed: Iterable[tuple[tuple[object, ...], Calls]]) -> list[CallRow]:
    """The sums of calls by their keys, in the order in which these come."""
    sums: dict[tuple[object, ...], Sum] = defaultdict(Sum)
    for key, calls in keyed:
        sums[key].add(calls)
    return [CallRow(key, total) for key, total in sums.items()]


def _size_class(calls: Calls) -> tuple[object, ...]:
    power = max(calls.bytes - 1, 0).bit_length()
    return calls.call, calls.started, calls.communicator_size, power

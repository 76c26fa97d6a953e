"""A profile in few numbers: by call, by rank, by pair of ranks, and by what takes the time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from hockney.profiles.kinds import Calls, Profile
from hockney.profiles.places import NOBODY, distance

SMALL_BYTES = 1024
"""Up to so many, the time of a call hardly depends on its bytes: latency decides."""
REASONS = ("waiting", "latency", "bandwidth", "copying", "other")
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
COMPLETING = frozenset(
    f"MPI_{name}"
    for name in ("Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome")
)


def sends(calls: Calls) -> bool:
    """Whether the bytes of these calls go to their peer."""
    if calls.call in STARTING and calls.started is not None:
        return calls.started.lower().endswith("send_init")
    return calls.call in SENDING


@dataclass
class Sum:
    """What calls have in common, added up."""

    count: int = 0
    bytes: int = 0
    time_s: float = 0.0
    completion_s: float = 0.0
    wait_s: float | None = None
    seen: int = 0
    untimed: int = 0

    def add(self, calls: Calls) -> None:
        self.count += calls.count
        self.bytes += calls.bytes_sum
        self.time_s += calls.time_s
        self.completion_s += calls.completion_s
        self.seen += calls.seen
        self.untimed += calls.untimed
        if calls.wait_s is not None:
            self.wait_s = (self.wait_s or 0.0) + calls.wait_s


@dataclass(frozen=True)
class Row:
    """Calls of all ranks that are the same in some respects."""

    key: tuple[object, ...]
    sum: Sum


@dataclass(frozen=True)
class Summary:
    profile: Profile

    def by(self, key: Callable[[Calls], tuple[object, ...]]) -> list[Row]:
        """Sums of all calls by a key, those with the most time first."""
        sums: dict[tuple[object, ...], Sum] = defaultdict(Sum)
        for calls in self.profile.calls:
            sums[key(calls)].add(calls)
        rows = [Row(key, found) for key, found in sums.items()]
        return sorted(rows, key=lambda row: -row.sum.time_s)

    @cached_property
    def rows(self) -> list[Row]:
        """By call, the call that made what it started, communicator size and bytes of each."""
        return self.by(
            lambda calls: (calls.call, calls.started, calls.communicator_size, calls.bytes)
        )

    @cached_property
    def lines(self) -> list[Row]:
        """Like `rows`, but sizes up to the same power of two are one row: of a program that sends
        as much as it happens to have, no size would stand out. The key ends with the least and the
        most bytes."""
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
        found: dict[tuple[object, ...], tuple[int, int]] = {}
        for calls in self.profile.calls:
            least, most = found.get(_size_class(calls), (calls.bytes, calls.bytes))
            found[_size_class(calls)] = min(least, calls.bytes), max(most, calls.bytes)
        return found

    @cached_property
    def of_rank(self) -> dict[tuple[int, int], Sum]:
        """All calls of each rank, by job and rank."""
        sums = {key: Sum() for key in self.profile.by_rank}
        for calls in self.profile.calls:
            sums[calls.job, calls.rank].add(calls)
        return sums

    @cached_property
    def time_s(self) -> float:
        """Time inside MPI, of all ranks."""
        return sum(found.time_s for found in self.of_rank.values())

    @cached_property
    def wall_s(self) -> float:
        """Time between MPI_Init and MPI_Finalize, of all ranks."""
        return sum(rank.wall_s for rank in self.profile.ranks)

    @property
    def fraction(self) -> float | None:
        """Of the ranks' time, inside MPI."""
        return min(self.time_s / self.wall_s, 1.0) if self.wall_s else None

    @cached_property
    def recording_s(self) -> float | None:
        """What the recorder took, of all ranks; None where it is not known of each."""
        of_ranks = [rank.recording_s for rank in self.profile.ranks]
        known = [seconds for seconds in of_ranks if seconds is not None]
        return sum(known) if known and len(known) == len(of_ranks) else None

    @property
    def recording_fraction(self) -> float | None:
        """Of the ranks' time."""
        return self.recording_s / self.wall_s if self.recording_s and self.wall_s else None

    @cached_property
    def reasons(self) -> dict[str, float]:
        """The seconds in MPI, of all ranks, by what takes them."""
        of_ranks = self.reasons_of_rank.values()
        return {name: sum(found[name] for found in of_ranks) for name in REASONS}

    @cached_property
    def reasons_of_rank(self) -> dict[tuple[int, int], dict[str, float]]:
        """The same of each rank. What is not waited for is of latency, of bandwidth or of copying,
        by the size and datatype of the call."""
        of_rank = {key: dict.fromkeys(REASONS, 0.0) for key in self.profile.by_rank}
        for calls in self.profile.calls:
            found = of_rank[calls.job, calls.rank]
            spent, waited = spent_in(calls)
            found["waiting"] += waited
            found[reason_of(calls)] += spent - waited
        for key, found in of_rank.items():
            found["other"] += max(self.of_rank[key].time_s - sum(found.values()), 0.0)
        return of_rank

    @cached_property
    def traffic(self) -> dict[tuple[int, int, int], tuple[int, int]]:
        """Messages and bytes by job, sender and receiver; collectives are not in it."""
        found: dict[tuple[int, int, int], tuple[int, int]] = {}
        for calls in self.profile.calls:
            if sends(calls) and calls.peer is not None:
                key = calls.job, calls.rank, calls.peer
                messages, bytes_ = found.get(key, (0, 0))
                found[key] = messages + calls.count, bytes_ + calls.bytes_sum
        return found

    @cached_property
    def messages(self) -> list[tuple[Calls, str]]:
        """Calls that send to a rank, with how far that is (profiles.places)."""
        known = self.profile.by_rank
        found = []
        for calls in self.profile.calls:
            if sends(calls):
                other = known.get((calls.job, calls.peer)) if calls.peer is not None else None
                # No datatype: nothing was sent.
                is_to_nobody = calls.peer is None and calls.datatype is None
                far = NOBODY if is_to_nobody else distance(known[calls.job, calls.rank], other)
                found.append((calls, far))
        return found

    @cached_property
    def by_distance(self) -> list[Row]:
        """Messages between two ranks by how far apart these are."""
        sums: dict[str, Sum] = defaultdict(Sum)
        for calls, far in self.messages:
            sums[far].add(calls)
        return sorted(
            (Row((key,), found) for key, found in sums.items()), key=lambda r: -r.sum.bytes
        )


def _size_class(calls: Calls) -> tuple[object, ...]:
    power = max(calls.bytes - 1, 0).bit_length()
    return calls.call, calls.started, calls.communicator_size, power


def spent_in(calls: Calls) -> tuple[float, float]:
    """Seconds in these calls and in what completed their requests, and those of them that other
    ranks were waited for. The time of completing calls is that of the calls that started them."""
    own = 0.0 if calls.call in COMPLETING else calls.time_s
    spent = own + calls.completion_s
    return spent, min(calls.wait_s or 0.0, spent)


def reason_of(calls: Calls) -> str:
    """What takes the time of these calls, but for waiting."""
    if calls.datatype is None or calls.call.startswith("MPI_File"):
        return "other"
    if calls.datatype == "strided":
        return "copying"
    return "latency" if calls.bytes <= SMALL_BYTES else "bandwidth"

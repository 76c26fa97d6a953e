"""The messages and collectives of a program in a fixed order, without the program.

A profile has their counts, not their times. In the mix they take turns as evenly as their counts
allow: of n turns, an item with count c has the fraction c / n in each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from hockney.base.errors import UsageError
from hockney.profiling.causes import COMPLETING, spent_in
from hockney.profiling.expected import OF_ALL_BLOCKS
from hockney.profiling.kinds import Calls, Profile
from hockney.profiling.summary import sends

REPLAYED = (
    *("barrier", "bcast", "scatter", "gather", "reduce", "allreduce", "allgather", "alltoall"),
    *("reduce_scatter_block", "scan", "exscan"),
)
"""Collectives of a mix. Those with blocks of different sizes are replaced by their mean."""
UNEVEN = {
    "scatterv": "scatter",
    "gatherv": "gather",
    "allgatherv": "allgather",
    "alltoallv": "alltoall",
    "alltoallw": "alltoall",
    "reduce_scatter": "reduce_scatter_block",
}
GOLDEN_RATIO = 0.6180339887498949
"""Number whose multiples, without their whole parts, are evenly distributed between 0 and 1 however
many there are (Knuth, The Art of Computer Programming 3, 6.4)."""
LEAST_PHASE = 1e-3
"""Distance of phases from 0 and 1, larger than rounding errors."""
BLOCKING = frozenset(f"MPI_{name}" for name in ("Send", "Bsend", "Ssend", "Rsend"))


@dataclass(frozen=True)
class Item:
    """A message or a collective."""

    operation: str
    """"message", or the collective's name."""
    bytes: int
    count: int
    ranks: tuple[int, ...]
    """The sender and the receiver, or the ranks of the communicator."""
    root: int = 0
    """Index of the root in `ranks`."""
    is_blocking: bool = True
    """Messages only: whether the sender waits for each before the next."""
    buffers: tuple[int, int] = (1, 1)
    """Messages only: numbers of buffers that the sender and the receiver use in turn."""


@dataclass(frozen=True)
class Mix:
    ranks: int
    items: tuple[Item, ...]
    turns: int
    left_out_s: float
    """Time in MPI, over all ranks, of calls that are not in the mix."""
    time_s: float
    """Time in MPI, over all ranks, of calls in the mix."""

    @property
    def each_s(self) -> float | None:
        """Time in MPI of these calls, mean over ranks; None where the profile holds no times."""
        return self.time_s / self.ranks if self.time_s + self.left_out_s > 0.0 else None

    @property
    def several_buffers(self) -> float:
        """Fraction of the messages' bytes in messages with several buffers."""
        messages = [item for item in self.items if item.operation == "message"]
        several = sum(item.count * item.bytes for item in messages if max(item.buffers) > 1)
        return several / max(sum(item.count * item.bytes for item in messages), 1)

    @cached_property
    def phases(self) -> tuple[float, ...]:
        """Start of each item within its first turn, between 0 and 1. It differs between kinds, so
        that rare items are spread over the turns. Messages of equal size and count, such as both
        directions of an exchange, take the same turns: ranks run one program, and reach their calls
        together."""
        first: dict[tuple[str, int, int, bool], int] = {}
        for number, item in enumerate(self.items):
            first.setdefault(_kind(item), number)
        span = 1.0 - 2.0 * LEAST_PHASE
        return tuple(
            LEAST_PHASE + span * ((first[_kind(item)] + 1) * GOLDEN_RATIO % 1.0)
            for item in self.items
        )

    def turn(self, number: int) -> Iterator[Item]:
        """The items of one turn, in order."""
        for place, item in enumerate(self.items):
            share, phase = item.count / self.turns, self.phases[place]
            if int((number + 1) * share + phase) > int(number * share + phase):
                yield item


def _kind(item: Item) -> tuple[str, int, int, bool]:
    return item.operation, item.bytes, item.count, item.is_blocking


def mix_of(profile: Profile) -> Mix:
    """The mix of the first MPI_COMM_WORLD. Raises UsageError where it exchanged nothing."""
    calls = [call for call in profile.calls if call.job == 0]
    ranks = {rank.rank for rank in profile.ranks if rank.job == 0}
    world = max((rank.ranks for rank in profile.ranks if rank.job == 0), default=0)
    if len(ranks) != world:
        raise UsageError(
            f"{profile.path}: {world - len(ranks)} of {world} ranks left no record",
            "profile the program again, with all of its ranks",
        )
    collectives, not_whole_s = _collectives(calls)
    items = [*_messages(calls, world), *collectives]
    if not items:
        raise UsageError(
            f"{profile.path}: no messages between ranks and no collectives",
            "profile a program that exchanges some; one-sided operations are not replayed",
        )
    total = sum(call.time_s for call in calls)
    left_out = not_whole_s + sum(spent_in(call)[0] for call in calls if _is_left_out(call, world))
    left_out = min(left_out, total)
    items.sort(key=lambda item: (-item.count, item.operation, item.bytes, item.ranks))
    turns = max(item.count for item in items)
    return Mix(world, tuple(items), turns, left_out, total - left_out)


def collective_of(calls: Calls) -> str | None:
    """The collective of these calls, also of nonblocking and persistent ones; None for other
    calls."""
    # Creating a persistent request moves nothing.
    if calls.started is None and calls.call.endswith("_init"):
        return None
    return collective_named(calls.started or calls.call)


def collective_named(call: str) -> str | None:
    """The replayed collective of an MPI function; None for others."""
    name = call.removeprefix("MPI_").lower().removesuffix("_init")
    for known in (name, name.removeprefix("i")):
        if known in REPLAYED or known in UNEVEN:
            return known
    return None


def _is_left_out(calls: Calls, world: int) -> bool:
    """Whether these calls, collectives excepted, are in no item. The time of completing calls
    counts for the calls that started the requests."""
    if calls.call in COMPLETING or collective_of(calls) is not None:
        return False
    is_to_nobody = calls.peer is None and calls.datatype is None
    if _is_within(calls, world) or is_to_nobody:
        return not (_is_message(calls) or _receives(calls))
    # A coarse receive may be in the mix by its sender, which may know its peer.
    return not (calls.peer is None and calls.is_coarse and _receives(calls))


def _receives(calls: Calls) -> bool:
    return "recv" in (calls.started or calls.call).lower()


def _is_within(calls: Calls, world: int) -> bool:
    """Whether the peer is a rank of MPI_COMM_WORLD."""
    return calls.peer is not None and calls.peer < world


def _is_message(calls: Calls) -> bool:
    return sends(calls) and not calls.call.startswith(
        ("MPI_Put", "MPI_Rput", "MPI_Acc", "MPI_Racc")
    )


def _messages(calls: list[Calls], world: int) -> Iterator[Item]:
    counts: dict[tuple[int, int, int, bool], int] = defaultdict(int)
    sent: dict[tuple[int, int, int], int] = defaultdict(int)
    received: dict[tuple[int, int, int], int] = defaultdict(int)
    for call in calls:
        if call.peer is not None and call.buffers and call.count:
            into = [sent] if _is_message(call) else []
            # An exchange is assumed to receive into as many buffers as it sends from.
            into += [received] if _receives(call) else []
            for buffers in into:
                key = call.rank, call.peer, call.bytes_sum // call.count
                buffers[key] = max(buffers[key], call.buffers)
    for call in calls:
        if _is_message(call) and call.peer is not None and _is_within(call, world):
            mean = call.bytes_sum // call.count
            counts[call.rank, call.peer, mean, call.call in BLOCKING] += call.count
    for (source, target, bytes_, blocking), count in counts.items():
        # A rank that sends to itself cannot wait for that.
        yield Item(
            "message", bytes_, count, (source, target), 0, blocking and source != target,
            (sent[source, target, bytes_] or 1, received[target, source, bytes_] or 1),
        )  # fmt: skip


def _collectives(calls: list[Calls]) -> tuple[list[Item], float]:
    """The collectives whose ranks are all known, and the time in MPI, over all ranks, of the other
    collectives."""
    members: dict[str, set[int]] = defaultdict(set)
    groups: dict[tuple[str, str | None, int | None, int | None], list[Calls]] = defaultdict(list)
    for call in calls:
        name = collective_of(call)
        if name is not None:
            members[call.members or ""].add(call.rank)
            size = None if name in UNEVEN else call.bytes
            groups[name, call.members, call.peer, size].append(call)
    items, left_out_s = [], 0.0
    for (name, digest, peer, _), of_all in groups.items():
        ranks = () if digest is None else tuple(sorted(members[digest]))
        item = _collective(name, ranks, peer, of_all)
        items += [] if item is None else [item]
        contained = 0 if item is None else item.count * len(ranks)
        part = 1.0 - contained / sum(call.count for call in of_all)
        left_out_s += part * sum(spent_in(call)[0] for call in of_all)
    return items, left_out_s


def _collective(
    name: str, ranks: tuple[int, ...], peer: int | None, of_all: list[Calls]
) -> Item | None:
    """One collective; None if not all of its ranks are known, or not all took part in one."""
    calls_made = sum(call.count for call in of_all)
    if len(ranks) != of_all[0].communicator_size or calls_made < len(ranks) or len(ranks) < 2:
        return None
    bytes_ = sum(call.bytes_sum for call in of_all) // calls_made
    if name in OF_ALL_BLOCKS:
        bytes_ //= len(ranks)
    root = ranks.index(peer) if peer in ranks else 0
    return Item(UNEVEN.get(name, name), bytes_, calls_made // len(ranks), ranks, root)

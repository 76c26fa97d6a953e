"""The order of a program's calls, where it was recorded (`--trace`): the steps of each rank, with
both ends of its messages matched.

The order may end before the program: then it is cut where all ranks last met in a collective.
Messages and collectives with a missing end are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hockney.base.errors import UsageError
from hockney.profiling.expected import OF_ALL_BLOCKS
from hockney.profiling.kinds import Acts, Profile
from hockney.profiling.mix import UNEVEN, collective_named

SEND, RECEIVE, START_SEND, START_RECEIVE, COMPLETE, TOGETHER, START_TOGETHER, OTHER = range(1, 9)
"""Kinds of steps, as in recorder/layout.h. OTHER: other time in MPI."""
SENDING, RECEIVING = (SEND, START_SEND), (RECEIVE, START_RECEIVE)
COLLECTIVE = (TOGETHER, START_TOGETHER)
STARTING = (START_SEND, START_RECEIVE, START_TOGETHER)


@dataclass(slots=True)
class TraceStep:
    """One step of a rank. A message has the same `match` at both ends, a collective on all
    ranks."""

    what: int
    before_s: float
    """Computing time before the step."""
    inside_s: float
    bytes: int
    peer: int
    """The other rank; for a collective, the root; below 0 for none."""
    tag: int
    request: int
    """Number of the request, the same at its start and its completion."""
    name: str = ""
    """Name of a collective in predict.schedules; empty for other steps."""
    members: str = ""
    size: int = 0
    match: int = -1
    is_mean: bool = False
    """Whether `bytes` is the mean over ranks of blocks of different sizes."""


@dataclass(frozen=True)
class Order:
    ranks: tuple[tuple[TraceStep, ...], ...]
    groups: tuple[tuple[int, ...], ...]
    """The ranks of each collective, by its match."""
    is_cut: bool
    """Whether the steps end before the program."""
    left_out: int
    """Steps that were ignored: their other end is missing, or no schedule is known for them."""
    wall_s: float | None
    """Time of the slowest rank between MPI_Init and MPI_Finalize; None for a schedule."""

    @property
    def uneven(self) -> int:
        """The number of collectives whose blocks are replaced by their mean."""
        return len({step.match for steps in self.ranks for step in steps if step.is_mean})

    @property
    def steps(self) -> int:
        return sum(map(len, self.ranks))


def has_order(profile: Profile) -> bool:
    return any(acts.job == 0 for acts in profile.acts)


def order_of(profile: Profile) -> Order:
    """The order of the first MPI_COMM_WORLD; raises UsageError where it was not recorded."""
    if not has_order(profile):
        raise UsageError(
            f"{profile.path}: the order of calls was not recorded",
            "record it: hockney profile --trace -o p.jsonl -- COMMAND",
        )
    world = max((rank.ranks for rank in profile.ranks if rank.job == 0), default=0)
    of_ranks: dict[int, list[TraceStep]] = defaultdict(list)
    is_cut = False
    for acts in profile.acts:
        if acts.job == 0:
            of_ranks[acts.rank] += _steps(acts, world)
            is_cut = is_cut or acts.left_out > 0
    if len(of_ranks) != world or max(of_ranks) >= world:
        raise UsageError(f"{profile.path}: the order of some ranks is missing")
    ranks = [of_ranks[rank] for rank in range(world)]
    for steps in ranks:
        _name_senders(steps)
    if is_cut:
        ranks = _until_all_met(ranks)
    _match_messages(ranks)
    groups = _match_collectives(ranks)
    matched = tuple(tuple(_matched(steps)) for steps in ranks)
    left_out = _communicating(ranks) - _communicating(matched)
    wall_s = max(rank.wall_s for rank in profile.ranks if rank.job == 0)
    if profile.program.source is not None:
        return Order(matched, groups, is_cut, left_out, None)
    return Order(matched, groups, is_cut, left_out, wall_s)


def _communicating(ranks: Iterable[Iterable[TraceStep]]) -> int:
    """The number of steps that have another end: not those of MPI_PROC_NULL."""
    return sum(
        step.what in COLLECTIVE or step.peer >= 0 or step.bytes > 0
        for steps in ranks
        for step in steps
        if step.what != OTHER
    )


def _steps(acts: Acts, world: int) -> Iterator[TraceStep]:
    """The steps of a block of acts. Numbers of calls and groups may be invalid."""
    columns = (acts.before_ns, acts.inside_ns, acts.bytes, acts.peer, acts.tag, acts.request)
    rows = zip(acts.what, acts.call, acts.group, *columns, strict=False)
    for what, call, group, before, inside, bytes_, peer, tag, request in rows:
        known = group < len(acts.groups)
        members, size = acts.groups[group] if known else ("", 0)
        name = acts.calls[call] if call < len(acts.calls) else ""
        name = collective_named(name) or "" if what in COLLECTIVE else ""
        bytes_ //= max(size, 1) if name in OF_ALL_BLOCKS else 1
        name = UNEVEN.get(name, name)
        peer = peer if peer < world else -1
        yield TraceStep(
            what, before * 1e-9, inside * 1e-9, bytes_, peer, tag, request, name, members, size
        )


def _name_senders(steps: Sequence[TraceStep]) -> None:
    """Sets the sender, tag and bytes of started receives from their completion."""
    started: dict[int, TraceStep] = {}
    for step in steps:
        if step.what in STARTING:
            started[step.request] = step
        elif step.what == COMPLETE and step.request in started:
            of = started[step.request]
            if of.what == START_RECEIVE:
                of.peer, of.tag, of.bytes = step.peer, step.tag, step.bytes


def _until_all_met(ranks: Sequence[list[TraceStep]]) -> list[list[TraceStep]]:
    """Steps up to the last blocking collective of all ranks that every rank recorded."""
    met = [
        [
            place
            for place, step in enumerate(steps)
            if step.what == TOGETHER and step.size == len(ranks)
        ]
        for steps in ranks
    ]
    least = min(map(len, met))
    return [
        steps[: places[least - 1] + 1] if least else []
        for steps, places in zip(ranks, met, strict=True)
    ]


def _match_messages(ranks: Sequence[Sequence[TraceStep]]) -> None:
    """Matches messages in MPI's order: those of one sender, receiver, tag and communicator do not
    overtake."""
    sent: dict[tuple[int, int, int, str], list[TraceStep]] = defaultdict(list)
    received: dict[tuple[int, int, int, str], list[TraceStep]] = defaultdict(list)
    for rank, steps in enumerate(ranks):
        for step in steps:
            if step.peer >= 0 and step.what in SENDING:
                sent[rank, step.peer, step.tag, step.members].append(step)
            elif step.peer >= 0 and step.what in RECEIVING:
                received[step.peer, rank, step.tag, step.members].append(step)
    number = 0
    for key, ends in sent.items():
        for out, into in zip(ends, received.get(key, ()), strict=False):
            out.match = into.match = number
            number += 1


def _match_collectives(ranks: Sequence[Sequence[TraceStep]]) -> tuple[tuple[int, ...], ...]:
    """Matches collectives: all ranks of a group call those of the group in the same order. Blocks
    of different sizes become their mean: a trace has one size for all ranks."""
    of_group: dict[str, dict[int, list[TraceStep]]] = defaultdict(dict)
    for rank, steps in enumerate(ranks):
        for step in steps:
            if step.what in COLLECTIVE and step.members:
                of_group[step.members].setdefault(rank, []).append(step)
    groups: list[tuple[int, ...]] = []
    for by_rank in of_group.values():
        members = tuple(sorted(by_rank))
        for together in zip(*(by_rank[rank] for rank in members), strict=False):
            if {(step.size, step.name) for step in together} == {(len(members), together[0].name)}:
                mean = round(sum(step.bytes for step in together) / len(together))
                for step in together:
                    step.match, step.is_mean = len(groups), step.bytes != mean
                    step.bytes = mean
                groups.append(members)
    return tuple(groups)


def _matched(steps: Sequence[TraceStep]) -> Iterator[TraceStep]:
    """The matched steps; the time of others counts as computing."""
    waiting, missing = 0.0, set()
    for step in steps:
        waiting += step.before_s
        if step.what == OTHER:
            waiting += step.inside_s
            continue
        has_end = step.match >= 0 and (step.what not in COLLECTIVE or step.name)
        if step.what != COMPLETE and not has_end:
            missing.add(step.request)
        if (step.what == COMPLETE and step.request in missing) or (
            step.what != COMPLETE and not has_end
        ):
            continue
        if step.what in STARTING:
            missing.discard(step.request)
        yield replace(step, before_s=waiting)
        waiting = 0.0

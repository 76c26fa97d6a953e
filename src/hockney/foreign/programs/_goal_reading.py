"""Reads GOAL's text: operations of each rank with their dependencies, as the acts of a profile.

An operation starts when what it requires has ended. Messages are nonblocking and are completed
where an operation requires them: one after the other where a rank has several that end
independently. Calculations on several CPUs of a rank follow each other."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from hockney import __version__
from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.profiling.kinds import MOST_ACTS, Acts, Calls, Profile, Program, RankRecord
from hockney.profiling.kinds import SCHEMA as PROFILE_SCHEMA
from hockney.profiling.order import COMPLETE, RECEIVE, SEND, START_RECEIVE, START_SEND

MOST_OPERATIONS = 5_000_000
"""Most operations of a file; larger ones would take gigabytes."""
MOST_RANKS = 1 << 20
LARGEST_TAG = 2**31 - 1
HEAD = re.compile(r"^\s*num_ranks\s+(\d{1,9})\s*$")
_RANK = re.compile(r"^rank\s+(\d{1,9})\s*\{$")
_MESSAGE = re.compile(
    r"^(?:(?P<label>\w{1,80})\s*:\s*)?(?P<what>send|recv)\s+(?P<bytes>\d{1,18})b\s+(?:to|from)\s+"
    r"(?P<peer>\d{1,9})(?:\s+tag\s+(?P<tag>\d{1,18}))?(?:\s+cpu\s+\d{1,9})?(?:\s+nic\s+\d{1,9})?$"
)
_CALCULATION = re.compile(
    r"^(?:(?P<label>\w{1,80})\s*:\s*)?calc\s+(?P<ns>\d{1,18})(?:\s+cpu\s+(?P<cpu>\d{1,9}))?"
    r"(?:\s+nic\s+\d{1,9})?$"
)
_REQUIRES = re.compile(r"^(?P<label>\w{1,80})\s+(?P<how>i?requires)\s+(?P<other>\w{1,80})$")
_COMMENT = re.compile(r"//.*$|/\*.*?\*/|#.*$")
CALLS = {
    SEND: "MPI_Send",
    START_SEND: "MPI_Isend",
    RECEIVE: "MPI_Recv",
    START_RECEIVE: "MPI_Irecv",
    COMPLETE: "MPI_Wait",
}


@dataclass(slots=True)
class GoalOperation:
    what: int
    """SEND, RECEIVE, or 0 for a calculation."""
    amount: int
    """Bytes, or nanoseconds."""
    peer: int = -1
    tag: int = 0
    ended: list[int] = field(default_factory=list)
    """Operations that must have ended before this one starts."""
    started: list[int] = field(default_factory=list)
    """Operations that must have started."""


@dataclass(slots=True)
class GoalAct:
    what: int
    before_ns: int
    bytes: int
    peer: int
    tag: int
    request: int


@dataclass
class GoalRank:
    """The operations of a rank while they are read."""

    rank: int
    line: int
    """Its first line; 0 in a binary file."""
    operations: list[GoalOperation] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    cpus: set[str] = field(default_factory=set)

    def where(self, path: Path) -> str:
        """The file, and the line of the rank where it has lines."""
        return f"{path}, line {self.line}" if self.line else str(path)


def profile_of(ranks: Iterable[int | GoalRank], path: Path) -> tuple[Profile, list[str]]:
    """The profile of a GOAL file, and warnings. ranks: their number, then each with its
    operations. Raises UsageError where it cannot be read."""
    world = 0
    acts_of: dict[int, list[GoalAct]] = {}
    notes: dict[str, None] = {}
    profile = Profile(_program(), path=path)
    for rank in ranks:
        if isinstance(rank, int):
            world = rank
            continue
        if rank.rank >= world or rank.rank in acts_of:
            what = "is given twice" if rank.rank in acts_of else f"is not below num_ranks, {world}"
            raise UsageError(f"{rank.where(path)}: rank {rank.rank} {what}")
        acts, end_ns = _acts(rank, path, world)
        acts_of[rank.rank] = acts
        if end_ns:
            notes["what ranks compute after their last message is left out"] = None
        if len(rank.cpus) > 1:
            notes["calculations on several CPUs of a rank follow each other here"] = None
    if len(acts_of) < world:
        notes[f"without operations: {world - len(acts_of)} of {how_many(world, 'rank')}"] = None
    for number in range(world):
        own = acts_of.get(number, [])
        profile.add(_record(number, world, path))
        for calls in _calls(number, own, world):
            profile.add(calls)
        for block in _blocks(number, own, world):
            profile.add(block)
    unmatched = _unmatched(acts_of)
    if unmatched:
        who = "1 message has" if unmatched == 1 else f"{unmatched} messages have"
        notes[f"{who} no other end: left out of the order of calls"] = None
    return profile, list(notes)


def ranks_in(lines: Iterable[str], path: Path) -> Iterator[int | GoalRank]:
    """First the number of ranks, then each rank with its operations. Raises UsageError."""
    world: int | None = None
    rank: GoalRank | None = None
    count = number = 0
    for number, raw in enumerate(lines, 1):
        text = _COMMENT.sub("", raw).strip()
        if not text:
            continue
        head, begins = HEAD.match(text), _RANK.match(text)
        if head and world is None:
            world = int(head[1])
            if not 0 < world <= MOST_RANKS:
                raise UsageError(f"{path}, line {number}: {world} ranks are out of range")
            yield world
        elif begins and rank is None and world is not None:
            rank = GoalRank(int(begins[1]), number)
        elif text == "}" and rank is not None:
            yield rank
            rank = None
        elif rank is None or not _operation(text, rank, path, number):
            raise UsageError(
                f"{path}, line {number}: not GOAL: {text[:80]}",
                "a file has num_ranks, and for each rank its send, recv, calc and requires",
            )
        count += 1
        if count > MOST_OPERATIONS:
            raise too_many(path)
    if rank is not None:
        raise UsageError(f"{path}, line {number}: rank {rank.rank} ends early, without }}")


def too_many(path: Path) -> UsageError:
    return UsageError(
        f"{path}: more than {MOST_OPERATIONS} operations",
        "take a part of the trace, such as some iterations",
    )


def _operation(text: str, rank: GoalRank, path: Path, line: int) -> bool:
    """Adds an operation or a dependency; False if the line is neither."""
    message, calculation = _MESSAGE.match(text), _CALCULATION.match(text)
    requires = _REQUIRES.match(text)
    if message:
        what = SEND if message["what"] == "send" else RECEIVE
        numbers = int(message["bytes"]), int(message["peer"]), int(message["tag"] or 0)
        rank.operations.append(GoalOperation(what, *numbers))
    elif calculation:
        rank.operations.append(GoalOperation(0, int(calculation["ns"])))
        rank.cpus.add(calculation["cpu"] or "0")
    elif requires:
        ends = [rank.labels.get(requires[name]) for name in ("label", "other")]
        if None in ends:
            missing = requires["label"] if ends[0] is None else requires["other"]
            raise UsageError(f"{path}, line {line}: no operation above is called {missing}")
        of = rank.operations[ends[0] or 0]
        (of.ended if requires["how"] == "requires" else of.started).append(ends[1] or 0)
        return True
    else:
        return False
    named = message or calculation
    label = named["label"] if named else None
    if label in rank.labels:
        raise UsageError(
            f"{path}, line {line}: another operation of rank {rank.rank} is called {label}",
            "what requires it would not be known: give each a name of its own",
        )
    if label:
        rank.labels[label] = len(rank.operations) - 1
    return True


def _in_order(rank: GoalRank, path: Path) -> list[int]:
    """The operations in the order of the file, but each after what it requires."""
    below: dict[int, list[int]] = defaultdict(list)
    missing = []
    for number, operation in enumerate(rank.operations):
        needed = {*operation.ended, *operation.started}
        missing.append(len(needed))
        for other in needed:
            below[other].append(number)
    ready = [number for number, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    ordered = []
    while ready:
        number = heapq.heappop(ready)
        ordered.append(number)
        for other in below[number]:
            missing[other] -= 1
            if not missing[other]:
                heapq.heappush(ready, other)
    if len(ordered) < len(rank.operations):
        raise UsageError(f"{rank.where(path)}: operations of rank {rank.rank} wait in a ring")
    return ordered


def _acts(rank: GoalRank, path: Path, world: int) -> tuple[list[GoalAct], int]:
    """The acts of a rank, and its time (ns) after the last of them."""
    acts: list[GoalAct] = []
    open_: dict[int, GoalAct] = {}
    before = 0
    for number in _in_order(rank, path):
        operation = rank.operations[number]
        for other in sorted(set(operation.ended)):
            if other in open_:
                before = _complete(acts, open_.pop(other), before)
        if not operation.what:
            before += operation.amount
            continue
        if operation.peer >= world:
            raise UsageError(f"{rank.where(path)}: rank {rank.rank}: no rank {operation.peer}")
        what = START_SEND if operation.what == SEND else START_RECEIVE
        act = GoalAct(what, before, operation.amount, operation.peer, operation.tag, number + 1)
        open_[number] = act
        acts.append(act)
        before = 0
    for act in open_.values():
        before = _complete(acts, act, before)
    return acts, before


def _complete(acts: list[GoalAct], of: GoalAct, before_ns: int) -> int:
    """Adds the completion of a message; one that was just started becomes blocking. Returns the
    time that is left, 0."""
    if acts[-1] is of and not before_ns:
        of.what = SEND if of.what == START_SEND else RECEIVE
        of.request = 0
    else:
        acts.append(GoalAct(COMPLETE, before_ns, of.bytes, of.peer, of.tag, of.request))
    return 0


def _program() -> Program:
    return Program(
        schema=PROFILE_SCHEMA,
        hockney=__version__,
        command=None,
        time_utc=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        exit_status=0,
        wall_s=0.0,
        source="GOAL",
    )


def _record(rank: int, world: int, path: Path) -> RankRecord:
    return RankRecord(
        job=0,
        rank=rank,
        ranks=world,
        host="",
        boot="",
        cpu=None,
        cpus="",
        cache="",
        program=path.name,
        end="finalized",
        wall_s=0.0,
    )


def _calls(rank: int, acts: list[GoalAct], world: int) -> Iterator[Calls]:
    counts = Counter((act.what, act.peer, act.bytes) for act in acts if act.what != COMPLETE)
    for (what, peer, bytes_), count in counts.items():
        yield Calls(
            job=0,
            rank=rank,
            call=CALLS[what],
            count=count,
            bytes=bytes_,
            bytes_sum=bytes_ * count,
            time_s=0.0,
            most_s=0.0,
            communicator_size=world,
            communicator="MPI_COMM_WORLD",
            peer=peer,
        )


def _blocks(rank: int, acts: list[GoalAct], world: int) -> Iterator[Acts]:
    names = tuple(CALLS.values())
    for start in range(0, len(acts) or 1, MOST_ACTS):
        some = acts[start : start + MOST_ACTS]
        yield Acts(
            job=0,
            rank=rank,
            what=tuple(act.what for act in some),
            before_ns=tuple(act.before_ns for act in some),
            inside_ns=(0,) * len(some),
            bytes=tuple(act.bytes for act in some),
            peer=tuple(act.peer for act in some),
            tag=tuple(_tag(act.tag) for act in some),
            request=tuple(act.request for act in some),
            call=tuple(names.index(CALLS[act.what]) for act in some),
            group=(0,) * len(some),
            calls=names,
            groups=(("world", world),),
        )


def _tag(tag: int) -> int:
    """A tag as profiles hold it: GOAL's may have more bits."""
    return tag if tag <= LARGEST_TAG else -2 - tag % LARGEST_TAG


def _unmatched(acts_of: dict[int, list[GoalAct]]) -> int:
    ends: Counter[tuple[int, int, int]] = Counter()
    for rank, acts in acts_of.items():
        for act in acts:
            if act.what in (SEND, START_SEND):
                ends[rank, act.peer, act.tag] += 1
            elif act.what in (RECEIVE, START_RECEIVE):
                ends[act.peer, rank, act.tag] -= 1
    return sum(map(abs, ends.values()))

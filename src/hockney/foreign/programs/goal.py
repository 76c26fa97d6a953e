"""GOAL, the schedules that LogGOPSim and ATLAHS replay (Hoefler, Siebert & Lumsdaine 2009): what
each rank sends, receives and computes, and what must be done before. Collectives are written as the
messages of a usual algorithm."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from hockney.base.errors import UsageError
from hockney.foreign.logs.content import opened, stream_of
from hockney.foreign.programs import _goal_binary, _goal_reading
from hockney.infer.predict.expansion import of_rank
from hockney.profiling.kinds import Profile
from hockney.profiling.order import (
    COLLECTIVE,
    COMPLETE,
    RECEIVE,
    SEND,
    START_RECEIVE,
    START_SEND,
    Order,
    TraceStep,
)

MOST_COMMENTS = 100
"""Most lines at the top of a file in which its head is looked for."""


def is_profile(path: Path) -> bool:
    """True if the first line that is no comment is num_ranks, or the file is a binary one."""
    try:
        if _is_binary(path):
            return True
        for line in itertools.islice(opened(path), MOST_COMMENTS):
            if line.strip() and not line.lstrip().startswith(("//", "#", "/*")):
                return _goal_reading.HEAD.match(line) is not None
    except UsageError:
        return False  # what reads it as a log says why
    return False


def read_profile(path: Path) -> tuple[Profile, list[str]]:
    if not _is_binary(path):
        return _goal_reading.profile_of(_goal_reading.ranks_in(opened(path), path), path)
    with stream_of(path) as file:
        content = file.read(_goal_binary.MOST_BYTES + 1)
    if len(content) > _goal_binary.MOST_BYTES:
        raise _goal_reading.too_many(path)
    return _goal_reading.profile_of(_goal_binary.ranks_in(content, path), path)


def _is_binary(path: Path) -> bool:
    with stream_of(path) as file:
        return file.read(len(_goal_binary.MARK)) == _goal_binary.MARK


def write_order(order: Order, name: str) -> Iterable[tuple[str, str]]:
    lines = [f"num_ranks {len(order.ranks)}"]
    messages = 1 + max((step.match for of in order.ranks for step in of), default=0)
    for rank in range(len(order.ranks)):
        lines += ["", f"rank {rank} {{", *_Rank(order, rank, messages).lines(), "}"]
    return [(name, "\n".join(lines) + "\n")]


class _Rank:
    """The lines of one rank; `needed`: labels of the operations that the next one requires."""

    def __init__(self, order: Order, rank: int, messages: int) -> None:
        self.order, self.rank, self.messages = order, rank, messages
        self.needed: list[int] = []
        self.started: dict[int, int] = {}
        self.label = 0

    def lines(self) -> Iterator[str]:
        for step in self.order.ranks[self.rank]:
            if step.before_s >= 1e-9:
                yield from self._add(f"calc {round(step.before_s * 1e9)}")
                self.needed = [self.label]
            yield from self._step(step)

    def _step(self, step: TraceStep) -> Iterator[str]:
        if step.what in COLLECTIVE:
            yield from self._collective(step)
        elif step.what == COMPLETE:
            label = self.started.pop(step.request, None)
            if label is not None and label not in self.needed:
                self.needed = [*self.needed, label]
        else:
            is_send = step.what in (SEND, START_SEND)
            yield from self._add(self._message(is_send, step.peer, step.bytes, step.match))
            if step.what in (SEND, RECEIVE):
                self.needed = [self.label]
            elif step.what in (START_SEND, START_RECEIVE):
                self.started[step.request] = self.label

    def _collective(self, step: TraceStep) -> Iterator[str]:
        ranks = self.order.groups[step.match]
        root = ranks.index(step.peer) if step.peer in ranks else 0
        for out, into in of_rank(step.name, ranks, root, self.rank, step.bytes):
            together = []
            tag = self.messages + step.match
            for is_send, others in ((True, out), (False, into)):
                for other, bytes_ in others:
                    yield from self._add(self._message(is_send, other, bytes_, tag))
                    together.append(self.label)
            self.needed = together

    def _message(self, is_send: bool, other: int, bytes_: int, tag: int) -> str:
        word = ("send", "to") if is_send else ("recv", "from")
        return f"{word[0]} {bytes_}b {word[1]} {other} tag {tag}"

    def _add(self, words: str) -> Iterator[str]:
        self.label += 1
        yield f"l{self.label}: {words}"
        yield from (f"l{self.label} requires l{label}" for label in self.needed)

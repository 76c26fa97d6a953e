"""SimGrid's time-independent traces (smpirun -replay): a file that names one file for each rank,
with its actions in order. Collectives of other communicators than MPI_COMM_WORLD are written as the
messages of a usual algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hockney.infer.predict.expansion import of_rank
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

SPEED = 1e9
"""Operations a second of the simulated hosts, in which computing is written."""
MOST_TAGS = 1 << 15
OWN_TAGS = MOST_TAGS
"""First tag of the messages that make collectives."""
ROOTED = frozenset({"bcast", "reduce", "gather", "scatter"})
SUMS = frozenset({"reduce", "allreduce", "scan", "exscan"})
TWICE = frozenset({"gather", "scatter", "allgather", "alltoall"})
"""Collectives whose lines have the bytes twice, as sent and as received."""


def write_order(order: Order, name: str) -> Iterable[tuple[str, str]]:
    world = len(order.ranks)
    tags = _tags(order)
    names = [f"{name}.{rank}" for rank in range(world)]
    yield name, "".join(f"{file}\n" for file in names)
    for rank, file in enumerate(names):
        lines = [f"{rank} {action}" for action in _actions(order, rank, tags)]
        yield file, "\n".join([f"{rank} init", *lines, f"{rank} finalize", ""])


def _tags(order: Order) -> dict[tuple[str, int], int]:
    """A tag for each communicator and tag of the program, as a trace has no communicators."""
    tags: dict[tuple[str, int], int] = {}
    for of in order.ranks:
        for step in of:
            if step.what not in COLLECTIVE:
                tags.setdefault((step.members, step.tag), len(tags) % MOST_TAGS)
    return tags


def _actions(order: Order, rank: int, tags: dict[tuple[str, int], int]) -> Iterator[str]:
    started: dict[int, str] = {}
    for step in order.ranks[rank]:
        if step.before_s * SPEED >= 1.0:
            yield f"compute {round(step.before_s * SPEED)}"
        if step.what in COLLECTIVE:
            yield from _collective(order, rank, step)
            continue
        if step.what == COMPLETE:
            if step.request in started:
                yield f"wait {started.pop(step.request)}"
            continue
        tag = tags[step.members, step.tag]
        name = {SEND: "send", RECEIVE: "recv", START_SEND: "isend", START_RECEIVE: "irecv"}
        yield f"{name[step.what]} {step.peer} {tag} {step.bytes}"
        ends = (rank, step.peer) if step.what == START_SEND else (step.peer, rank)
        if step.what in (START_SEND, START_RECEIVE):
            started[step.request] = f"{ends[0]} {ends[1]} {tag}"


def _collective(order: Order, rank: int, step: TraceStep) -> Iterator[str]:
    ranks = order.groups[step.match]
    root = ranks.index(step.peer) if step.peer in ranks else 0
    if len(ranks) < len(order.ranks) or step.name == "reduce_scatter_block":
        yield from _messages(order, rank, step, root)
        return
    words = [step.name]
    if step.name != "barrier":
        words += [str(step.bytes)] * (2 if step.name in TWICE else 1)
    words += ["0"] * (step.name in SUMS)
    words += [str(root)] * (step.name in ROOTED)
    yield " ".join(words)


def _messages(order: Order, rank: int, step: TraceStep, root: int) -> Iterator[str]:
    tag = OWN_TAGS + step.match % MOST_TAGS
    ranks = order.groups[step.match]
    for out, into in of_rank(step.name, ranks, root, rank, step.bytes):
        yield from (f"irecv {other} {tag} {bytes_}" for other, bytes_ in into)
        yield from (f"isend {other} {tag} {bytes_}" for other, bytes_ in out)
        yield from (f"wait {other} {rank} {tag}" for other, _ in into)
        yield from (f"wait {rank} {other} {tag}" for other, _ in out)

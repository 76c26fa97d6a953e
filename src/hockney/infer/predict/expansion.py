"""Expands collectives to messages, for formats that have only messages."""

from __future__ import annotations

from functools import cache

from hockney.base.errors import UsageError
from hockney.infer.predict.schedule import bounded
from hockney.infer.predict.schedules import SCHEDULES, schedules_name

Message = tuple[int, int, int]
"""Sender, receiver (counted from the root) and bytes."""
USUAL = {
    "allgather": ("ring", "basic_linear"),
    "allreduce": ("recursive_doubling", "ring", "basic_linear"),
    "alltoall": ("pairwise", "basic_linear"),
    "barrier": ("bruck", "basic_linear"),
    "bcast": ("binomial", "basic_linear"),
    "gather": ("binomial", "basic_linear"),
    "reduce": ("binomial", "basic_linear"),
    "reduce_scatter_block": ("pairwise", "basic_linear"),
    "scan": ("recursive_doubling", "basic_linear"),
    "scatter": ("binomial", "basic_linear"),
}
"""Algorithms that any library could choose; the first that suits the number of ranks is taken."""


@cache
def expanded(name: str, ranks: int, bytes_: int) -> tuple[tuple[Message, ...], ...]:
    """The messages of each step; a rank sends in a step what it had at the end of the step before.
    Raises UsageError without a schedule."""
    scheduled = schedules_name(name)
    known = SCHEDULES.find(scheduled).ALGORITHMS
    if ranks < 2:
        return ()
    for algorithm in USUAL.get(scheduled, ("basic_linear",)):
        try:
            steps = bounded(known[algorithm](ranks, bytes_, None))
            return tuple(
                tuple(
                    zip(
                        step.sources.tolist(),
                        step.destinations.tolist(),
                        [round(size) for size in step.bytes.tolist()],
                        strict=True,
                    )
                )
                for step in steps
            )
        except UsageError:  # it needs other numbers of ranks
            continue
    raise UsageError(f"{name} on {ranks} ranks has no schedule")


def of_rank(name: str, ranks: tuple[int, ...], root: int, rank: int, bytes_: int) -> list[
    tuple[list[tuple[int, int]], list[tuple[int, int]]]
]:  # fmt: skip
    """What a rank sends and receives in each step: pairs of rank and bytes. root: its position in
    `ranks`."""
    size = len(ranks)
    own = (ranks.index(rank) - root) % size
    steps = []
    for step in expanded(name, size, bytes_):
        out = [(ranks[(to + root) % size], b) for of, to, b in step if of == own]
        into = [(ranks[(of + root) % size], b) for of, to, b in step if to == own]
        if out or into:
            steps.append((out, into))
    return steps

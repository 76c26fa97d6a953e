"""Schedules: the steps of an algorithm, with the messages of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array, Whole

Ranks = Whole
Blocks = Callable[[int], Iterable[int]]
"""The blocks of data that the i-th message of a step carries."""

MOST_RANKS = 2**20
MOST_MESSAGES = 2**25
"""Most messages of a schedule, some seconds of simulation; enough for an alltoall of 4,096
ranks."""
MOST_AT_ONCE = 2**24
"""Most messages of a step, which takes a hundred bytes for each."""
STEP_MESSAGES = 800
"""Cost of simulating a step, in additional messages."""


@dataclass(frozen=True)
class Step:
    """Messages that are posted together. A rank can send in the next step what it received.

    sources, destinations, bytes: shape (messages,), the messages of one source in the order in
    which it posts them. Ranks count from the root, which is 0.
    """

    sources: Ranks
    destinations: Ranks
    bytes: Array
    blocks: Blocks
    in_turn: bool = False
    """Whether a rank waits for each of its messages before it posts the next (MPI_Send, not
    MPI_Isend)."""
    reduces: bool = False
    """Whether the receiver reduces the message into its own data."""
    phase: str | None = None
    """The phase of the algorithm with the step; None if it has only one."""


Schedule = Iterator[Step]
Algorithm = Callable[[int, int, int | None], Schedule]
"""A schedule as a function of the number of ranks, the collective's bytes and the segment size."""


def step(
    sources: Iterable[int] | Ranks,
    destinations: Iterable[int] | Ranks,
    bytes_: float | Array,
    blocks: Blocks,
    *,
    in_turn: bool = False,
    reduces: bool = False,
) -> Step:
    """A step whose messages all have one size, or each their own."""
    from_, to = np.asarray(sources, dtype=np.int64), np.asarray(destinations, dtype=np.int64)
    sizes = np.broadcast_to(np.asarray(bytes_, dtype=np.float64), from_.shape)
    return Step(from_, to, sizes, blocks, in_turn, reduces)


def phase(name: str, schedule: Schedule) -> Schedule:
    """The schedule as one phase of an algorithm."""
    for part in schedule:
        yield replace(part, phase=name)


def step_effort(part: Step) -> int:
    """Cost of simulating a step, in messages."""
    return len(part.sources) + STEP_MESSAGES


def bounded(schedule: Schedule) -> Schedule:
    """The schedule; raises UsageError when it exceeds MOST_MESSAGES."""
    walked = 0
    for part in schedule:
        walked += step_effort(part)
        if walked > MOST_MESSAGES:
            raise too_long(walked)
        yield part


def too_long(messages: int) -> UsageError:
    return UsageError(
        f"a schedule of {messages} messages or more takes too long to simulate",
        "ask for fewer ranks, or larger segments",
    )


def split(bytes_: int, segment: int | None) -> Array:
    """Sizes of the segments that a message is sent in: whole ones and a rest."""
    if not segment or segment >= bytes_:
        return np.array([float(bytes_)])
    whole, rest = divmod(bytes_, segment)
    if whole > MOST_MESSAGES:
        raise too_long(whole)
    return np.concatenate([np.full(whole, float(segment)), np.full(int(rest > 0), float(rest))])


def parts(bytes_: int, count: int) -> Array:
    """Sizes of `count` parts of a message that differ by at most one byte, the larger first."""
    least, more = divmod(bytes_, count)
    return np.array([float(least + (part < more)) for part in range(count)])


def circular_sums(sizes: Array, first: Ranks, count: int) -> Array:
    """Bytes of `count` neighbouring parts from each `first` on, counted round the end."""
    total = sums_of(np.concatenate([sizes, sizes]))
    return np.asarray(total[first + count] - total[first], dtype=np.float64)


def sums_of(sizes: Array) -> Array:
    """Bytes before each block, and of all; shape (blocks + 1,)."""
    return np.concatenate([[0.0], np.cumsum(sizes)])


def ranges(
    sources: Ranks,
    destinations: Ranks,
    first: Ranks,
    end: Ranks,
    total: Array,
    *,
    in_turn: bool = False,
    reduces: bool = False,
) -> Step:
    """A step whose messages carry the blocks from first to before end. total: sums_of sizes."""

    def blocks(message: int) -> range:
        return range(int(first[message]), int(end[message]))

    sizes = total[end] - total[first]
    return step(sources, destinations, sizes, blocks, in_turn=in_turn, reduces=reduces)


def of_equal_blocks(schedule: Callable[[int, Array], Schedule]) -> Algorithm:
    """An algorithm without segments: the schedule for a block of the collective's bytes a rank."""
    return lambda ranks, bytes_, _segment: schedule(ranks, np.full(ranks, float(bytes_)))


def power_below(ranks: int) -> int:
    """The largest power of two that is not above the number of ranks."""
    return 1 << (ranks.bit_length() - 1)


def one_block(blocks: Ranks | Array, message: int) -> tuple[int]:
    """The block of each message, for steps whose messages carry one block each."""
    return (int(blocks[message]),)


def require(holds: bool, what: str, ranks: int) -> None:
    """Raises UsageError unless the condition on the number of ranks holds."""
    if not holds:
        raise UsageError(f"{what}, not {ranks}", "libraries use another algorithm for it")

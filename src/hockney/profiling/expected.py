"""Times of messages on the machine of a profile, without waiting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hockney.profiling.kinds import Calls, MessagesAlone

ONE_MESSAGE = frozenset(
    f"MPI_{name}"
    for name in (
        *("Send", "Bsend", "Ssend", "Rsend", "Isend", "Ibsend", "Issend", "Irsend"),
        *("Recv", "Irecv", "Mrecv", "Imrecv"),
        *("Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"),
        *("Put", "Get", "Rput", "Rget", "Accumulate", "Raccumulate", "Start", "Startall"),
    )
)
BY_TREE = frozenset({"barrier", "bcast", "reduce", "allreduce", "scan", "exscan"})
"""Collectives in which at least log2(p) messages of the whole buffer follow each other."""
BY_BLOCKS = frozenset(
    {"scatter", "gather", "allgather", "alltoall", "scatterv", "gatherv", "allgatherv"}
    | {"alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block"}
)
"""Collectives in which a rank exchanges a block with every other one."""
OF_ALL_BLOCKS = frozenset({"alltoallv", "alltoallw", "reduce_scatter"})
"""Collectives whose bytes are those of all blocks together."""


class MessageTimes:
    """Times of single messages, between measured sizes by a line through logarithms, beyond the
    largest by its bandwidth."""

    def __init__(self, messages: Sequence[tuple[int, float]]) -> None:
        """messages: bytes and seconds of single ones, above 0: see times_of()."""
        points = sorted(messages)
        self.sizes = [size for size, _ in points]
        self.seconds = [seconds for _, seconds in points]

    @property
    def latency_s(self) -> float:
        """The time of the smallest message."""
        return self.seconds[0]

    @property
    def largest_Bps(self) -> float:
        """The bandwidth of the largest message."""
        return self.sizes[-1] / self.seconds[-1]

    def message_s(self, bytes_: float) -> float:
        if bytes_ >= self.sizes[-1] > 0:
            return self.seconds[-1] * bytes_ / self.sizes[-1]
        places = np.log2(np.maximum(self.sizes, 0.5))
        logs = np.interp(math.log2(max(bytes_, 0.5)), places, np.log2(self.seconds))
        return float(2.0**logs)

    def call_s(self, calls: Calls) -> tuple[float, float] | None:
        """Latency of one such call and the rest of its time; None if its messages are unknown."""
        count = messages_of(calls)
        if count is None:
            return None
        number, bytes_ = count
        latency = number * self.latency_s
        return latency, max(number * self.message_s(bytes_) - latency, 0.0)


def times_of(messages: Sequence[tuple[int, float]]) -> MessageTimes | None:
    """The times of single messages; None if none of them is a time above 0."""
    known = [(size, seconds) for size, seconds in messages if seconds > 0.0]
    return MessageTimes(known) if known else None


@dataclass(frozen=True)
class MessagesModel:
    """Times of contiguous messages, and of messages whose bytes lie apart, if they are known."""

    contiguous: MessageTimes
    scattered: MessageTimes | None = None

    def copying_s(self, calls: Calls) -> float:
        """The longest that copying the strided messages of one such call may take: the additional
        time of messages whose bytes each lie in their own cache line. 0 if unknown."""
        count = messages_of(calls)
        if self.scattered is None or count is None:
            return 0.0
        number, bytes_ = count
        more = self.scattered.message_s(bytes_) - self.contiguous.message_s(bytes_)
        return number * max(more, 0.0)


def messages_of(calls: Calls) -> tuple[float, float] | None:
    """Number and bytes of the messages that must follow each other in a call; None if unknown. For
    collectives the minimum of the usual algorithms (Thakur et al., 2005): log2(p) steps of a tree,
    or a block for each other rank, all at the price of one large message."""
    bytes_ = calls.bytes_sum / calls.count  # `bytes` may be an upper limit
    if calls.call in ONE_MESSAGE:
        return 1.0, bytes_
    name = calls.call.removeprefix("MPI_").removesuffix("_init").lower()
    plain = name.removeprefix("i") if name.removeprefix("i") in BY_TREE | BY_BLOCKS else name
    if calls.communicator_size is None:
        return None
    ranks = calls.communicator_size
    steps = float((ranks - 1).bit_length())
    if plain in BY_TREE:
        return steps, bytes_
    if plain in BY_BLOCKS:
        blocks = 1 if plain in OF_ALL_BLOCKS else ranks - 1
        return steps, bytes_ * blocks / max(steps, 1.0)
    return None


def model_of(machine: MessagesAlone | None, hosts: Sequence[str]) -> MessagesModel | None:
    """The message times of a machine; None if none were measured, or ranks are on several hosts,
    between which messages take longer."""
    if machine is None or len(set(hosts)) != 1:
        return None
    contiguous = times_of(machine.messages)
    return MessagesModel(contiguous, times_of(machine.scattered)) if contiguous else None

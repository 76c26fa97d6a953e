"""Pairs of ranks that exchange messages, several pairs at once."""

from __future__ import annotations

from typing import Annotated

from hockney.base.errors import UsageError
from hockney.base.units import parse_nanoseconds
from hockney.plan.knobs import Knob
from hockney.plan.messages import threads_text
from hockney.plan.words import MODES as MODES
from hockney.plan.words import PARTITIONED, PERSISTENT, REPLACE, STANDARD
from hockney.plan.workloads import Buffers, Row
from hockney.plan.workloads._messages import Messages as Messages
from hockney.plan.workloads._shared import EveryIteration, Verify
from hockney.plan.workloads.pingpong import check_verify

Pair = tuple[int, int]
Pairing = tuple[Pair, ...]

FIELDS = frozenset(
    {"pairing", "active", "operation", "mode"}
    | {"threads", "thread_comms", "datatype", "receive_datatype"}
)
"""Fields of all operations."""
WINDOWED = ("stream", "bidirectional")
"""Operations with a window of messages in flight."""
USUAL_WINDOW = 64
"""Messages in flight."""


def halves(ranks: int) -> Pairing:
    """Pairs rank r with r + n/2; the last of an odd number of ranks stays idle."""
    half = ranks // 2
    return tuple(zip(range(half), range(half, 2 * half), strict=True))


def neighbours(ranks: int) -> Pairing:
    """Pairs rank 2i with 2i + 1; the last of an odd number of ranks stays idle."""
    paired = ranks // 2 * 2
    return tuple(zip(range(0, paired, 2), range(1, paired, 2), strict=True))


def _name_of(pairing: Pairing, ranks: int) -> str | None:
    """The engine's name of the pairing, if it has one (for even numbers of ranks)."""
    named = {halves(ranks): "halves", neighbours(ranks): "neighbours"}
    return None if ranks % 2 else named.get(pairing)


def listed_pairs(pairing: Pairing, ranks: int) -> str | None:
    """The list of pairs as the engine takes it; None if it knows the pairing by name."""
    if _name_of(pairing, ranks) is not None:
        return None
    return ",".join(f"{first}-{second}" for first, second in pairing)


def pairing_argument(pairing: Pairing, ranks: int, list_file: str | None) -> str:
    """The engine's argument; `list_file` holds `listed_pairs` if that was written to a file."""
    listed = f"@{list_file}" if list_file else listed_pairs(pairing, ranks)
    return f"--pairing={_name_of(pairing, ranks) or listed}"


class Pairs(Messages, frozen=True, kw_only=True, tag="pairs"):
    pairing: Pairing
    active: tuple[int, ...]
    """Numbers of concurrent pairs; each uses the first pairs of `pairing`."""
    operation: str = "pingpong"
    mode: str = STANDARD
    """The send mode, one of MODES that the operation takes. Standard is MPI_Send for a ping-pong,
    nonblocking with a request for each message for a stream, MPI_Sendrecv for an exchange."""
    windows: tuple[int, ...] = (USUAL_WINDOW,)
    """Messages in flight, for operations with a window."""
    every_iteration: EveryIteration = False
    verify: Verify = False
    partitions: tuple[int, ...] = ()
    """Numbers of partitions of a message, each sent by its own thread."""
    stagger_ns: Annotated[
        float,
        Knob(
            "Time from one partition's readiness to the next one's.",
            operations=frozenset({"pingpong"}),
            metavar="TIME",
            read=parse_nanoseconds,
        ),
    ] = 0.0

    @property
    def parts(self) -> tuple[int, ...]:
        return self.partitions

    @property
    def usual_buffers(self) -> Buffers:
        separate = self.operation in WINDOWED or self.verify or self.separates
        return "separate" if separate else "returned"

    @property
    def ends_by_precision(self) -> bool:
        return False

    def check(self, ranks: int) -> None:  # noqa: ARG002
        check_verify(self.verify, self.buffers)
        if self.datatype and self.mode == REPLACE:
            raise UsageError(
                "--mode replace receives where it sends from, and takes no --datatype",
                "use another --mode",
            )
        if self.packing != ("datatype",) and self.mode != STANDARD:
            raise UsageError(f"--mode {self.mode} does not take --packing", "use --mode standard")
        apart = [both for both in self.threads if both[0] != both[1]]
        if apart and self.operation != "pingpong":
            raise UsageError(
                f"--threads {threads_text(apart[0])}: only pingpong takes more threads on one side",
                "use as many receivers as senders",
            )
        self.check_messages(self.verify)
        self._check_partitions()

    def _check_partitions(self) -> None:
        if (self.mode == PARTITIONED) != bool(self.partitions):
            raise UsageError(
                f"--mode {PARTITIONED} and --partitions need each other",
                f"write --mode {PARTITIONED} --partitions 4",
            )
        if self.stagger_ns and not self.partitions:
            raise UsageError(
                "--stagger: there are no partitions", f"give --mode {PARTITIONED} and --partitions"
            )
        for count in self.partitions:
            for size in self.sizes:
                if count > size.bytes:
                    raise UsageError(
                        f"--partitions {count}: more partitions than bytes, in messages of "
                        f"{size.bytes}",
                        "use larger --sizes or fewer partitions",
                    )
                if size.bytes % count:
                    raise UsageError(
                        f"--partitions {count}: {size.bytes} bytes do not make as many equal parts",
                        f"use sizes that are multiples of {self.unit_bytes}, or leave --sizes out",
                    )
        if self.partitions and self.threads:
            raise UsageError("--partitions has a thread for each partition", "leave out --threads")
        if self.partitions and self.datatype:
            raise UsageError("--partitions divides contiguous messages", "leave out --datatype")
        if self.partitions and self.any_source:
            raise UsageError("--any-source: a partitioned receive names its source", "leave it out")

    def buffer_bytes(self, ranks: int) -> int:
        return self.messages_bytes(super().buffer_bytes(ranks))

    @property
    def times_every_iteration(self) -> bool:
        return self.every_iteration

    @classmethod
    def rows(cls) -> dict[str, Row]:
        return {
            "pingpong": Row(
                FIELDS | {"packing", "partitions"},
                modes=(STANDARD, "synchronous", "nonblocking", PERSISTENT, PARTITIONED),
            ),
            "stream": Row(FIELDS | {"windows"}, ("separate", "cold"), modes=(STANDARD, PERSISTENT)),
            "bidirectional": Row(FIELDS | {"windows"}, modes=(STANDARD, PERSISTENT)),
            "exchange": Row(FIELDS, modes=(STANDARD, "nonblocking", REPLACE)),
        }

    @property
    def row(self) -> str:
        return self.operation

    def long_list(self, ranks: int) -> str | None:
        return listed_pairs(self.pairing, ranks)

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:
        words = [
            "pairs",
            pairing_argument(self.pairing, ranks, list_file),
            f"--operation={self.operation}",
            f"--mode={self.mode}",
        ]
        if self.operation in WINDOWED:
            words.append("--window=" + ",".join(map(str, self.windows)))
        words += self.messages_arguments()
        if self.partitions:
            words.append("--partitions=" + ",".join(map(str, self.partitions)))
        words.append("--pairs-active=" + ",".join(map(str, self.active)))
        return words


WORKLOAD = Pairs
PAIR_OPERATIONS = tuple(Pairs.rows())

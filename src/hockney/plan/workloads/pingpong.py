"""Ping-pong: messages back and forth between two ranks."""

from __future__ import annotations

from typing import Annotated, Literal

from hockney.base.errors import UsageError
from hockney.plan.knobs import Knob
from hockney.plan.workloads import Buffers
from hockney.plan.workloads._devices import Staged, WaitEach
from hockney.plan.workloads._messages import Messages as Messages
from hockney.plan.workloads._shared import EveryIteration, Tails, Verify

Reduce = Literal["max", "first"]


class Pingpong(Messages, frozen=True, kw_only=True, tag="pingpong"):
    peers: tuple[int, int] = (0, 1)
    """The two ranks that exchange messages."""
    every_iteration: EveryIteration = False
    tails: Tails = False
    keep_clock_cost: bool = False
    """Do not subtract the cost of reading the clock."""
    sweep: bool = False
    """Visit sizes in order, once each, with fixed repetitions."""
    seconds_a_size: float | None = None
    """In a sweep: repetitions for about this time, by a timed warm-up; None for fixed ones."""
    reduce: Reduce = "max"
    """Use the larger of the two ranks' times, or the first rank's."""
    verify: Verify = False
    staged: Staged = ""
    wait_each: WaitEach = False
    floor: Annotated[
        bool,
        Knob(
            "Also measure what the hardware does without MPI, in the same rounds.", is_beside=True
        ),
    ] = False
    refine: bool = False
    """Locate the sizes at which the curve breaks, with further launches."""
    preset: str | None = None
    """The classic program whose sizes and repetitions are used."""

    @property
    def times_every_iteration(self) -> bool:
        return self.every_iteration or self.tails

    @property
    def usual_buffers(self) -> Buffers:
        """Separate buffers if verification (each rank sends its own pattern) or a layout needs
        them."""
        return "separate" if self.verify or self.separates else "returned"

    @property
    def ends_by_time(self) -> bool:
        return not self.sweep

    @property
    def ends_by_precision(self) -> bool:
        """False with tails, which need samples when medians are long known."""
        return self.ends_by_time and not self.tails

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        words = ["pingpong", peers_argument(self.peers), f"--reduce={self.reduce}"]
        words += self.flags("sweep")
        if self.seconds_a_size is not None:
            words.append(f"--seconds-a-size={self.seconds_a_size:g}")
        return [
            *words,
            *self.flags("keep_clock_cost"),
            *self.messages_arguments(),
        ]

    def check(self, ranks: int) -> None:
        check_verify(self.verify, self.buffers)
        check_peers(self.peers, ranks)
        self.check_messages(self.verify)
        if self.methods > 1 and (self.sweep or self.refine):
            raise UsageError(
                "--refine and --preset measure one way to exchange messages",
                "leave out --datatype, or all but one of --threads",
            )
        if self.tails and (self.sweep or self.refine):
            raise UsageError(
                "--tails needs rounds of single exchanges, without --refine and --preset",
                "measure them in another run",
            )
        if self.refine and (self.sweep or len(self.sizes) < 2):
            raise UsageError(
                "--refine needs at least two sizes",
                "give two or more, as --sizes 8000,8300 (the range 8000..8300 doubles its first "
                "size, and has that one alone), and no --preset",
            )

    def taking_part(self, ranks: int) -> int:  # noqa: ARG002
        return 2

    def buffer_bytes(self, ranks: int) -> int:
        """Bytes of a rank, with another buffer in shared memory for the floor."""
        return self.messages_bytes(super().buffer_bytes(ranks)) + self.floor * self.largest_bytes


WORKLOAD = Pingpong


def check_verify(verify: bool, buffers: Buffers | None) -> None:
    """Raises UsageError if --verify is combined with returned buffers."""
    if verify and buffers == "returned":
        raise UsageError(
            "--verify: each rank sends its own pattern, which --buffers returned overwrites",
            "use --buffers separate or cold, or leave --buffers out",
        )


def peers_argument(peers: tuple[int, int]) -> str:
    return f"--peers={peers[0]},{peers[1]}"


def check_peers(peers: tuple[int, int], ranks: int) -> None:
    """Raises UsageError if a peer does not exist."""
    for peer in peers:
        if peer >= ranks:
            raise UsageError(
                f"--peers {peers[0]},{peers[1]}: there is no rank {peer} among {ranks}",
                f"ranks are 0 to {ranks - 1}; -n sets how many",
            )

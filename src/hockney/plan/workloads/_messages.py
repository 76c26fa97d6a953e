"""Common fields of ping-pongs and pairs: threads, layouts, partitions and sources of messages."""

from __future__ import annotations

import math
from typing import Annotated

from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.plan.bounds import LARGEST_INT, MOST
from hockney.plan.datatypes import layout_of
from hockney.plan.knobs import Axis, Knob
from hockney.plan.messages import (
    Packing,
    ThreadComms,
    Threads,
    threads_text,
)
from hockney.plan.workloads._devices import OnDevices


class Messages(OnDevices, frozen=True, kw_only=True):
    """A workload of messages between two ranks."""

    threads: tuple[Threads, ...] = ()
    """Numbers of threads that exchange messages at once, of each rank; empty for ranks with one,
    under an MPI that need not lock."""
    thread_comms: ThreadComms = "shared"
    datatype: str | None = None
    """The layout of messages that are sent, and received unless `receive_datatype` is given;
    measured beside contiguous ones."""
    receive_datatype: str | None = None
    packing: tuple[Packing, ...] = ("datatype",)
    any_source: Annotated[
        bool,
        Knob(
            "Receive from MPI_ANY_SOURCE.",
            Axis(
                lambda is_any: "from any source" if is_any else None,
                is_method=True,
                is_special=True,
            ),
        ),
    ] = False

    @property
    def parts(self) -> tuple[int, ...]:
        """Numbers of partitions of a message, each sent by its own thread; empty without
        partitions."""
        return ()

    @property
    def threads_of_rank(self) -> int:
        each = [*self.parts, *(number for both in self.threads for number in both)]
        return max(each, default=1)

    @property
    def methods(self) -> int:
        """Number of ways to exchange messages that are measured side by side."""
        layouts = 1 + len(self.packing) if self.datatype else 1
        memories = len(self.sides) or 1
        return max(len(self.threads), 1) * layouts * (2 * len(self.parts) or 1) * memories

    @property
    def separates(self) -> bool:
        """True if a received message cannot be sent back from its buffer."""
        return self.datatype is not None or bool(self.parts)

    def messages_arguments(self) -> list[str]:
        """The engine's options of these fields."""
        words = []
        if self.threads:
            words.append("--threads=" + ",".join(map(threads_text, self.threads)))
            words.append(f"--thread-comms={self.thread_comms}")
        if self.datatype is not None:
            words.append(f"--datatype={self.datatype}")
            words.append("--packing=" + ",".join(self.packing))
        if self.receive_datatype is not None:
            words.append(f"--receive-datatype={self.receive_datatype}")
        return words

    def messages_bytes(self, one_thread: int) -> int:
        """Bytes that a rank with `one_thread` bytes for each thread allocates."""
        threads = max((number for both in self.threads for number in both), default=1)
        if self.datatype is None:
            return threads * one_thread
        layout = layout_of(self.datatype)
        return threads * (one_thread * layout.span // layout.data + self.largest_bytes)

    def check_messages(self, verify: bool) -> None:
        """Raises UsageError if these fields do not suit each other, or the sizes."""
        self._check_threads(verify)
        self._check_layouts()

    def _check_threads(self, verify: bool) -> None:
        if self.thread_comms != "shared" and not self.threads:
            raise UsageError(
                f"--thread-comms {self.thread_comms}: there is one thread", "give --threads"
            )
        for senders, receivers in self.threads:
            option = f"--threads {senders}:{receivers}"
            if not (0 < senders <= MOST["threads"] and 0 < receivers <= MOST["threads"]):
                raise UsageError(f"{option}: a rank has 1 to {MOST['threads']} threads")
            if senders == receivers:
                continue
            if self.thread_comms != "shared":
                raise UsageError(
                    f"{option}: with a communicator for each thread, each needs a partner",
                    "use --thread-comms shared, or as many receivers as senders",
                )
            if verify and senders > receivers:
                raise UsageError(
                    f"{option}: a receiver would overwrite one message with the next before "
                    "--verify sees it",
                    "use as many receivers as senders, or more",
                )

    def _check_layouts(self) -> None:
        if self.receive_datatype is not None and self.datatype is None:
            raise UsageError(
                "--receive-datatype: the layout of what is sent is not given", "give --datatype"
            )
        if self.datatype is None:
            if self.packing != ("datatype",):
                raise UsageError("--packing: contiguous messages need none", "give --datatype")
            return
        if self.buffers == "returned":
            raise UsageError(
                "--datatype: with --buffers returned a message would be sent from where it was "
                "received, in another layout",
                "use --buffers separate or cold, or leave --buffers out",
            )
        for layout in (self.datatype, self.receive_datatype or self.datatype):
            unit = layout_of(layout).data
            for size in self.sizes:
                if size.bytes % unit:
                    raise UsageError(
                        f"--sizes: {size.bytes} bytes are no whole number of elements of {layout}, "
                        f"which have {unit} bytes of data",
                        f"use multiples of {self.unit_bytes}, or leave --sizes out",
                    )
                if size.bytes // unit > LARGEST_INT:
                    raise UsageError(
                        f"--sizes: {format_size(size.bytes)} are more elements of {layout} than "
                        "MPI counts",
                        "use larger elements",
                    )
        if "pack" in self.packing and self.largest_bytes > LARGEST_INT:
            raise UsageError(
                "--packing pack: MPI_Pack takes less than 2 GiB", "leave it out, or larger sizes"
            )

    @property
    def unit_bytes(self) -> int:
        """Unit of sizes in bytes, a multiple of a layout's element and of the partitions."""
        layouts = [
            layout for layout in (self.datatype, self.receive_datatype) if layout is not None
        ]
        return math.lcm(*(layout_of(layout).data for layout in layouts), *self.parts)

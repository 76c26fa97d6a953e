"""One collective operation of all ranks."""

from __future__ import annotations

from typing import Literal

from hockney.errors import AskedWronglyError
from hockney.spec.workloads import Buffers, Measured, Row, Workload
from hockney.units import format_size

COLLECTIVES = (
    *("barrier", "bcast", "scatter", "gather", "reduce", "allreduce", "allgather", "alltoall"),
    *("reduce_scatter_block", "scan", "scatterv", "gatherv", "allgatherv", "alltoallv"),
    *("ibarrier", "ibcast", "iscatter", "igather", "ireduce", "iallreduce", "iallgather"),
    "ialltoall",
)
"""Collectives that the engine measures: blocking, v variants, nonblocking."""
NOT_MEASURED = ("reduce_scatter", "exscan")
"""Collectives that only imported logs have."""
NONBLOCKING = frozenset(name for name in COLLECTIVES if name.startswith("i"))
ROOTED = frozenset(
    {"bcast", "scatter", "gather", "reduce", "scatterv", "gatherv"}
    | {"ibcast", "iscatter", "igather", "ireduce"}
)
NO_BYTES = frozenset({"barrier", "ibarrier"})
REDUCTIONS = frozenset(
    {"reduce", "allreduce", "reduce_scatter_block", "scan", "ireduce", "iallreduce"}
)
"""These reduce integers, so their sizes are multiples of INT_BYTES."""
IN_PLACE = NO_BYTES | {"bcast", "ibcast"}
"""These have one buffer to send and receive."""
WHOLE = NO_BYTES | (REDUCTIONS - {"reduce_scatter_block"}) | {"bcast", "ibcast"}
"""Their bytes are those of the whole buffer. For all others they are those of one rank's block,
and a buffer has a block for each rank."""
INT_BYTES = 4
"""Size of an element of the engine's reductions."""
MOST_BYTES = 2**31 - 1
"""MPI counts are int."""
DEFAULT = "default"
"""Name of the library's own decision."""


def is_collective_name(operation: str) -> bool:
    """True if it names a collective, v and nonblocking variants included."""
    forms = {operation, operation.removeprefix("i"), operation.removesuffix("v")}
    return not forms.isdisjoint((*COLLECTIVES, *NOT_MEASURED))


Root = Literal["first", "rotate"]
Sync = Literal["clock", "barrier"]


class Collective(Workload, frozen=True, kw_only=True, tag="collective"):
    collective: str
    algorithm: str = DEFAULT
    """The name in the samples; the environment of the placement forces the algorithm."""
    segment_bytes: int | None = None
    """0 for unsegmented; None for the library's own size, or an algorithm without segments."""
    root: Root = "first"
    """Rank 0, or another rank for each repetition."""
    sync: Sync = "clock"
    """Ranks start at a common time, or after a barrier."""
    overlap: bool = False
    """Measure also overlapped with computation as long as the operation."""
    verify: bool = False
    """Check every byte and every reduced value."""

    @property
    def usual_buffers(self) -> Buffers:
        return "separate"

    @classmethod
    def rows(cls) -> dict[str, Row]:
        everywhere = {"collective", "algorithm", "segment_bytes", "sync"}
        return {
            name: Row(
                frozenset(everywhere)
                | ({"root"} if name in ROOTED else set())
                | ({"overlap"} if name in NONBLOCKING else set())
                | (set() if name in NO_BYTES else {"verify"}),
                ("separate", "cold"),
                has_bytes=name not in NO_BYTES,
            )
            for name in COLLECTIVES
        }

    @property
    def row(self) -> str:
        return self.collective

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        return [
            "collective",
            self.collective,
            f"--root={self.root}",
            f"--sync={self.sync}",
            *self.flags("overlap", "verify"),
            f"--algorithm={self.algorithm}",
            *([] if self.segment_bytes is None else [f"--segment-bytes={self.segment_bytes}"]),
        ]

    def check(self, ranks: int) -> None:  # noqa: ARG002
        if self.verify and self.sync == "barrier":
            raise AskedWronglyError(
                "--verify works with --sync clock only", "leave out --sync barrier"
            )
        if self.largest_bytes > MOST_BYTES:
            raise AskedWronglyError(
                f"--sizes: {format_size(self.largest_bytes)} is more than MPI counts in an int",
                "leave out sizes of 2 GiB and more",
            )

    def buffer_bytes(self, ranks: int) -> int:
        """Bytes of the send and receive buffers."""
        buffers = 1 if self.collective in IN_PLACE else 2
        return buffers * self.largest_bytes * (1 if self.collective in WHOLE else ranks)

    def is_measured_by(self, samples: Measured) -> bool:
        """Samples of a nonblocking collective match alone and overlapped."""
        asked = (self.collective, self.algorithm, self.segment_bytes)
        return (samples.operation, samples.algorithm, samples.segment_bytes) == asked


WORKLOAD = Collective

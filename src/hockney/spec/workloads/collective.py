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
"""Those that the engine measures: blocking, the v forms, nonblocking."""
NOT_MEASURED = ("reduce_scatter", "exscan")
"""Those that only imported logs have."""
NONBLOCKING = frozenset(name for name in COLLECTIVES if name.startswith("i"))
ROOTED = frozenset(
    {"bcast", "scatter", "gather", "reduce", "scatterv", "gatherv"}
    | {"ibcast", "iscatter", "igather", "ireduce"}
)
NO_BYTES = frozenset({"barrier", "ibarrier"})
REDUCTIONS = frozenset(
    {"reduce", "allreduce", "reduce_scatter_block", "scan", "ireduce", "iallreduce"}
)
"""These add up integers, so that their sizes are whole ones of them."""
IN_PLACE = NO_BYTES | {"bcast", "ibcast"}
"""These send from the buffer that they receive into."""
WHOLE = NO_BYTES | (REDUCTIONS - {"reduce_scatter_block"}) | {"bcast", "ibcast"}
"""Their bytes are the whole buffer; of all others a rank's block, and a buffer has one for each."""
INT_BYTES = 4
"""An element of the engine's reductions."""
MOST_BYTES = 2**31 - 1
"""MPI counts in int."""
DEFAULT = "default"
"""The algorithm that the library chooses by itself."""


def is_collective_name(operation: str) -> bool:
    """Whether all ranks take part in the operation; with its v and nonblocking forms."""
    forms = {operation, operation.removeprefix("i"), operation.removesuffix("v")}
    return not forms.isdisjoint((*COLLECTIVES, *NOT_MEASURED))


Root = Literal["first", "rotate"]
Sync = Literal["clock", "barrier"]


class Collective(Workload, frozen=True, kw_only=True, tag="collective"):
    collective: str
    algorithm: str = DEFAULT
    """The name that samples carry; what forces it is in the placement's environment."""
    segment_bytes: int | None = None
    """0: unsegmented; None: the library's own size, or an algorithm without segments."""
    root: Root = "first"
    """Rank 0, or another rank each time."""
    sync: Sync = "clock"
    """Ranks begin at a time on a common clock, or after a barrier."""
    overlap: bool = False
    """Also while computing for as long as the operation takes."""
    verify: bool = False
    """Every byte and every reduced value is checked."""

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
            *(["--overlap"] if self.overlap else []),
            *(["--verify"] if self.verify else []),
            f"--algorithm={self.algorithm}",
            *([] if self.segment_bytes is None else [f"--segment-bytes={self.segment_bytes}"]),
        ]

    def check(self, ranks: int) -> None:  # noqa: ARG002
        if self.verify and self.sync == "barrier":
            raise AskedWronglyError(
                "--verify: what is checked begins by the clock", "leave out --sync barrier"
            )
        if self.largest_bytes > MOST_BYTES:
            raise AskedWronglyError(
                f"--sizes: {format_size(self.largest_bytes)} is more than MPI counts in an int",
                "leave out sizes of 2 GiB and more",
            )

    def buffer_bytes(self, ranks: int) -> int:
        """To send and to receive."""
        buffers = 1 if self.collective in IN_PLACE else 2
        return buffers * self.largest_bytes * (1 if self.collective in WHOLE else ranks)

    def is_measured_by(self, samples: Measured) -> bool:
        """Samples of a nonblocking collective are of both ways, alone and overlapped."""
        asked = (self.collective, self.algorithm, self.segment_bytes)
        return (samples.operation, samples.algorithm, samples.segment_bytes) == asked


WORKLOAD = Collective

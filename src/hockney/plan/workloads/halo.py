"""Exchanges of every rank with its neighbours on a grid."""

from __future__ import annotations

import math
from typing import Annotated, Literal, get_args

from hockney.base.errors import UsageError
from hockney.base.units import format_size, how_many
from hockney.plan.knobs import Knob
from hockney.plan.words import grid_text
from hockney.plan.workloads import Buffers, Row
from hockney.plan.workloads._devices import OnDevices
from hockney.plan.workloads._shared import Sync, Verify, check_sync
from hockney.plan.workloads.collective import PERSISTENT, Form

Neighbors = Literal["faces", "edges", "corners"]
NEIGHBORS: tuple[Neighbors, ...] = get_args(Neighbors)
"""Neighbours one step away in one dimension, in at most two, in at most three."""
PARTITIONED = "partitioned"
BETWEEN_TWO = (
    *("waitall", "waitany", "waitsome", "sendrecv", "persistent", PARTITIONED),
    *("put-fence", "put-pscw", "put-flush", "get-fence", "get-flush"),
)
"""Exchanges between two ranks. persistent starts the same requests again and again; partitioned
messages have parts that may be sent as soon as they are packed; puts and gets go between two fences
of all ranks, or are flushed, with an empty message to each neighbour; puts also go between post,
start, complete and wait of neighbours."""
IN_WINDOWS = tuple(exchange for exchange in BETWEEN_TWO if exchange.startswith(("put-", "get-")))
BOUND = ("persistent", PARTITIONED, *IN_WINDOWS)
"""Exchanges between two ranks in the buffers that they were prepared for."""
NEIGHBORHOOD = ("neighbor", "neighborv", "neighborw", "neighbor-allgather", "neighbor-allgatherv")
"""Neighbourhood collectives: alltoall, alltoallv, alltoallw, allgather and allgatherv. They alone
have forms."""
EXCHANGES = (*BETWEEN_TWO, *NEIGHBORHOOD)
BLOCKS = ("sendrecv",)
"""Exchanges between two ranks that cannot compute meanwhile."""
CONTIGUOUS = "none"
PACKINGS = (CONTIGUOUS, "hand", "datatype")
"""Packings of a message: contiguous; or a column of an array, packed by the rank or sent as a
datatype by MPI."""
COLUMN_BYTES = 8
"""Bytes of an element of a column; each is in a cache line of its own."""
LINE_BYTES = 64
MOST_DIMENSIONS = 3
DIRECTIONS: dict[tuple[int, Neighbors], int] = {
    (dimensions, name): sum(
        math.comb(dimensions, changed) * 2**changed
        for changed in range(1, min(reach, dimensions) + 1)
    )
    for dimensions in range(1, MOST_DIMENSIONS + 1)
    for reach, name in enumerate(NEIGHBORS, start=1)
}
"""Number of neighbours, by the dimensions of the grid: 4 faces in two, 26 with corners in three."""


class Halo(OnDevices, frozen=True, kw_only=True, tag="halo"):
    grid: tuple[int, ...]
    """Ranks in each dimension."""
    exchanges: tuple[str, ...] = ("waitall",)
    forms: tuple[Form, ...] = ("blocking",)
    """Forms of the neighbourhood collectives."""
    packings: tuple[str, ...] = (CONTIGUOUS,)
    partitions: int | None = None
    """Partitions of each message of partitioned exchanges."""
    neighbors: Annotated[
        Neighbors, Knob("4 in two dimensions and 6 in three; 18 with edges; 8 and 26 with corners.")
    ] = "faces"
    open: Annotated[bool, Knob("No neighbours across the grid's ends.")] = False
    reorder: Annotated[bool, Knob("Let the library give ranks other places on the grid.")] = False
    sync: Sync = "clock"
    overlap: Annotated[
        bool, Knob("Also time exchanges during computation that takes as long as they do.")
    ] = False
    verify: Verify = False

    @property
    def usual_buffers(self) -> Buffers:
        return "separate"

    @property
    def has_neighborhood(self) -> bool:
        """True if it needs neighbourhood collectives."""
        return not set(NEIGHBORHOOD).isdisjoint(self.exchanges)

    @classmethod
    def rows(cls) -> dict[str, Row]:
        return {"halo": Row(buffers=("separate", "cold"))}

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        return [
            "halo",
            f"--grid={grid_text(self.grid)}",
            f"--exchange={','.join(self.exchanges)}",
            *([f"--form={','.join(self.forms)}"] if self.has_neighborhood else []),
            f"--columns={','.join(self.packings)}",
            *([] if self.partitions is None else [f"--partitions={self.partitions}"]),
        ]

    def check(self, ranks: int) -> None:
        self._check_grid(ranks)
        for option, names in (
            ("--exchange", self.exchanges),
            ("--form", self.forms),
            ("--packing", self.packings),
        ):
            if not names:
                raise UsageError(f"{option}: an empty list", "name at least one, or leave it out")
        check_sync(self.verify, self.sync)
        if set(self.forms) != {"blocking"} and not self.has_neighborhood:
            raise UsageError(
                "--form: only neighbourhood collectives have forms, "
                f"{', '.join(self.exchanges)} has none",
                f"leave it out, or add one of {', '.join(NEIGHBORHOOD)} to --exchange",
            )
        bound = [exchange for exchange in self.exchanges if exchange in BOUND]
        if PERSISTENT in self.forms:
            bound.append(f"--form {PERSISTENT}")
        if bound and self.buffers == "cold":
            raise UsageError(
                f"{', '.join(bound)}: bound to one buffer, and cannot walk through a cold one",
                "use --buffers separate, or leave them out",
            )
        blocking = not self.has_neighborhood or set(self.forms) == {"blocking"}
        if self.overlap and blocking and {*BLOCKS, *NEIGHBORHOOD}.issuperset(self.exchanges):
            raise UsageError(
                f"--overlap: {', '.join(self.exchanges)} cannot compute meanwhile",
                "leave it out, or add waitall, or --form nonblocking",
            )
        self._check_sizes()
        self._check_partitions()

    def _check_grid(self, ranks: int) -> None:
        words, dimensions = grid_text(self.grid), len(self.grid)
        if math.prod(self.grid) != ranks:
            raise UsageError(
                f"--grid {words} has {math.prod(self.grid)} places, -n {ranks} asks for {ranks} "
                "ranks",
                f"write -n {math.prod(self.grid)}, or --grid {dimensions}d for a grid that fits",
            )
        has = {1: ("faces",), 2: ("faces", "corners")}.get(dimensions, NEIGHBORS)
        if self.neighbors not in has:
            raise UsageError(
                f"--neighbors {self.neighbors}: a grid of "
                f"{how_many(dimensions, 'dimension')} has {' and '.join(has)}",
                "name one of them, or ask for a grid of more dimensions",
            )

    def _check_sizes(self) -> None:
        columns = [packing for packing in self.packings if packing != CONTIGUOUS]
        odd = [size.bytes for size in self.sizes if size.bytes % COLUMN_BYTES]
        if columns and odd:
            raise UsageError(
                f"--packing {','.join(columns)}: {format_size(odd[0])} is not a whole number of "
                f"elements of {COLUMN_BYTES} B",
                "name other --sizes, or measure --packing none alone",
            )

    def _check_partitions(self) -> None:
        if (self.partitions is not None) != (PARTITIONED in self.exchanges):
            raise UsageError(
                f"--partitions: messages of {', '.join(self.exchanges)} have none",
                f"leave it out, or add {PARTITIONED} to --exchange",
            )
        if self.partitions is None:
            return
        contiguous = set(self.packings) == {CONTIGUOUS}
        unit = self.partitions * (1 if contiguous else COLUMN_BYTES)
        for size in self.sizes:
            if size.bytes == 0 or size.bytes % unit:
                raise UsageError(
                    f"--partitions {self.partitions}: {format_size(size.bytes)} do not make as "
                    "many equal parts" + ("" if contiguous else " of whole elements"),
                    f"name --sizes that are multiples of {format_size(unit)}",
                )

    def buffer_bytes(self, ranks: int) -> int:  # noqa: ARG002
        """Bytes of the send and receive buffers: messages, and the columns that they come from."""
        widest = LINE_BYTES // COLUMN_BYTES
        each = {CONTIGUOUS: 1, "datatype": widest, "hand": 1 + widest}
        most = max(each[packing] for packing in self.packings)
        return 2 * most * DIRECTIONS[len(self.grid), self.neighbors] * self.largest_bytes


WORKLOAD = Halo

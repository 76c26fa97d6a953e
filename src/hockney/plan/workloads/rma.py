"""One-sided operations between two ranks, or between many pairs at once, beside the two-sided
exchange of the same size."""

from __future__ import annotations

from typing import Annotated

from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.plan.knobs import Knob
from hockney.plan.words import (
    BOTH_WAYS,
    ELEMENT_BYTES,
    ONE_WAY,
    Direction,
    Element,
    Reduction,
    Synchronization,
    WindowKind,
)
from hockney.plan.workloads import Buffers, Row
from hockney.plan.workloads._devices import OnDevices
from hockney.plan.workloads._shared import EveryIteration, Verify
from hockney.plan.workloads.pairs import USUAL_WINDOW, Pairing, listed_pairs, pairing_argument
from hockney.plan.workloads.pingpong import check_peers, peers_argument

MOVING = ("put", "get")
"""Operations on bytes of any type."""
REDUCING = ("accumulate", "get-accumulate", "fetch-and-op")
"""Operations that combine elements by a reduction."""
ONE_ELEMENT = ("fetch-and-op", "compare-and-swap")
"""Operations on a single element."""
ACTIVE = ("fence", "pscw")
"""Synchronizations that the target calls too."""
RMA_OPERATIONS = (*MOVING, *REDUCING, "compare-and-swap")
TWO_SIDED: dict[str | None, str] = {None: "pingpong", ONE_WAY: "stream", BOTH_WAYS: "bidirectional"}
"""The two-sided operation that is measured in the same rounds, by direction."""
FLOATING = ("float16", "bfloat16", "float", "double")
BITWISE = ("band", "bor", "bxor")
ON_ANY_TYPE = ("replace", "no-op")
"""Reductions that compute nothing."""

FIELDS = frozenset(
    {"operation", "synchronizations", "window_kinds", "direction", "windows", "peers", "pairing"}
    | {"active"}
)
"""Fields of all operations."""


class Rma(OnDevices, frozen=True, kw_only=True, tag="rma"):
    operation: str
    synchronizations: tuple[Synchronization, ...] = ("flush",)
    window_kinds: tuple[WindowKind, ...] = ()
    """Empty for the usual one."""
    direction: Direction | None = None
    """Direction of a stream; None for one operation at a time."""
    windows: tuple[int, ...] = (USUAL_WINDOW,)
    """Operations of a stream that are completed together."""
    element: Element = "int64"
    """Type of the elements of accumulate and atomic operations."""
    reduction: Annotated[
        Reduction,
        Knob(
            "How accumulate, get-accumulate and fetch-and-op combine elements.",
            operations=frozenset(REDUCING),
        ),
    ] = "sum"
    peers: tuple[int, int] = (0, 1)
    """Origin and target, unless pairs are measured."""
    pairing: Pairing = ()
    """Pairs of ranks; empty if only `peers` are measured."""
    active: tuple[int, ...] = ()
    """Numbers of concurrent pairs; each uses the first pairs of `pairing`."""
    overlap: Annotated[
        bool,
        Knob(
            "Also measure while the target computes and calls no MPI: does an operation need its "
            "help?"
        ),
    ] = False
    every_iteration: EveryIteration = False
    verify: Verify = False

    @property
    def kinds(self) -> tuple[WindowKind, ...]:
        # A library that allocates a window chooses its memory, which is the host's.
        return self.window_kinds or (("create",) if self.uses_devices else ("allocate",))

    @property
    def usual_buffers(self) -> Buffers:
        return "separate"

    @property
    def ends_by_precision(self) -> bool:
        return not self.pairing

    @property
    def times_every_iteration(self) -> bool:
        return self.every_iteration

    @classmethod
    def rows(cls) -> dict[str, Row]:
        return {
            name: Row(
                FIELDS | ({"element"} if name not in MOVING else set()),
                ("separate", "cold"),
            )
            for name in RMA_OPERATIONS
        }

    @property
    def row(self) -> str:
        return self.operation

    def long_list(self, ranks: int) -> str | None:
        return listed_pairs(self.pairing, ranks) if self.pairing else None

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:
        words = ["rma", self.operation, peers_argument(self.peers)]
        if self.pairing:
            words = [
                "pairs",
                f"--operation={self.operation}",
                pairing_argument(self.pairing, ranks, list_file),
                "--pairs-active=" + ",".join(map(str, self.active)),
            ]
        words.append("--synchronization=" + ",".join(self.synchronizations))
        words.append("--window-kind=" + ",".join(self.kinds))
        if self.direction is not None:
            words.append(f"--direction={self.direction}")
            words.append("--window=" + ",".join(map(str, self.windows)))
        if self.operation not in MOVING:
            words.append(f"--element={self.element}")
        return words

    def check(self, ranks: int) -> None:
        if not self.pairing:
            check_peers(self.peers, ranks)
        if self.overlap:
            self._check_overlap()
        if any(size.bytes == 0 for size in self.sizes):
            raise UsageError(
                f"--sizes 0: a window of no bytes has nothing to {self.operation}",
                "name sizes from 1 byte up",
            )
        if self.operation not in MOVING:
            self._check_elements()
            self._check_type()

    def _check_overlap(self) -> None:
        if self.pairing or self.direction == BOTH_WAYS:
            raise UsageError(
                "--overlap: a target computes only if one of two ranks is the origin",
                "leave out --pairs-active and --direction both-ways",
            )
        if not set(self.synchronizations) - set(ACTIVE):
            raise UsageError(
                f"--overlap: targets take part in {' and '.join(self.synchronizations)}",
                "name --sync flush or another that the origin alone calls",
            )

    def _check_elements(self) -> None:
        element = ELEMENT_BYTES[self.element]
        for size in self.sizes:
            if self.operation in ONE_ELEMENT and size.bytes != element:
                raise UsageError(
                    f"--sizes {format_size(size.bytes)}: {self.operation} works on one element of "
                    f"{element} bytes ({self.element})",
                    "leave out --sizes",
                )
            if size.bytes % element:
                raise UsageError(
                    f"--sizes {format_size(size.bytes)}: not whole elements of {element} bytes "
                    f"({self.element})",
                    f"name multiples of {element} bytes, or another --element",
                )

    def _check_type(self) -> None:
        """Checks types by MPI 4.1, 6.9.2 (predefined reductions) and 12.3.4.4 (compare and
        swap)."""
        if self.operation not in REDUCING:
            if self.element in FLOATING:
                raise UsageError(
                    f"{self.operation} compares integers and bytes, not elements of type "
                    f"{self.element}",
                    "use --element int32 or int64",
                )
        elif self.reduction in BITWISE and self.element in FLOATING:
            raise UsageError(
                f"--reduction {self.reduction}: MPI defines none of type {self.element}",
                "use an integer --element, or --reduction sum",
            )
        elif self.element == "byte" and self.reduction not in (*BITWISE, *ON_ANY_TYPE):
            raise UsageError(
                f"--reduction {self.reduction}: MPI defines none of type byte",
                "use an integer --element, or --reduction replace",
            )

    def taking_part(self, ranks: int) -> int:  # noqa: ARG002
        return 2 * len(self.pairing) or 2

    def buffer_bytes(self, ranks: int) -> int:  # noqa: ARG002
        """Bytes of a rank: a message is sent from one place; a stream is received side by side, in
        a buffer and in each window."""
        flying = max(self.windows) if self.direction else 1
        return self.largest_bytes * (1 + (1 + len(self.kinds)) * flying)


WORKLOAD = Rma

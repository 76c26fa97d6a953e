"""Which algorithm of a collective is the fastest, by how much, and whether that is beyond noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hockney.errors import AskedWronglyError
from hockney.estimate.compare import Difference, benjamini_hochberg, judge, rank_sum
from hockney.estimate.points import PointEstimate

DEFAULT = "default"
"""The label of the library's own decision, where none is forced."""
COLLECTIVES = frozenset(
    {"barrier", "bcast", "scatter", "gather", "reduce", "allreduce", "allgather", "alltoall",
     "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
)  # fmt: skip
TOLERANCE = 0.03
"""Two times that are surely no further apart are called the same."""


@dataclass(frozen=True)
class Contender:
    """An algorithm at one size and number of ranks."""

    point: PointEstimate
    difference: Difference | None
    """Against the library's own decision (ratio: of it to that); None where that is unknown, and
    for itself."""

    @property
    def name(self) -> str:
        return name_of(self.point)

    @property
    def is_faster(self) -> bool:
        """Surely faster than the library's own decision."""
        return self.difference is not None and self.difference.verdict == "faster"

    @property
    def is_harmless(self) -> bool:
        """Not slower than the library's own decision, as far as can be seen."""
        found = self.difference
        return found is not None and (
            found.verdict in ("faster", "same") or (found.verdict == "unknown" and found.ratio <= 1)
        )


@dataclass(frozen=True)
class Cell:
    """All that was measured of a collective at one size and number of ranks."""

    collective: str
    ranks: int
    bytes: int
    default: PointEstimate | None
    contenders: tuple[Contender, ...]
    """Forced algorithms, the fastest first."""

    @property
    def best(self) -> Contender:
        """The fastest of all, the library's own decision among them."""
        if self.default is None:
            return self.contenders[0]
        own = Contender(self.default, None)
        return min((own, *self.contenders), key=lambda one: one.point.typical_s)

    @property
    def gain(self) -> float | None:
        """The library's own time over the best."""
        return None if self.default is None else self.default.typical_s / self.best.point.typical_s

    @property
    def is_beyond_noise(self) -> bool:
        return self.best.is_faster


def name_of(point: PointEstimate) -> str:
    """The algorithm's label; DEFAULT where none was forced."""
    return point.algorithm or DEFAULT


def is_collective(point: PointEstimate) -> bool:
    """All ranks take part in it; with the v and the nonblocking forms."""
    name = point.operation
    return bool(COLLECTIVES & {name, name.removeprefix("i"), name.removesuffix("v")})


def cells_of(points: Iterable[PointEstimate]) -> list[Cell]:
    """By collective, ranks and bytes. Launches are the units of the tests against the library's
    own decision (estimate/compare.py); they are corrected for their number over all cells."""
    found: dict[tuple[str, int, int], dict[str, PointEstimate]] = {}
    for point in points:
        if is_collective(point) and min(point.medians_s) > 0.0 and point.ranks is not None:
            cell = found.setdefault((point.operation, point.ranks, point.bytes), {})
            if name_of(point) in cell:
                raise AskedWronglyError(
                    f"{point.operation} by {name_of(point)} with {point.ranks} ranks and "
                    f"{point.bytes} B is in two files",
                    "name one of them; `hockney compare` tells whether two runs differ",
                )
            cell[name_of(point)] = point
    differences = _differences(list(found.values()))
    cells = []
    for (collective, ranks, size), algorithms in sorted(found.items()):
        default = algorithms.get(DEFAULT)
        tried = [point for name, point in algorithms.items() if name != DEFAULT]
        contenders = [Contender(point, differences.get(id(point))) for point in tried]
        contenders.sort(key=lambda one: one.point.typical_s)
        cells.append(Cell(collective, ranks, size, default, tuple(contenders)))
    return cells


def _differences(cells: Sequence[dict[str, PointEstimate]]) -> dict[int, Difference]:
    """Of each forced algorithm against the default of its cell, by the point's identity."""
    pairs = [
        (cell[DEFAULT], point)
        for cell in cells
        if DEFAULT in cell
        for name, point in cell.items()
        if name != DEFAULT
    ]
    raw = [rank_sum(np.log(a.medians_s), np.log(b.medians_s)) for a, b in pairs]
    corrected = iter(benjamini_hochberg(np.array([p for p in raw if p is not None])).tolist())
    return {
        id(b): judge(
            np.log(a.medians_s),
            np.log(b.medians_s),
            next(corrected) if p is not None else None,
            TOLERANCE,
        )
        for (a, b), p in zip(pairs, raw, strict=True)
    }

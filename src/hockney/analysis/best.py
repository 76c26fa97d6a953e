"""The fastest algorithm of a collective, its gain, and whether the gain is significant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hockney.analysis.compare import differences
from hockney.errors import AskedWronglyError
from hockney.estimate.differences import Judged
from hockney.estimate.points import PointEstimate
from hockney.spec.axes import Axes, method_text
from hockney.spec.workloads.collective import DEFAULT, is_collective_name

TOLERANCE = 0.03
"""Relative difference up to which two times are the same."""
FASTER, OWN, UNKNOWN = "faster", "own", "unknown"
BEST_RULE = (
    "an algorithm is the best where a rank-sum test over launches, corrected for the number of "
    "comparisons, shows that it is faster than the library's own decision; that decision is the "
    "best where no algorithm can be more than 3 % faster; where it was not measured, the fastest "
    "algorithm is the best if it is shown to be faster than the second"
)
"""How Cell.verdict is found."""


@dataclass(frozen=True)
class Contender:
    """An algorithm at one size and number of ranks."""

    point: PointEstimate
    difference: Judged | None
    """Against the library's own decision (ratio: of it to that); None where that is unknown, and
    for itself."""

    @property
    def name(self) -> str:
        return name_of(self.point)

    @property
    def is_faster(self) -> bool:
        """True if it is significantly faster than the library's own decision, and not surely by
        less than TOLERANCE."""
        found = self.difference
        return found is not None and found.matters and found.verdict == "faster"

    @property
    def may_be_faster(self) -> bool:
        """True if it may be faster by more than TOLERANCE, as far as the launches show."""
        found = self.difference
        if found is None or self.is_faster:
            return True
        return found.verdict == "unknown" and (found.low is None or found.low < 1.0 - TOLERANCE)

    @property
    def is_harmless(self) -> bool:
        """True if nothing shows that it is slower than the library's own decision."""
        found = self.difference
        return found is not None and (
            found.within_tolerance
            or found.verdict == "faster"
            or (found.verdict == "unknown" and found.ratio <= 1)
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
    second: Judged | None = None
    """Where the library's own decision was not measured: the second of the contenders against the
    first."""

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
    def verdict(self) -> str:
        """By BEST_RULE: FASTER if the fastest algorithm is the best, OWN if the library's own
        decision is, else UNKNOWN."""
        second = self.second
        surely_first = second and second.matters and second.verdict == "slower"
        if self.best.is_faster or surely_first:
            return FASTER
        if self.default is None or any(one.may_be_faster for one in self.contenders):
            return UNKNOWN
        return OWN

    @property
    def launches(self) -> int:
        """The smallest number of launches of its points."""
        points = [one.point for one in self.contenders]
        return min(point.launches for point in [*points, *([self.default] if self.default else [])])

    @property
    def is_choice(self) -> bool:
        """True if several algorithms were measured."""
        return len(self.contenders) + (self.default is not None) > 1

    @property
    def unknown_text(self) -> str:
        """Why the best is unknown."""
        return f"unknown: {self.launches} launch{'es' * (self.launches != 1)}"


def name_of(point: Axes) -> str:
    """How the collective is done, in words; DEFAULT where nothing was forced."""
    return method_text(point) or DEFAULT


def is_collective(point: PointEstimate) -> bool:
    """All ranks take part in it; with the v and the nonblocking forms."""
    return is_collective_name(point.operation)


def cells_of(points: Iterable[PointEstimate]) -> list[Cell]:
    """By collective, ranks and bytes. Launches are the units of the tests against the library's
    own decision (analysis/compare.py); they are corrected for their number over all cells."""
    found: dict[tuple[str, int, int], dict[str, PointEstimate]] = {}
    for point in points:
        if is_collective(point) and min(point.medians_s) > 0.0 and point.ranks is not None:
            cell = found.setdefault((point.operation, point.ranks, point.bytes), {})
            if name_of(point) in cell:
                raise AskedWronglyError(
                    f"{point.operation} by {name_of(point)} with {point.ranks} ranks and "
                    f"{point.bytes} B is in two files",
                    "name one of them; `hockney compare` shows whether two runs differ",
                )
            cell[name_of(point)] = point
    to_default = _by_second(
        (cell[DEFAULT], point)
        for cell in found.values()
        if DEFAULT in cell
        for name, point in cell.items()
        if name != DEFAULT
    )
    fastest = [
        sorted(cell.values(), key=lambda point: point.typical_s)
        for cell in found.values()
        if DEFAULT not in cell and len(cell) > 1
    ]
    to_fastest = _by_second((points[0], points[1]) for points in fastest)
    cells = []
    for (collective, ranks, size), algorithms in sorted(found.items()):
        default = algorithms.get(DEFAULT)
        tried = [point for name, point in algorithms.items() if name != DEFAULT]
        contenders = [Contender(point, to_default.get(id(point))) for point in tried]
        contenders.sort(key=lambda one: one.point.typical_s)
        second = to_fastest.get(id(contenders[1].point)) if len(contenders) > 1 else None
        cells.append(Cell(collective, ranks, size, default, tuple(contenders), second))
    return cells


def _by_second(each: Iterable[tuple[PointEstimate, PointEstimate]]) -> dict[int, Judged]:
    """Differences by the identity of the second point of each pair."""
    pairs = list(each)
    found = zip(pairs, differences(pairs, TOLERANCE), strict=True)
    return {id(second): difference for (_, second), difference in found}

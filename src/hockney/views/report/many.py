"""Figures that only some runs have data for: pairs at once, all pairs of ranks, algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from hockney.estimate.points import PointEstimate
from hockney.units import format_seconds, format_size
from hockney.views.report.figure import Cell, Choice, Figure, Series
from hockney.views.report.reported import Reported, centre_s, groups_of

LEAST_PAIRS = 3
"""Of ranks, each alone, to make a matrix."""


def figures(systems: Sequence[Reported]) -> list[Figure]:
    matrices = [_matrix(system, number) for number, system in enumerate(systems)]
    maps = [_algorithms(system, number) for number, system in enumerate(systems)]
    return [f for f in [_contention(systems), *matrices, *maps] if f is not None]


def _contention(systems: Sequence[Reported]) -> Figure | None:
    """Time of a message against how many pairs exchange messages at once."""
    by_size: dict[int, list[Series]] = {}
    for number, system in enumerate(systems):
        curves: dict[tuple[str, str | None, int], dict[int, list[PointEstimate]]] = {}
        for point in system.own:
            if point.peers and len(point.peers) == 2 and point.ranks:
                key = (point.operation, point.algorithm, point.bytes)
                curves.setdefault(key, {}).setdefault(point.ranks // 2, []).append(point)
        for (operation, algorithm, size), active in curves.items():
            if len(active) > 1:
                name = ", ".join([system.label, operation, *([algorithm] if algorithm else [])])
                shown = by_size.setdefault(size, [])
                several = len(systems) > 1
                shown.append(_against_pairs(name, number if several else len(shown), active))
    if not by_size:
        return None
    choices = [Choice(format_size(size), series) for size, series in sorted(by_size.items())]
    captions = ["Marks are the median pair, bars the fastest and the slowest of those at work."]
    return Figure("contention", "Contention", "count", "pairs at once", "time",
                  "time of a message", choices, "message size", captions)  # fmt: skip


def _against_pairs(name: str, number: int, active: dict[int, list[PointEstimate]]) -> Series:
    counts = sorted(active)
    times = [[centre_s(point) for point in active[count]] for count in counts]
    return Series(name, number, counts, [median(t) for t in times],
                  [min(t) for t in times], [max(t) for t in times])  # fmt: skip


def _matrix(system: Reported, number: int) -> Figure | None:
    """Every pair of ranks alone."""
    pairs: dict[int, dict[tuple[int, int], float]] = {}
    for point in system.own:
        if point.ranks == 2 and point.peers and len(point.peers) == 2:
            pairs.setdefault(point.bytes, {})[point.peers[0], point.peers[1]] = centre_s(point)
    pairs = {size: found for size, found in pairs.items() if len(found) >= LEAST_PAIRS}
    if not pairs:
        return None
    ranks = sorted({rank for found in pairs.values() for pair in found for rank in pair})
    names = [_rank_name(system, rank) for rank in ranks]
    choices = []
    for size, found in sorted(pairs.items()):
        cells = [
            Cell(ranks.index(column), ranks.index(row), seconds,
                 f"{_rank_name(system, first)} and {_rank_name(system, second)}: "
                 f"{format_seconds(seconds)}")
            for (first, second), seconds in found.items()
            for row, column in ((first, second), (second, first))
        ]  # fmt: skip
        choices.append(Choice(format_size(size), cells=cells, columns=names, rows=names))
    return Figure(f"matrix-{number}", f"Core matrix: {system.label}", "", "rank", "time", "rank",
                  choices, "message size", ["Time of a message between two ranks, the others "
                  "idle; the median over launches."], kind="cells")  # fmt: skip


def _rank_name(system: Reported, rank: int) -> str:
    places = system.run.launches[0].places if system.run.launches else []
    place = next((place for place in places if place.rank == rank), None)
    if place is None or place.pu is None:
        return str(rank)
    return f"{rank} ({place.host or 'unknown'} CPU {place.pu})"


def _algorithms(system: Reported, number: int) -> Figure | None:
    """Which algorithm is the fastest at each size and number of ranks."""
    groups = groups_of([point for point in system.own if not point.peers])
    operations: dict[str, dict[tuple[int, int], list[PointEstimate]]] = {}
    for (operation, _, ranks), sizes in groups.items():
        for size, points in sizes.items():
            operations.setdefault(operation, {}).setdefault((size, ranks), []).extend(points)
    several = {
        operation: cells
        for operation, cells in operations.items()
        if any(len(points) > 1 for points in cells.values())
    }
    if not several:
        return None
    names = sorted({p.algorithm or "default" for cells in several.values()
                    for points in cells.values() for p in points})  # fmt: skip
    choices = [_map(operation, cells, names) for operation, cells in sorted(several.items())]
    return Figure(
        f"algorithms-{number}", f"Best algorithm: {system.label}", "", "message size", "", "ranks",
        choices, "operation", ["A ? marks cells where the interval of the next best overlaps that "
        "of the best, or is not known: there the best is not surely the best."], kind="cells",
        sorts=names,
    )  # fmt: skip


def _map(
    operation: str, found: dict[tuple[int, int], list[PointEstimate]], names: Sequence[str]
) -> Choice:
    sizes, ranks = (sorted({key[i] for key in found}) for i in (0, 1))
    cells = []
    for (size, count), points in found.items():
        ordered = sorted(points, key=centre_s)
        best = ordered[0]
        words = "; ".join(f"{p.algorithm or 'default'} {format_seconds(centre_s(p))}"
                          for p in ordered)  # fmt: skip
        cells.append(Cell(
            sizes.index(size), ranks.index(count), centre_s(best),
            f"{format_size(size)}, {count} ranks: {words}",
            names.index(best.algorithm or "default"), _is_sure(ordered),
        ))  # fmt: skip
    columns, rows = [format_size(size) for size in sizes], [str(count) for count in ranks]
    return Choice(operation, cells=cells, columns=columns, rows=rows)


def _is_sure(ordered: Sequence[PointEstimate]) -> bool:
    return all(
        first.high_s is not None and second.low_s is not None and first.high_s < second.low_s
        for first, second in pairwise(ordered[:2])
    )

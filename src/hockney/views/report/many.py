"""Figures that only some runs have data for: pairs at once, all pairs of ranks, algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from hockney.analysis.best import BEST_RULE, UNKNOWN, cells_of, name_of
from hockney.analysis.best import Cell as CollectiveCell
from hockney.analysis.contention import OF_PAIRS
from hockney.analysis.matrix import Matrix, matrix_of
from hockney.estimate.points import PointEstimate
from hockney.spec.axes import Key, key_without, variant_text
from hockney.units import format_seconds, format_size
from hockney.views.report.figure import Cell, Choice, Figure, Series
from hockney.views.report.reported import Reported

LEAST_PAIRS = 3
"""Of ranks, to make a matrix."""


def figures(systems: Sequence[Reported]) -> list[Figure]:
    matrices = [_matrix(system, number) for number, system in enumerate(systems)]
    maps = [_algorithms(system, number) for number, system in enumerate(systems)]
    return [f for f in [_contention(systems), *matrices, *maps] if f is not None]


def _contention(systems: Sequence[Reported]) -> Figure | None:
    """Time of a message against how many pairs exchange messages at once."""
    by_size: dict[int, list[Series]] = {}
    for number, system in enumerate(systems):
        curves: dict[Key, dict[int, list[PointEstimate]]] = {}
        for point in system.estimates.own():
            if point.is_one_pair and point.pairs:
                key = key_without(point, *OF_PAIRS)
                curves.setdefault(key, {}).setdefault(point.pairs, []).append(point)
        for active in curves.values():
            if len(active) > 1:
                first = next(iter(active.values()))[0]
                words = (system.label, first.operation, variant_text(first))
                name = ", ".join(filter(None, words))
                shown = by_size.setdefault(first.bytes, [])
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
    times = [[point.typical_s for point in active[count]] for count in counts]
    return Series(name, number, counts, [median(t) for t in times],
                  [min(t) for t in times], [max(t) for t in times])  # fmt: skip


def _matrix(system: Reported, number: int) -> Figure | None:
    """Every pair of ranks."""
    matrix = matrix_of(system.run, system.estimates)
    if matrix is None or not _is_complete(matrix):
        return None
    ranks, names = matrix.ranks, [_rank_name(system, rank) for rank in matrix.ranks]
    choices = []
    for size, pairs in sorted(matrix.times.items()):
        cells = [
            Cell(ranks.index(column), ranks.index(row), point.typical_s,
                 f"{_rank_name(system, first)} and {_rank_name(system, second)}: "
                 f"{format_seconds(point.typical_s)}")
            for (first, second), point in pairs.items()
            for row, column in ((first, second), (second, first))
        ]  # fmt: skip
        choices.append(Choice(format_size(size), cells=cells, columns=names, rows=names))
    return Figure(f"matrix-{number}", f"Core matrix: {system.label}", "", "rank", "time", "rank",
                  choices, "message size", ["Time of a message between two ranks; the median over "
                  "launches."], kind="cells")  # fmt: skip


def _is_complete(matrix: Matrix) -> bool:
    count = len(matrix.ranks)
    pairs = max(len(of_size) for of_size in matrix.times.values())
    return pairs >= max(LEAST_PAIRS, count * (count - 1) // 2)


def _rank_name(system: Reported, rank: int) -> str:
    places = system.run.launches[0].places if system.run.launches else []
    place = next((place for place in places if place.rank == rank), None)
    if place is None or place.pu is None:
        return str(rank)
    return f"{rank} ({place.host or 'unknown'} CPU {place.pu})"


def _algorithms(system: Reported, number: int) -> Figure | None:
    """Which algorithm is the fastest at each size and number of ranks."""
    collectives: dict[str, list[tuple[CollectiveCell, list[PointEstimate]]]] = {}
    for cell in cells_of(system.estimates.own()):
        points = [one.point for one in cell.contenders] + ([cell.default] if cell.default else [])
        points.sort(key=lambda point: point.typical_s)
        collectives.setdefault(cell.collective, []).append((cell, points))
    several = {
        collective: cells
        for collective, cells in collectives.items()
        if any(len(points) > 1 for _, points in cells)
    }
    if not several:
        return None
    names = sorted({name_of(point) for cells in several.values()
                    for _, points in cells for point in points})  # fmt: skip
    choices = [_map(collective, cells, names) for collective, cells in sorted(several.items())]
    return Figure(
        f"algorithms-{number}", f"Best algorithm: {system.label}", "", "message size", "", "ranks",
        choices, "collective", [f"A ? marks cells of which the launches do not tell: {BEST_RULE}"],
        kind="cells", sorts=names,
    )  # fmt: skip


def _map(
    collective: str,
    found: Sequence[tuple[CollectiveCell, list[PointEstimate]]],
    names: Sequence[str],
) -> Choice:
    sizes = sorted({cell.bytes for cell, _ in found})
    ranks = sorted({cell.ranks for cell, _ in found})
    cells = []
    for cell, points in found:
        words = "; ".join(f"{name_of(p)} {format_seconds(p.typical_s)}" for p in points)
        cells.append(Cell(
            sizes.index(cell.bytes), ranks.index(cell.ranks), points[0].typical_s,
            f"{format_size(cell.bytes)}, {cell.ranks} ranks: {words}{_doubt(cell)}",
            names.index(name_of(points[0])), cell.verdict != UNKNOWN,
        ))  # fmt: skip
    columns, rows = [format_size(size) for size in sizes], [str(count) for count in ranks]
    return Choice(collective, cells=cells, columns=columns, rows=rows)


def _doubt(cell: CollectiveCell) -> str:
    return f" ({cell.unknown_text})" if cell.verdict == UNKNOWN else ""

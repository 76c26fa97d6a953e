"""Collectives as tables: time against ranks at chosen sizes, against size at chosen ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hockney.estimate.points import PointEstimate
from hockney.units import format_size
from hockney.views.table import aligned, interval, microseconds

SIZES = (2, 1024, 1024**2)
"""Chosen where they were measured: short, middle and long, as the references have them."""
COLUMNS = (
    "launches", "samples", "completion", "95 % interval", "", "own mean", "own max",
)  # fmt: skip
LEGEND = (
    "completion: from the common start to the last rank's end, median; own mean, own max: of the "
    "ranks' own durations in a repetition, as other suites print them, medians"
)


def collective_tables(points: Sequence[PointEstimate]) -> str:
    """For each collective: every number where there is one algorithm and one count of ranks;
    else by ranks at some sizes, and completion alone by size. Times in microseconds."""
    return "\n\n".join([LEGEND, *_tables(points)])


def _tables(points: Sequence[PointEstimate]) -> Iterator[str]:
    for operation in dict.fromkeys(point.operation for point in points):
        of_it = [point for point in points if point.operation == operation]
        if len({(point.algorithm, point.ranks) for point in of_it}) == 1:
            first = of_it[0]
            yield f"{operation}, {_name(first)}, {first.ranks} ranks\n{_by_size(of_it)}"
            continue
        for size in _chosen({point.bytes for point in of_it}):
            at_it = [point for point in of_it if point.bytes == size]
            yield f"{operation} of {format_size(size)}\n{_by_ranks(at_it)}"
        if len({point.bytes for point in of_it}) > 1:
            for ranks in sorted({point.ranks for point in of_it}):
                at_it = [point for point in of_it if point.ranks == ranks]
                yield f"{operation}, {ranks} ranks, completion\n{_matrix(at_it)}"


def _chosen(sizes: Iterable[int]) -> list[int]:
    """SIZES; the smallest and the largest where none of them was measured."""
    every = sorted(sizes)
    return [size for size in SIZES if size in every] or sorted({every[0], every[-1]})


def _name(point: PointEstimate) -> str:
    return point.algorithm or "default"


def _cells(point: PointEstimate) -> list[str]:
    return [
        str(point.launches),
        str(point.samples),
        microseconds(point.median_s),
        *interval(point),
        microseconds(point.own_mean_s),
        microseconds(point.own_max_s),
    ]


def _by_size(points: Sequence[PointEstimate]) -> str:
    rows = [[str(point.bytes), *_cells(point)] for point in points]
    return aligned([["bytes", *COLUMNS], *rows])


def _by_ranks(points: Sequence[PointEstimate]) -> str:
    ordered = sorted(points, key=lambda point: (_name(point), point.ranks))
    rows = [[_name(point), str(point.ranks), *_cells(point)] for point in ordered]
    return aligned([["algorithm", "ranks", *COLUMNS], *rows])


def _matrix(points: Sequence[PointEstimate]) -> str:
    """A row a size, a column an algorithm."""
    names = list(dict.fromkeys(_name(point) for point in points))
    found = {(point.bytes, _name(point)): point.median_s for point in points}
    rows = [
        [str(size), *(microseconds(found.get((size, name))) for name in names)]
        for size in sorted({point.bytes for point in points})
    ]
    return aligned([["bytes", *names], *rows])

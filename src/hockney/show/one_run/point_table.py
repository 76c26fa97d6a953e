"""The table of points that most experiments have: a row for each size, times in microseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hockney.infer.analysis.comparison.expected import Expected, NextRun
from hockney.infer.analysis.floor import FloorRatio
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import Point, point_of
from hockney.show.one_run.answer import marks
from hockney.show.tables.table import (
    HOW,
    INTERVAL,
    LAUNCHES,
    TableColumn,
    between,
    half_width_s,
    itself,
    microseconds,
    rate_column,
    table_text,
    through,
)


class _PointRow(NamedTuple):
    point: PointEstimate
    floor: FloorRatio | None
    next_run: NextRun | None
    mark: str | None
    """What the answer takes from the row."""


FLOOR: list[TableColumn[FloorRatio]] = [
    TableColumn("floor", lambda floor: floor.floor_s, microseconds, shown=bool),
    TableColumn("MPI/floor", lambda floor: floor.ratio, "{:.2f}".format, shown=bool),
]
COLUMNS: list[TableColumn[_PointRow]] = [
    *through(lambda row: row.point, HOW),
    TableColumn("bytes", lambda row: row.point.bytes),
    *through(
        lambda row: row.point,
        LAUNCHES,
        TableColumn("min", lambda point: point.min_s, microseconds, half_width=half_width_s),
        TableColumn("median", lambda point: point.median_s, microseconds, half_width=half_width_s),
        *INTERVAL,
        TableColumn("p99", lambda point: point.p99_s, microseconds, half_width=half_width_s),
        TableColumn("max", lambda point: point.max_s, microseconds, half_width=half_width_s),
        rate_column(itself),
    ),
    *through(lambda row: row.floor, *FLOOR),
    *through(
        lambda row: row.next_run,
        TableColumn("95 % of other runs", lambda row: between(row and row.interval), shown=bool),
    ),
    TableColumn("", lambda row: row.mark and f"< {row.mark:<{len('bandwidth')}}", unknown=""),
]


def point_table(
    points: Sequence[PointEstimate],
    floor: Mapping[Point, FloorRatio],
    expected: Expected | None = None,
) -> str:
    marked = marks(points)
    rows = [
        _PointRow(
            point,
            floor.get(point_of(point)),
            expected.at(point) if expected else None,
            marked.get(id(point)),
        )
        for point in points
    ]
    return table_text(COLUMNS, rows)

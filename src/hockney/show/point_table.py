"""The table of points that most experiments have: a row a size, with times in microseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hockney.infer.analysis.expected import Expected, NextRun
from hockney.infer.analysis.floor import FloorRatio
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.estimate.sketch import SAMPLES_FOR_P99
from hockney.show.table import (
    HOW,
    INTERVAL,
    TableColumn,
    between,
    mebibytes,
    microseconds,
    table_text,
    through,
)

FEW_SAMPLES = f"p99 takes {SAMPLES_FOR_P99} samples in a launch, and is - where none has so many"


class _PointRow(NamedTuple):
    point: PointEstimate
    floor: FloorRatio | None
    next_run: NextRun | None


FLOOR: list[TableColumn[FloorRatio]] = [
    TableColumn("floor", lambda floor: floor.floor_s, microseconds, shown=bool),
    TableColumn("MPI/floor", lambda floor: floor.ratio, "{:.2f}".format, shown=bool),
]
COLUMNS: list[TableColumn[_PointRow]] = [
    *through(lambda one: one.point, HOW),
    TableColumn("bytes", lambda one: one.point.bytes),
    TableColumn("launches", lambda one: one.point.launches),
    TableColumn("samples", lambda one: one.point.samples),
    TableColumn("min", lambda one: one.point.min_s, microseconds),
    TableColumn("median", lambda one: one.point.median_s, microseconds),
    *through(lambda one: one.point, *INTERVAL),
    TableColumn("mean", lambda one: one.point.mean_s, microseconds),
    TableColumn("p99", lambda one: one.point.p99_s, microseconds),
    TableColumn("max", lambda one: one.point.max_s, microseconds),
    TableColumn("MiB/s", lambda one: one.point.bandwidth_Bps, mebibytes),
    *through(lambda one: one.floor, *FLOOR),
    *through(
        lambda one: one.next_run,
        TableColumn("95 % of other runs", lambda one: between(one.low_s, one.high_s), shown=bool),
    ),
]


def point_table(
    points: Sequence[PointEstimate],
    floor: Mapping[int, FloorRatio],
    expected: Expected | None = None,
) -> str:
    rows = [
        _PointRow(point, floor.get(point.bytes), expected.at(point) if expected else None)
        for point in points
    ]
    few = any(point.p99_s is None and point.samples for point in points)
    return table_text(COLUMNS, rows) + f"\n{FEW_SAMPLES}" * few

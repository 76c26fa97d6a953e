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
    Column,
    between,
    mebibytes,
    microseconds,
    table_text,
    through,
)

FEW_SAMPLES = f"p99 takes {SAMPLES_FOR_P99} samples in a launch, and is - where none has so many"


class _Row(NamedTuple):
    point: PointEstimate
    floor: FloorRatio | None
    next_run: NextRun | None


FLOOR: list[Column[FloorRatio]] = [
    Column("floor", lambda floor: floor.floor_s, microseconds, shown=bool),
    Column("MPI/floor", lambda floor: floor.ratio, "{:.2f}".format, shown=bool),
]
COLUMNS: list[Column[_Row]] = [
    *through(lambda one: one.point, HOW),
    Column("bytes", lambda one: one.point.bytes),
    Column("launches", lambda one: one.point.launches),
    Column("samples", lambda one: one.point.samples),
    Column("min", lambda one: one.point.min_s, microseconds),
    Column("median", lambda one: one.point.median_s, microseconds),
    *through(lambda one: one.point, *INTERVAL),
    Column("mean", lambda one: one.point.mean_s, microseconds),
    Column("p99", lambda one: one.point.p99_s, microseconds),
    Column("max", lambda one: one.point.max_s, microseconds),
    Column("MiB/s", lambda one: one.point.bandwidth_Bps, mebibytes),
    *through(lambda one: one.floor, *FLOOR),
    *through(
        lambda one: one.next_run,
        Column("95 % of other runs", lambda one: between(one.low_s, one.high_s), shown=bool),
    ),
]


def point_table(
    points: Sequence[PointEstimate],
    floor: Mapping[int, FloorRatio],
    expected: Expected | None = None,
) -> str:
    rows = [
        _Row(point, floor.get(point.bytes), expected.at(point) if expected else None)
        for point in points
    ]
    few = any(point.p99_s is None and point.samples for point in points)
    return table_text(COLUMNS, rows) + f"\n{FEW_SAMPLES}" * few

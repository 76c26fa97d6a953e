"""Runs read from other programs' logs: their own statistics by name, and Hockney's line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.matrix import Matrix
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.estimate.summaries import LogNumber
from hockney.plan.axes import Point, grouped, texts_apart
from hockney.records import Run
from hockney.records.run import REPEATED
from hockney.show.drawing.heatmap import SLOWER_WAY, rank_map
from hockney.show.experiments import cores, pingpong
from hockney.show.one_run.answer import latency_and_bandwidth
from hockney.show.one_run.fits import fit_lines
from hockney.show.one_run.point_table import point_table
from hockney.show.tables.table import TableColumn, aligned, table_text

MOST_PAIRS = 12
"""Most pairs of a matrix that are shown as tables."""
MOST_SLOWEST = 10
UNITS = {
    "value_s": "us",
    "value_Bps": "MiB/s",
    "value_per_s": "1/s",
    "value_s_per_B": "ns/B",
    "value": "",
}


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    if analysis.run.header.experiment == "core-to-core":
        return cores.answer(analysis)
    return latency_and_bandwidth(analysis, operation)


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    line = analysis.line()
    source = "\n".join(_source_lines(analysis.run))
    if analysis.run.samples:
        numbers = point_table(analysis.estimates.own(), {}, None)
    elif analysis.matrix is not None and _pairs(analysis.matrix) > MOST_PAIRS:
        return [source, *_matrix_parts(analysis, analysis.matrix)]
    else:
        numbers = _statistics_table(analysis.statistics, analysis.run.has_unrelated_rows)
    return [source, numbers, "\n".join(fit_lines(line)) if line else ""]


def definitions(analysis: Analysis) -> list[str]:
    return _source_lines(analysis.run)[1:]


def _pairs(matrix: Matrix) -> int:
    return max(map(len, matrix.times.values()))


def _matrix_parts(analysis: Analysis, matrix: Matrix) -> list[str]:
    """The matrix of each size, and its slowest pairs. Every number is in --json and in exports."""
    columns: list[TableColumn[tuple[tuple[int, int], PointEstimate]]] = [
        TableColumn("slowest pairs", lambda row: _host(analysis, row[0][0])),
        TableColumn("", lambda row: _host(analysis, row[0][1])),
        TableColumn("us", lambda row: f"{row[1].typical_s * 1e6:.5g}"),
    ]
    pieces = []
    for size, points in matrix.times.items():
        pieces.append(rank_map(matrix, size))
        slowest = sorted(points.items(), key=lambda entry: entry[1].typical_s, reverse=True)
        pieces.append(table_text(columns, slowest[:MOST_SLOWEST]))
    if matrix.has_directions:
        pieces.append(SLOWER_WAY)
    return pieces


def _host(analysis: Analysis, rank: int) -> str:
    place = analysis.places.get(rank)
    return f"{rank} ({place.host})" if place and place.host else str(rank)


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"points", "fits", "statistics"}: the last has every number as the log gives it."""
    each = (msgspec.structs.asdict(summary) for summary in analysis.run.summaries)
    statistics = [
        {name: value for name, value in statistic.items() if name != "line" and _applies(value)}
        for statistic in each
    ]
    return {**pingpong.fields(analysis, all_states), "statistics": statistics}


def _applies(value: object) -> bool:
    """Whether an axis of a statistic applies; others are left out."""
    return not (value is None or value is False or value == ())


def _source_lines(run: Run) -> list[str]:
    """The source of the numbers, and the definition of each."""
    source = run.header.source
    assert source is not None
    program = f"{source.program or 'an unknown program'} {source.version or ''}".strip()
    definitions: dict[str, set[str]] = {}
    for summary in run.summaries:
        definitions.setdefault(summary.statistic, set()).add(summary.definition)
    return [
        f"{run.header.experiment}: {run.label}",
        f"imported from {source.file}: {program}{_of_its_kind(run)}",
        *(f"  {name}: {'; '.join(sorted(words))}" for name, words in definitions.items()),
        *_over_launches(run),
    ]


def _of_its_kind(run: Run) -> str:
    """The options that distinguish this experiment from others of the same log."""
    options = run.header.options.items()
    known = [f"{k} {v}" for k, v in options if k != REPEATED and isinstance(v, str | int)]
    return f" ({', '.join(known)})" if known else ""


def _over_launches(run: Run) -> list[str]:
    if run.has_unrelated_rows:
        return ["numbers are medians over the rows of a point"]
    return ["numbers are medians over launches of these"] if len(run.launches) > 1 else []


def _statistics_table(
    known: Mapping[Point, Mapping[str, LogNumber]], are_unrelated: bool = False
) -> str:
    """A table with a row a point and a column for each statistic of the log; several curves follow
    each other."""
    curves = grouped(known, "bytes")
    count = "rows" if are_unrelated else "launches"
    tables = []
    for title, points in zip(texts_apart(curves.values()), curves.values(), strict=True):
        fields = {name: number.field for point in points for name, number in known[point].items()}
        rows = [["bytes", count, *fields], ["", "", *(UNITS[f] for f in fields.values())]]
        for point in sorted(points, key=lambda point: point.bytes):
            launches = max(number.launches for number in known[point].values())
            cells = [_cell(known[point].get(name)) for name in fields]
            rows.append([str(point.bytes), str(launches), *cells])
        tables.append("\n".join([*([title] if title else []), aligned(rows)]))
    return "\n\n".join(tables)


def _cell(number: LogNumber | None) -> str:
    """A time with every digit of the log; a median of two with all that a double has."""
    if number is None:
        return "-"
    if number.field == "value_s":
        shown = Decimal(f"{number.value:.{sys.float_info.dig}g}")
        return f"{shown.scaleb(6).normalize():f}"
    scale = {"value_Bps": 2.0**-20, "value_s_per_B": 1e9}.get(number.field, 1.0)
    return f"{number.value * scale:.8g}"

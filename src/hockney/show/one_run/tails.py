"""Shows quantiles of all operations, where --tails counted them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import TOO_FEW
from hockney.infer.analysis.tails import QUANTILES, Quantile, TailQuantiles
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.table import (
    TableColumn,
    between,
    json_field,
    level_title,
    limit_fields,
    microseconds,
    row_json,
    table_text,
)


def _cell(quantile: Quantile) -> str | None:
    if quantile.seconds is None or quantile.interval is None:
        return None if quantile.seconds is None else microseconds(quantile.seconds)
    interval = between(quantile.interval)
    return f"{microseconds(quantile.seconds)} [{interval}]"


FIELDS: list[TableColumn[Quantile]] = [
    json_field("quantile", lambda row: row.quantile),
    json_field("time_s", lambda row: row.seconds),
    *limit_fields(lambda row: row.interval),
    json_field("launches", lambda row: row.launches),
    json_field("whole_s", lambda row: row.whole_s),
]


def _name(fraction: float) -> str:
    return "median" if fraction == 0.5 else f"p{100.0 * fraction:g}"


def _of_quantile(number: int) -> TableColumn[TailQuantiles]:
    heading = _name(QUANTILES[number])
    return TableColumn(heading, lambda tail: _cell(tail.quantiles[number]), unknown=TOO_FEW)


COLUMNS: list[TableColumn[TailQuantiles]] = [
    TableColumn("count", lambda tail: tail.operations, field="operations"),
    json_field("relative_error", lambda tail: tail.relative_error),
    *map(_of_quantile, range(len(QUANTILES))),
    TableColumn(
        None,
        lambda tail: [row_json(FIELDS, quantile) for quantile in tail.quantiles],
        field="quantiles",
    ),
]


def tails_text(analysis: Analysis) -> str:
    """A table with a row for each point; times in microseconds."""
    tails = analysis.tails
    if not tails:
        return ""
    texts = analysis.texts_apart([[tail.point] for tail in tails])
    names = dict(zip(map(id, tails), texts, strict=True))
    of: TableColumn[TailQuantiles] = TableColumn(
        "operations of", lambda tail: names[id(tail)] or tail.point.operation
    )
    error = 100.0 * max(tail.relative_error for tail in tails)
    title = level_title(quantile.interval for tail in tails for quantile in tail.quantiles)
    return (
        "quantiles of single operations, all of them counted; the median over launches, with its "
        f"{title};\neach within {error:g} %; {TOO_FEW}: a launch has too few operations\n"
        f"{table_text([of, *COLUMNS], tails)}"
    )


def tails_json(tails: Sequence[TailQuantiles]) -> dict[str, Any]:
    """{"tails"}; empty without histograms."""
    rows = [{**axes_json(tail.point), **row_json(COLUMNS, tail)} for tail in tails]
    return {"tails": rows} if rows else {}

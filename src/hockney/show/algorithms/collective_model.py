"""Collectives and halos, measured over predicted message by message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.base.units import format_rate, format_seconds
from hockney.infer.analysis.algorithms.best import name_of
from hockney.infer.analysis.algorithms.predicted import Predicted
from hockney.infer.predict.parameters import LEVELS, Parameters
from hockney.plan.axes import text_of
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.table import TableColumn, json_field, microseconds, row_json, table_text

COLUMNS: list[TableColumn[Predicted]] = [
    TableColumn("collective", lambda row: row.point.operation),
    TableColumn(
        "algorithm",
        lambda row: ", ".join(filter(None, (name_of(row.point), text_of(row.point, "phase")))),
    ),
    TableColumn("ranks", lambda row: row.point.ranks),
    TableColumn("bytes", lambda row: row.point.bytes),
    TableColumn("measured", lambda row: row.point.typical_s, microseconds),
    json_field("median_s", lambda row: row.point.median_s),
    TableColumn("predicted", lambda row: row.seconds, microseconds, "predicted_s"),
    TableColumn("ratio", lambda row: row.ratio, "{:.3f}".format, "ratio"),
]


def known_levels(parameters: Parameters) -> list[tuple[str, float, str]]:
    """The name, alpha (s) and 1/beta in words of each level that has them."""
    return [
        (name, level.alpha_s, format_rate(1.0 / level.beta_s_per_B) if level.beta_s_per_B else "-")
        for name in LEVELS
        if (level := getattr(parameters, name)) is not None
    ]


def predicted_lines(predictions: Sequence[Predicted], parameters: Parameters) -> list[str]:
    levels = [
        f"{name}: alpha {format_seconds(alpha_s)}, 1/beta {rate}"
        for name, alpha_s, rate in known_levels(parameters)
    ]
    return [
        "measured over predicted, message by message, in us; predicted from",
        *(f"  {level}" for level in levels),
        "",
        table_text(COLUMNS, predictions) or "nothing here has a schedule to predict by",
    ]


def predicted_json(predictions: Sequence[Predicted]) -> list[dict[str, Any]]:
    return [
        {**axes_json(prediction.point), **row_json(COLUMNS, prediction)}
        for prediction in predictions
    ]

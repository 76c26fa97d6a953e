"""Shows ways to exchange the same messages, each over the one that it replaces: a table, and
JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.infer.analysis.side_by_side import MethodRatio
from hockney.plan.axes import axes_of, method_text
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.judged import JUDGED_FIELDS, ratio_columns
from hockney.show.tables.table import TableColumn, json_field, row_json, table_text, through


def _over(ratio: MethodRatio) -> dict[str, Any]:
    """The values of the base of the ratio on the axes where it differs."""
    own = axes_of(ratio.point)
    return {name: value for name, value in axes_of(ratio.base).items() if value != own[name]}


COLUMNS: list[TableColumn[MethodRatio]] = [
    TableColumn("bytes", lambda row: row.point.bytes),
    TableColumn("", lambda row: method_text(row.point)),
    TableColumn("over", lambda row: method_text(row.base)),
    json_field("over", _over),
    *through(lambda row: row.judged, *ratio_columns(), *JUDGED_FIELDS),
    TableColumn("", lambda row: row.judged.verdict),
]


def side_by_side_text(ratios: Sequence[MethodRatio]) -> str:
    """The table; empty where nothing was measured side by side."""
    return table_text(COLUMNS, ratios)


def side_by_side_json(ratios: Sequence[MethodRatio]) -> dict[str, Any]:
    """{"side_by_side"}; empty where nothing was measured side by side."""
    rows = [{**axes_json(ratio.point), **row_json(COLUMNS, ratio)} for ratio in ratios]
    return {"side_by_side": rows} if rows else {}

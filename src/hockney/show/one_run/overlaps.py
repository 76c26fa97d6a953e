"""How much of an operation hides behind computation: columns of tables, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hockney.base.units import whole_percent
from hockney.infer.analysis import Analysis
from hockney.plan.axes import Axes, sort_key
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.table import TableColumn, microseconds, row_json, table_text


class Hidden(NamedTuple):
    point: Axes
    hidden: float | None
    host_overhead_s: float | None


HIDDEN: TableColumn[Hidden] = TableColumn("hidden", lambda row: row.hidden, whole_percent, "hidden")
HOST_OVERHEAD: TableColumn[Hidden] = TableColumn(
    "host overhead", lambda row: row.host_overhead_s, microseconds, "host_overhead_s"
)


def overlaps_of(analysis: Analysis) -> list[Hidden]:
    host = analysis.host_overheads
    return [Hidden(point, hidden, host.get(point)) for point, hidden in analysis.overlap.items()]


def overlaps_text(title: str, columns: Sequence[TableColumn[Hidden]], analysis: Analysis) -> str:
    """The titled table; empty where nothing was overlapped."""
    rows = sorted(overlaps_of(analysis), key=lambda row: sort_key(row.point))
    return f"{title}\n{table_text(columns, rows)}" if rows else ""


def overlaps_json(analysis: Analysis, *left_out: str) -> list[dict[str, Any]]:
    """left_out: axes that are not in the fields of each point."""
    return [
        {**axes_json(row.point, *left_out), **row_json((HIDDEN, HOST_OVERHEAD), row)}
        for row in overlaps_of(analysis)
    ]

"""Tables of a terminal or a pipe: one list of columns says what a table shows of each row, as text
and in JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hockney.base.terminal import styled
from hockney.base.units import format_uncertainty
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import method_text

STRONG = frozenset({"median", "completion", "median pair", "B/A", "verdict"})
"""Columns that a reader looks for, which a terminal shows in bold."""

Row = TypeVar("Row")
Outer = TypeVar("Outer")


def always(rows: Sequence[Any]) -> bool:  # noqa: ARG001
    return True


@dataclass(frozen=True)
class TableColumn(Generic[Row]):
    heading: str | None
    """None for a column that a terminal does not show."""
    value: Callable[[Row], Any]
    """What the column takes from a row, in SI units; None where it is unknown."""
    text: Callable[[Any], str] = str
    """How a terminal writes a known value."""
    field: str = ""
    """Name in JSON, which has the value itself; empty for a column of the terminal alone."""
    unknown: str = "-"
    """What a terminal writes for None."""
    shown: Callable[[Sequence[Row]], bool] = always
    """Whether the column of these rows is shown."""
    page: str | None = ""
    """Heading in the report's page; empty for that of a terminal, None for a column that is not
    there."""

    def cell(self, row: Row) -> str:
        value = self.value(row)
        return self.unknown if value is None else self.text(value)


def json_field(name: str, value: Callable[[Row], Any]) -> TableColumn[Row]:
    """A column of the JSON alone."""
    return TableColumn(None, value, field=name)


def through(
    take: Callable[[Outer], Row | None], *columns: TableColumn[Row]
) -> list[TableColumn[Outer]]:
    """The columns for rows that have what these columns are of, or lack it."""
    return [_through(take, one) for one in columns]


def _through(take: Callable[[Outer], Row | None], column: TableColumn[Row]) -> TableColumn[Outer]:
    def value(row: Outer) -> Any:
        part = take(row)
        return None if part is None else column.value(part)

    def shown(rows: Sequence[Outer]) -> bool:
        return column.shown([part for row in rows if (part := take(row)) is not None])

    return TableColumn(
        column.heading, value, column.text, column.field, column.unknown, shown, column.page
    )


def table_text(columns: Sequence[TableColumn[Row]], rows: Sequence[Row]) -> str:
    """The table of a terminal; empty without rows."""
    if not rows:
        return ""
    named = [one for one in columns if one.heading is not None and one.shown(rows)]
    heading = [one.heading or "" for one in named]
    return aligned([heading, *([one.cell(row) for one in named] for row in rows)])


def row_json(columns: Sequence[TableColumn[Row]], row: Row | None) -> dict[str, Any]:
    """The fields of a row, all null where it is None."""
    named = [one for one in columns if one.field]
    return {one.field: None if row is None else one.value(row) for one in named}


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, of which the first is the heading, as right-aligned columns, which a pipe, a
    terminal and `awk` all read. A terminal shows the heading dim and the columns of medians in
    bold."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    heading, *below = [
        [cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in rows
    ]
    strong = {number for number, name in enumerate(rows[0]) if name in STRONG}
    lines = [styled("  ".join(heading).rstrip(), "dim")]
    for row in below:
        cells = (styled(cell, "bold") if i in strong else cell for i, cell in enumerate(row))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def microseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    us = seconds * 1e6
    return f"{us:.3f}" if us < 100.0 else f"{us:.1f}" if us < 100e3 else f"{us:.0f}"


def between(
    low: float | None, high: float | None, text: Callable[[float], str] = microseconds
) -> str | None:
    """The limits of an interval; None where it is unknown."""
    return None if low is None or high is None else f"{text(low)} .. {text(high)}"


def mebibytes(rate: float) -> str:
    return f"{rate / 2**20:.2f}" if rate < 2**30 else f"{rate / 2**20:.0f}"


def percent(fraction: float) -> str:
    return f"{100.0 * fraction:.0f} %"


def _how(point: PointEstimate) -> str:
    return method_text(point) or point.operation


def _limits(point: PointEstimate) -> str | None:
    return None if point.precision is None else between(point.low_s, point.high_s)


HOW: TableColumn[PointEstimate] = TableColumn(
    "how", _how, shown=lambda points: len(set(map(_how, points))) > 1
)
"""How messages were exchanged, where that differs."""
INTERVAL: list[TableColumn[PointEstimate]] = [
    TableColumn("interval", _limits),
    TableColumn("", lambda point: point.precision, format_uncertainty, unknown=""),
]
"""The limits of a median's interval, and its relative half-width."""
LIMITS: list[TableColumn[PointEstimate]] = [
    json_field("low_s", lambda point: point.low_s),
    json_field("high_s", lambda point: point.high_s),
]
"""The same in JSON."""
COMPLETION: list[TableColumn[PointEstimate]] = [
    TableColumn("launches", lambda point: point.launches),
    TableColumn("samples", lambda point: point.samples),
    TableColumn("completion", lambda point: point.typical_s, microseconds),
    *INTERVAL,
    TableColumn("own mean", lambda point: point.own_mean_s, microseconds),
    TableColumn("own max", lambda point: point.own_max_s, microseconds),
]
"""An operation that all ranks complete together."""

"""Tables of a terminal or a pipe: one list of columns says what a table shows of each row, as text
and in JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from hockney.base.terminal import styled
from hockney.base.units import format_uncertainty, known_decimals, whole_percent
from hockney.infer.estimate.interval import Interval, high_of, low_of
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import method_text

STRONG = frozenset({"median", "completion", "median pair", "B/A", "verdict"})
"""Columns that a reader looks for, which a terminal shows in bold."""

Row = TypeVar("Row")
Outer = TypeVar("Outer")


def always(rows: Sequence[Any]) -> bool:  # noqa: ARG001
    return True


def differs(value: Callable[[Row], Any]) -> Callable[[Sequence[Row]], bool]:
    """Shows a column only where its rows have more than one value."""
    return lambda rows: len({value(row) for row in rows}) > 1


@dataclass(frozen=True)
class TableColumn(Generic[Row]):
    heading: str | None
    """None for a column that a terminal does not show."""
    value: Callable[[Row], Any]
    """What the column takes from a row, in SI units; None where it is unknown."""
    text: Callable[..., str] = str
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
    half_width: Callable[[Row], float | None] | None = None
    """The half-width of the value's interval, by which `text` (which takes it, too) writes no more
    digits than are known."""
    titled: Callable[[Sequence[Row]], str] | None = None
    """A heading of a terminal that depends on the rows, instead of `heading`."""

    def cell(self, row: Row) -> str:
        value = self.value(row)
        if value is None:
            return self.unknown
        return self.text(value, self.half_width(row)) if self.half_width else self.text(value)

    def title(self, rows: Sequence[Row]) -> str:
        return self.titled(rows) if self.titled else self.heading or ""

    def is_in(self, rows: Sequence[Row]) -> bool:
        """Whether a terminal shows it: a column in which nothing is known is left out."""
        return (
            self.heading is not None
            and self.shown(rows)
            and any(self.value(row) is not None for row in rows)
        )


def json_field(name: str, value: Callable[[Row], Any]) -> TableColumn[Row]:
    """A column of the JSON alone."""
    return TableColumn(None, value, field=name)


def through(
    take: Callable[[Outer], Row | None], *columns: TableColumn[Row]
) -> list[TableColumn[Outer]]:
    """The columns, for rows from which `take` gets the row of these columns, or None."""
    return [_through(take, column) for column in columns]


def _through(take: Callable[[Outer], Row | None], column: TableColumn[Row]) -> TableColumn[Outer]:
    def value(row: Outer) -> Any:
        part = take(row)
        return None if part is None else column.value(part)

    def inner(rows: Sequence[Outer]) -> list[Row]:
        return [part for row in rows if (part := take(row)) is not None]

    def half_width(row: Outer) -> float | None:
        part = take(row)
        return None if part is None or column.half_width is None else column.half_width(part)

    return TableColumn(
        column.heading,
        value,
        column.text,
        column.field,
        column.unknown,
        lambda rows: column.shown(inner(rows)),
        column.page,
        half_width if column.half_width else None,
        (lambda rows: column.title(inner(rows))) if column.titled else None,
    )


def table_text(columns: Sequence[TableColumn[Row]], rows: Sequence[Row]) -> str:
    """The table of a terminal; empty without rows."""
    if not rows:
        return ""
    named = [column for column in columns if column.is_in(rows)]
    heading = [column.title(rows) for column in named]
    return aligned([heading, *([column.cell(row) for column in named] for row in rows)])


def indented(text: str) -> list[str]:
    """The lines of a table below a heading of its own."""
    return [f"  {line}" for line in text.splitlines()]


def row_json(columns: Sequence[TableColumn[Row]], row: Row | None) -> dict[str, Any]:
    """The fields of a row, all null where it is None."""
    named = [column for column in columns if column.field]
    return {column.field: None if row is None else column.value(row) for column in named}


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Right-aligned columns from rows of cells, the first of which is the heading; people and `awk`
    can read them. A terminal shows the heading dim and the columns of medians in
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


def microseconds(seconds: float | None, half_width_s: float | None = None) -> str:
    if seconds is None:
        return "-"
    us = seconds * 1e6
    most = 3 if us < 100.0 else 1 if us < 100e3 else 0
    return to_known_digits(us, most, half_width_s and half_width_s * 1e6)


def to_known_digits(value: float, most: int, half_width: float | None) -> str:
    """The value with at most so many decimal places, and with no more digits than are known."""
    if not half_width:
        return f"{value:.{most}f}"
    decimals = min(most, known_decimals(value, half_width))
    return f"{round(value, decimals):.{max(decimals, 0)}f}"


def between(interval: Interval | None, text: Callable[[float], str] = microseconds) -> str | None:
    """The ends of an interval; None where it or one of them is unknown."""
    low, high = low_of(interval), high_of(interval)
    return None if low is None or high is None else f"{text(low)} .. {text(high)}"


def estimate_json(estimate: Any, unit: str = "") -> dict[str, Any]:
    """The fields of an estimate and of those in it, with the ends of an interval in its place."""

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for name, value in pairs:
            if name == "interval":
                interval = None if value is None else Interval(**value)
                entries |= {f"low{unit}": low_of(interval), f"high{unit}": high_of(interval)}
            else:
                entries[name] = value
        return entries

    return asdict(estimate, dict_factory=fields)


def end_fields(
    interval: Callable[[Row], Interval | None], unit: str = ""
) -> list[TableColumn[Row]]:
    """The ends of an interval, in JSON alone. unit: "_s" of times."""
    return [
        json_field(f"low{unit}", lambda row: low_of(interval(row))),
        json_field(f"high{unit}", lambda row: high_of(interval(row))),
    ]


def limit_fields(interval: Callable[[Row], Interval | None]) -> list[TableColumn[Row]]:
    """The ends of an interval of a time, and the confidence that it has at least, in JSON alone."""

    def confidence(row: Row) -> float | None:
        known = interval(row)
        return None if known is None else known.confidence

    return [*end_fields(interval, "_s"), json_field("confidence", confidence)]


def mebibytes(rate: float, half_width_Bps: float | None = None) -> str:
    half_width = half_width_Bps and half_width_Bps / 2**20
    return to_known_digits(rate / 2**20, 2 if rate < 2**30 else 0, half_width)


def _how(point: PointEstimate) -> str:
    return method_text(point) or point.operation


def half_width_s(point: PointEstimate) -> float | None:
    """The half-width of the interval of a point's time; None without one."""
    return None if point.precision is None else point.precision * point.typical_s


def half_width_Bps(point: PointEstimate) -> float | None:
    """The half-width of the interval of its bandwidth; None without one."""
    if point.precision is None or point.bandwidth_Bps is None:
        return None
    return point.precision * point.bandwidth_Bps


def time_column(
    heading: str, point: Callable[[Row], PointEstimate], field: str = ""
) -> TableColumn[Row]:
    """The time of the row's point, in the digits that are known."""
    return TableColumn(
        heading,
        lambda row: point(row).typical_s,
        microseconds,
        field,
        half_width=lambda row: half_width_s(point(row)),
    )


def rate_column(point: Callable[[Row], PointEstimate]) -> TableColumn[Row]:
    """The bandwidth of the row's point, in the digits that are known."""
    return TableColumn(
        "MiB/s",
        lambda row: point(row).bandwidth_Bps,
        mebibytes,
        half_width=lambda row: half_width_Bps(point(row)),
    )


def itself(point: PointEstimate) -> PointEstimate:
    return point


def _limits(point: PointEstimate) -> str | None:
    if point.precision is None:
        return None
    half = half_width_s(point)
    return between(point.interval, lambda limit: microseconds(limit, half))


def interval_title(points: Sequence[PointEstimate]) -> str:
    return level_title(point.interval for point in points)


def level_title(intervals: Iterable[Interval | None]) -> str:
    """ "70 % interval": with the least confidence of the intervals; "interval" if it is unknown."""
    levels = {interval.confidence for interval in intervals if interval is not None}
    known = [level for level in levels if level is not None]
    return f"{whole_percent(min(known))} interval" if known and None not in levels else "interval"


HOW: TableColumn[PointEstimate] = TableColumn(
    "how", _how, shown=lambda points: len(set(map(_how, points))) > 1
)
"""How messages were exchanged, where that differs."""
INTERVAL: list[TableColumn[PointEstimate]] = [
    TableColumn("interval", _limits, titled=interval_title),
    TableColumn("", lambda point: point.precision, format_uncertainty, unknown=""),
]
"""The limits of a median's interval, and its relative half-width."""
LIMITS: list[TableColumn[PointEstimate]] = limit_fields(lambda point: point.interval)
"""The same in JSON."""
LAUNCHES: TableColumn[PointEstimate] = TableColumn(
    "launches", lambda point: point.launches, shown=differs(lambda point: point.launches)
)
COMPLETION: list[TableColumn[PointEstimate]] = [
    LAUNCHES,
    time_column("completion", itself),
    *INTERVAL,
    TableColumn("own mean", lambda point: point.own_mean_s, microseconds),
    TableColumn("own max", lambda point: point.own_max_s, microseconds),
]
"""An operation that all ranks complete together."""
MEDIAN_AND_EXTREMES: list[TableColumn[PointEstimate]] = [
    LAUNCHES,
    time_column("median", itself),
    *INTERVAL,
    TableColumn("min", lambda point: point.min_s, microseconds, half_width=half_width_s),
    TableColumn("max", lambda point: point.max_s, microseconds, half_width=half_width_s),
]

"""Makes tables of the page: systems side by side, the points of each, and what repeats a run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from hockney.base.errors import HockneyError
from hockney.base.units import format_rate, format_seconds, format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.published import Position, Positions
from hockney.infer.analysis.comparison.compare import RunComparison, compare
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.estimate.points import PointEstimate
from hockney.plan import plan_facts
from hockney.plan.axes import AXES
from hockney.plan.trains import Train, train_text
from hockney.records import Place
from hockney.show.claims.published_lines import number_name, place_among
from hockney.show.drawing import time_text
from hockney.show.one_run.answer import own_points
from hockney.show.tables.judged import least_shown
from hockney.show.tables.table import Row, TableColumn, through

MOST_ROWS = 1000
"""Most rows of a table in the page."""
TOLERANCE = 0.03
"""Smaller differences are treated as equal, as in `hockney compare`."""
MOST_OTHERS = 20
"""Most systems among which runs of the same question show how much equal runs differ."""

Followed = Callable[[Sequence[Analysis], str], Iterable[Analysis]]
"""Yields the items; the words are shown with how many were done."""


@dataclass(frozen=True)
class ReportCell:
    text: str
    value: float | str | None = None
    """The value that the column is sorted by, where that is not the text."""


@dataclass(frozen=True)
class ReportTable:
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[ReportCell]]
    name: str
    """Name of the CSV file."""


def page_table(
    caption: str, columns: Sequence[TableColumn[Row]], rows: Sequence[Row], name: str
) -> ReportTable:
    """The page's table of these columns."""
    headings = [
        (column, column.heading if column.page == "" else column.page) for column in columns
    ]
    shown = [
        (column, heading)
        for column, heading in headings
        if heading is not None and column.shown(rows)
    ]
    cells = [[_cell(column, row) for column, _ in shown] for row in rows]
    return ReportTable(caption, [heading for _, heading in shown], cells, name)


def _cell(column: TableColumn[Row], row: Row) -> ReportCell:
    """Numbers are sorted as such, and ranges by where they begin."""
    value = column.value(row)
    first = value[0] if isinstance(value, tuple) and value else value
    is_number = isinstance(first, int | float) and not isinstance(first, bool)
    return ReportCell(column.cell(row), first if is_number else None)


def _time(seconds: float) -> str:
    return time_text(seconds, 4)


class _System(NamedTuple):
    """A row of the table of systems."""

    analysis: Analysis
    points: list[PointEstimate]
    compared: str

    @property
    def first(self) -> PointEstimate | None:
        return min(self.points, key=lambda point: (point.bytes, point.typical_s), default=None)

    @property
    def widest(self) -> PointEstimate | None:
        rated = [point for point in self.points if point.bandwidth_Bps]
        return max(rated, key=lambda point: (point.bandwidth_Bps, point.bytes), default=None)


SYSTEMS: list[TableColumn[_System]] = [
    TableColumn("system", lambda row: row.analysis.label),
    *through(
        lambda row: row.first,
        TableColumn("smallest size", lambda point: point.bytes, format_size),
        TableColumn("time", lambda point: point.typical_s, _time),
    ),
    *through(
        lambda row: row.analysis.line(),
        TableColumn("α", lambda line: line.parameters["alpha_s"].value, _time),
        TableColumn("r∞", lambda line: line.derived["r_inf_Bps"].value, format_rate),
    ),
    *through(
        lambda row: row.widest,
        TableColumn("largest bandwidth", lambda point: point.bandwidth_Bps, format_rate),
        TableColumn("at size", lambda point: point.bytes, format_size),
    ),
    TableColumn("launches", lambda row: len(row.analysis.run.launches)),
    TableColumn("compared with the first", lambda row: row.compared),
]


def side_by_side(
    systems: Sequence[Analysis], operation: str | None, followed: Followed
) -> ReportTable:
    """One row a file, compared with the first; followed: shows how far it is."""
    rows = []
    for number, system in enumerate(followed(systems, "systems compared")):
        against = _against(systems[0], system, systems[:MOST_OTHERS]) if number else "-"
        points = own_points(system, operation) if operation else []  # unlike ones have no extremes
        rows.append(_System(system, points, against))
    return page_table("The systems side by side", SYSTEMS, rows, "systems")


def _against(base: Analysis, other: Analysis, others: Sequence[Analysis]) -> str:
    try:
        memory = base.earlier or ()
        comparison = compare(base, other, TOLERANCE, others, each_point=False, memory=memory)
    except HockneyError:
        return "another experiment"
    return "; ".join([_verdict(comparison), *comparison.notes])


def _verdict(comparison: RunComparison) -> str:
    overall = comparison.overall
    if overall is None:
        return "unknown"
    if overall.interval is None:
        return f"{comparison.verdict} (ratio {overall.ratio:.3f}, no interval)"
    low, high = overall.interval.low, overall.interval.high
    interval = "exact" if overall.interval.is_exact else f"{low:.3f} to {high:.3f}"
    words = f"{comparison.verdict} (ratio {overall.ratio:.3f}, {interval})"
    return f"{words}; {least_shown(overall)}" if comparison.verdict == "unknown" else words


def _axis_value(value: Any) -> Any:
    """A number, or text; None where the axis does not apply or is empty."""
    match value:
        case () | False:
            return None
        case True:
            return "yes"
        case tuple():
            return ", ".join(map(str, value))
        case Train():
            return train_text(value)
    return value


def _key_column(name: str) -> TableColumn[PointEstimate]:
    """A column that is left out where all rows have the same value."""

    def value(point: PointEstimate) -> Any:
        return _axis_value(getattr(point, name))

    return TableColumn(
        name.replace("_", " "), value, shown=lambda points: len(set(map(value, points))) > 1
    )


STATISTIC = _key_column("statistic")
POINTS: list[TableColumn[PointEstimate]] = [
    _key_column("operation"),
    STATISTIC,
    *(_key_column(name) for name in AXES if name not in ("operation", "bytes")),
    TableColumn("size", lambda point: point.bytes, format_size),
    TableColumn("launches", lambda point: point.launches),
    TableColumn("samples", lambda point: point.samples),
    TableColumn("min", lambda point: point.min_s, _time),
    TableColumn("time", lambda point: point.typical_s, _time),
    TableColumn("low", lambda point: low_of(point.interval), _time),
    TableColumn("high", lambda point: high_of(point.interval), _time),
    TableColumn("mean", lambda point: point.mean_s, _time),
    TableColumn("p99", lambda point: point.p99_s, _time),
    TableColumn("max", lambda point: point.max_s, _time),
    TableColumn("bandwidth", lambda point: point.bandwidth_Bps, format_rate),
]


def points_table(system: Analysis, operation: str | None) -> ReportTable:
    every = own_points(system, operation)
    own = every[:MOST_ROWS]
    caption = ": ".join(filter(None, (system.label, operation)))
    if own and not STATISTIC.shown(own):
        caption += f", {own[0].statistic}"
    if len(every) > len(own):
        more = how_many(len(every) - len(own), "more point")
        caption += f"; {more} in `hockney show --json`"
    return page_table(caption, POINTS, own, "points")


def _number(place: Position, value: float) -> tuple[float, str]:
    return value, format_rate(value) if place.quantity.endswith("_Bps") else _time(value)


def _written(number: tuple[float, str]) -> str:
    return number[1]


PUBLISHED: list[TableColumn[Position]] = [
    TableColumn("quantity", number_name),
    TableColumn("this run", lambda place: _number(place, place.value), _written),
    TableColumn("compared with published", place_among),
    TableColumn("lowest published", lambda place: _number(place, place.like[0].value), _written),
    TableColumn("system", lambda place: place.like[0].system),
    TableColumn("highest published", lambda place: _number(place, place.like[-1].value), _written),
    TableColumn("system", lambda place: place.like[-1].system),
    TableColumn("how many", lambda place: len(place.like)),
]


def published_table(positions: Positions) -> ReportTable:
    """A table that compares each number with published ones."""
    caption = "Compared with published figures of like systems"
    return page_table(caption, PUBLISHED, positions.places, "published")


PLACES: list[TableColumn[Place]] = [
    *(TableColumn(name, attrgetter(name)) for name in ("rank", "host", "package")),
    TableColumn("NUMA", attrgetter("numa")),
    TableColumn("L3", attrgetter("l3")),
    TableColumn("core", attrgetter("core")),
    TableColumn("CPU", attrgetter("pu")),
    TableColumn("pinned", attrgetter("pinned"), lambda pinned: "yes" if pinned else "no"),
]


@dataclass(frozen=True)
class Repeat:
    """All that is needed to repeat a run."""

    command: str | None
    facts: list[tuple[str, str]]
    places: ReportTable
    environment: list[tuple[str, str]]


def repeat(system: Analysis) -> Repeat:
    run = system.run
    command = run.header.environment.get("command")
    words = [str(word) for word in command] if isinstance(command, list) else []
    environment = [
        *_flat("", run.header.environment),
        *_flat("option.", plan_facts(run.header.options)),
    ]
    return Repeat(
        shlex.join(["hockney", *words[1:]]) if words else None,
        _facts(system),
        _places(system),
        [(name, value) for name, value in environment if name != "command"],
    )


def _facts(system: Analysis) -> list[tuple[str, str]]:
    header, launches = system.run.header, system.run.launches
    facts = [
        ("file", str(system.run.path.name if system.run.path else "-")),
        ("run", header.id),
        ("started", header.started),
        ("hockney", header.hockney),
        ("experiment", header.experiment),
    ]
    if launches:
        first = launches[0]
        facts += [
            ("MPI", f"{first.mpi.library or '-'} {first.mpi.version or ''}".strip()),
            ("MPI description", first.mpi.description or "-"),
            ("MPI standard", first.mpi.standard or "-"),
            ("launcher", first.launcher or "-"),
            ("command of the first launch", shlex.join(first.command) or "-"),
            ("variables set for it", " ".join(f"{k}={v}" for k, v in first.env.items()) or "-"),
            ("engine", first.engine or "-"),
            ("clock", first.clock.name or "-"),
            ("clock resolution", format_seconds(first.clock.resolution_s)),
            ("cost of reading the clock", format_seconds(first.clock.cost_s)),
            ("simulated", "yes" if first.simulated else "no"),
        ]
    facts.append(("ended", ", ".join(end.reason for end in system.run.ends) or "unknown"))
    return [(name, value or "-") for name, value in facts]


def _places(system: Analysis) -> ReportTable:
    places = system.run.launches[0].places if system.run.launches else []
    return page_table(f"Places of the ranks of {system.label}", PLACES, places, "places")


def _flat(prefix: str, values: dict[str, Any]) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            flat += _flat(f"{prefix}{name}.", value)
        else:
            flat.append((prefix + name, value if isinstance(value, str) else json.dumps(value)))
    return flat

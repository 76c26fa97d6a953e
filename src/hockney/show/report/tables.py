"""Makes tables of the page: systems side by side, the points of each, and what repeats a run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hockney.base.errors import HockneyError
from hockney.base.units import format_rate, format_seconds, format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.compare import RunComparison, compare
from hockney.infer.analysis.published import Positions
from hockney.infer.estimate.points import PointEstimate
from hockney.plan import plan_facts
from hockney.plan.axes import AXES
from hockney.plan.trains import Train, train_text
from hockney.show.judged import least_shown
from hockney.show.published_lines import number_name, place_among

MOST_ROWS = 1000
"""Most points of one file in the page."""
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


def _time(seconds: float | None) -> ReportCell:
    return ReportCell(format_seconds(seconds).replace("us", "µs"), seconds)


def _rate(rate: float | None) -> ReportCell:
    return ReportCell(format_rate(rate), rate)


def side_by_side(systems: Sequence[Analysis], operation: str, followed: Followed) -> ReportTable:
    """One row a file, compared with the first; followed: shows how far it is."""
    columns = [
        "system",
        "smallest size",
        "time",
        "α",
        "r∞",
        "largest bandwidth",
        "at size",
        "launches",
        "compared with the first",
    ]
    rows = [
        [
            ReportCell(system.label),
            *_first(system, operation),
            *_fitted(system),
            *_most(system, operation),
            ReportCell(str(len(system.run.launches)), len(system.run.launches)),
            ReportCell("-" if number == 0 else _against(systems[0], system, systems[:MOST_OTHERS])),
        ]
        for number, system in enumerate(followed(systems, "systems compared"))
    ]
    return ReportTable("The systems side by side", columns, rows, "systems")


def _points(system: Analysis, operation: str) -> list[PointEstimate]:
    return [p for p in system.estimates.own() if p.operation == operation]


def _first(system: Analysis, operation: str) -> list[ReportCell]:
    points = _points(system, operation)
    point = min(points, key=lambda point: (point.bytes, point.typical_s), default=None)
    if point is None:
        return [ReportCell("-"), ReportCell("-")]
    return [ReportCell(format_size(point.bytes), point.bytes), _time(point.typical_s)]


def _fitted(system: Analysis) -> list[ReportCell]:
    line = system.line()
    if line is None:
        return [ReportCell("-"), ReportCell("-")]
    return [_time(line.parameters["alpha_s"].value), _rate(line.derived["r_inf_Bps"].value)]


def _most(system: Analysis, operation: str) -> list[ReportCell]:
    rated = [(p.bandwidth_Bps, p.bytes) for p in _points(system, operation) if p.bandwidth_Bps]
    if not rated:
        return [ReportCell("-"), ReportCell("-")]
    rate, size = max(rated)
    return [_rate(rate), ReportCell(format_size(size), size)]


def _against(base: Analysis, other: Analysis, others: Sequence[Analysis]) -> str:
    try:
        found = compare(base, other, TOLERANCE, others, each_point=False)
    except HockneyError:
        return "another experiment"
    return "; ".join([_verdict(found), *found.notes])


def _verdict(found: RunComparison) -> str:
    overall = found.overall
    if overall is None:
        return "unknown"
    if overall.low is None or overall.high is None:
        return f"{found.verdict} (ratio {overall.ratio:.3f}, no interval)"
    interval = f"{overall.low:.3f} to {overall.high:.3f}"
    words = f"{found.verdict} (ratio {overall.ratio:.3f}, {interval})"
    return f"{words}; {least_shown(overall)}" if found.verdict == "unknown" else words


KEYS = ("operation", "statistic", *(name for name in AXES if name not in ("operation", "bytes")))
"""Columns of points; those in which all rows have the same value are left out."""
NUMBERS = [
    "size",
    "launches",
    "samples",
    "min",
    "time",
    "low",
    "high",
    "mean",
    "p99",
    "max",
    "bandwidth",
]


def points_table(system: Analysis, operation: str) -> ReportTable:
    every = _points(system, operation)
    own = every[:MOST_ROWS]
    keys = [k for k, _ in enumerate(KEYS) if len({_key_cells(p)[k] for p in own}) > 1]
    rows = [[*(_key_cells(p)[k] for k in keys), *_number_cells(p)] for p in own]
    statistic = (
        f", {own[0].statistic}" if own and "statistic" not in {KEYS[k] for k in keys} else ""
    )
    caption = f"{system.label}: {operation}{statistic}"
    if len(every) > len(own):
        caption += f"; {len(every) - len(own)} more points are in `hockney show --json`"
    return ReportTable(
        caption, [*(KEYS[k].replace("_", " ") for k in keys), *NUMBERS], rows, "points"
    )


def _key_cells(point: PointEstimate) -> list[ReportCell]:
    """The cells of a point, one for each of KEYS."""
    return [_key_cell(getattr(point, name)) for name in KEYS]


def _key_cell(value: object) -> ReportCell:
    """The cell of a value; a dash stands for one that does not apply or is empty."""
    match value:
        case None | () | False:
            return ReportCell("-")
        case bool():
            return ReportCell("yes")
        case tuple():
            return ReportCell(", ".join(map(str, value)))
        case int():
            return ReportCell(str(value), value)
        case Train():
            return ReportCell(train_text(value))
        case _:
            return ReportCell(str(value))


def _number_cells(point: PointEstimate) -> list[ReportCell]:
    names = ("min_s", "typical_s", "low_s", "high_s", "mean_s", "p99_s", "max_s")
    times = [getattr(point, name) for name in names]
    counts = (point.launches, point.samples)
    return [
        ReportCell(format_size(point.bytes), point.bytes),
        *(ReportCell(str(n), n) for n in counts),
        *map(_time, times),
        _rate(point.bandwidth_Bps),
    ]


def published_table(found: Positions) -> ReportTable:
    """A table that compares each number with published ones."""
    rows = []
    for place in found.places:
        low, high = place.like[0], place.like[-1]
        say = _rate if place.quantity.endswith("_Bps") else _time
        rows.append(
            [
                ReportCell(number_name(place)),
                say(place.value),
                ReportCell(place_among(place)),
                say(low.value),
                ReportCell(low.system),
                say(high.value),
                ReportCell(high.system),
                ReportCell(str(len(place.like)), len(place.like)),
            ]
        )
    columns = [
        "quantity",
        "this run",
        "compared with published",
        "lowest published",
        "system",
        "highest published",
        "system",
        "how many",
    ]
    return ReportTable(
        "Compared with published figures of like systems", columns, rows, "published"
    )


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
    columns = ("rank", "host", "package", "NUMA", "L3", "core", "CPU", "pinned")
    places = system.run.launches[0].places if system.run.launches else []
    rows = []
    for p in places:
        values = (p.rank, p.host, p.package, p.numa, p.l3, p.core, p.pu)
        cells = [ReportCell("-" if value is None else str(value), value) for value in values]
        rows.append([*cells, ReportCell({True: "yes", False: "no", None: "-"}[p.pinned])])
    return ReportTable(f"Places of the ranks of {system.label}", columns, rows, "places")


def _flat(prefix: str, values: dict[str, Any]) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            flat += _flat(f"{prefix}{name}.", value)
        else:
            flat.append((prefix + name, value if isinstance(value, str) else json.dumps(value)))
    return flat

"""Shows collectives by messages: a row for each phase, beside the library's own time and the
predicted one."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from hockney.base.grouping import by_key
from hockney.base.units import how_many, whole_percent
from hockney.infer.analysis.algorithms.phase_times import Phase, Phased
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.words import ALL_PHASES
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.table import (
    INTERVAL,
    LIMITS,
    TableColumn,
    json_field,
    microseconds,
    row_json,
    table_text,
    through,
    time_column,
)


class _PhaseRow(NamedTuple):
    of: Phased
    name: str
    point: PointEstimate
    predicted_s: float | None = None


PHASE: list[TableColumn[_PhaseRow]] = [
    TableColumn("bytes", lambda row: row.of.bytes if row.name == ALL_PHASES else ""),
    TableColumn("phase", lambda row: row.name),
    json_field("phase", lambda row: row.point.phase),
    time_column("time", lambda row: row.point),
    json_field("median_s", lambda row: row.point.median_s),
    *through(lambda row: row.point, *INTERVAL, *LIMITS),
    TableColumn("of it", lambda row: row.of.fraction(row.point), whole_percent, "fraction"),
    TableColumn("predicted", lambda row: row.predicted_s, microseconds, "predicted_s"),
]


def phase_tables(collectives: Sequence[Phased]) -> list[str]:
    """A table for each collective, algorithm, segment size and number of ranks."""

    def kind(phased: Phased) -> tuple[str, str, int]:
        point = phased.whole.point
        return point.operation, phased.method, point.known_ranks

    tables = []
    for (collective, method, ranks), each in by_key(collectives, kind).items():
        rows = [row for phased in sorted(each, key=attrgetter("bytes")) for row in _rows(phased)]
        title = f"{collective} by messages, {method}, {how_many(ranks, 'rank')}"
        tables.append(f"{title}\n{table_text(PHASE, rows)}")
    return tables


def phases_json(collectives: Sequence[Phased]) -> list[dict[str, Any]]:
    return [
        {
            **axes_json(phased.whole.point, "phase"),
            "median_s": phased.whole.point.median_s,
            **row_json(LIMITS, phased.whole.point),
            "predicted_s": phased.whole.predicted_s,
            "library_algorithm": phased.library_algorithm if phased.library else None,
            "library_s": phased.library.median_s if phased.library else None,
            "phases": [row_json(PHASE, _row(phased, phase)) for phase in phased.phases],
        }
        for phased in collectives
    ]


def _rows(phased: Phased) -> list[_PhaseRow]:
    rows = [_row(phased, phase) for phase in (phased.whole, *phased.phases)]
    if phased.library is not None:
        rows.append(_PhaseRow(phased, f"library, {phased.library_algorithm}", phased.library))
    return rows


def _row(phased: Phased, phase: Phase) -> _PhaseRow:
    return _PhaseRow(phased, phase.point.phase or "", phase.point, phase.predicted_s)

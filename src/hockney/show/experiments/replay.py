"""Shows the time of the replayed mix of a program."""

from __future__ import annotations

from typing import Any

from hockney.base.units import format_seconds
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import PointEstimate
from hockney.show import run_lines
from hockney.show.answer import own_points, precision
from hockney.show.experiments import pingpong
from hockney.show.table import (
    INTERVAL,
    LAUNCHES,
    TableColumn,
    half_width_s,
    microseconds,
    table_text,
)

COLUMNS: list[TableColumn[PointEstimate]] = [
    LAUNCHES,
    TableColumn("median", lambda point: point.typical_s, microseconds, half_width=half_width_s),
    *INTERVAL,
    TableColumn("min", lambda point: point.min_s, microseconds, half_width=half_width_s),
    TableColumn("max", lambda point: point.max_s, microseconds, half_width=half_width_s),
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    return [
        f"the whole mix takes {format_seconds(point.typical_s)}{precision(point)}"
        for point in own_points(analysis, operation)
    ]


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    return [
        "\n".join(run_lines.heading(analysis, "time")),
        *(
            table_text(COLUMNS, analysis.estimates.own(state))
            for state in analysis.estimates.numbers(all_states)
        ),
        "\n".join(run_lines.state_lines(analysis.estimates)),
    ]


def definitions(analysis: Analysis) -> list[str]:
    return run_lines.definitions(analysis, "time")


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    return pingpong.fields(analysis, all_states)

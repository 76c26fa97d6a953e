"""Shows the time of each step of a start-up, by numbers of ranks."""

from __future__ import annotations

from typing import Any

from hockney.base.units import format_seconds, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.workloads.startup import PHASES
from hockney.show.one_run import run_lines
from hockney.show.one_run.answer import precision
from hockney.show.tables.table import MEDIAN_AND_EXTREMES, TableColumn, table_text

WORDS = {
    "launch": "launcher to the last rank's main",
    "init": "MPI_Init",
    "contact": "message",
    "comm-dup": "MPI_Comm_dup",
    "comm-split": "MPI_Comm_split",
    "finalize": "MPI_Finalize",
}
"""Names of operations for people."""
CREATIONS = {
    "allocate": "MPI_Win_allocate",
    "create": "MPI_Win_create",
    "dynamic": "MPI_Win_create_dynamic",
    "shared": "MPI_Win_allocate_shared",
}
"""Calls that make windows, by their kind."""


def step_text(point: PointEstimate) -> str:
    """The MPI call of a step, or its description."""
    if point.window_kind is not None:
        return CREATIONS.get(point.window_kind, point.window_kind)
    return WORDS.get(point.operation, point.operation)


COLUMNS: list[TableColumn[PointEstimate]] = [
    TableColumn("ranks", lambda point: point.known_ranks),
    TableColumn("step", step_text),
    TableColumn("which", lambda point: point.occurrence, unknown=""),
    *MEDIAN_AND_EXTREMES,
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """MPI_Init with the most ranks, and how much longer a first message takes than later ones."""
    lines = []
    most = max((point.known_ranks for point in analysis.estimates.own()), default=0)
    points = {
        (point.operation, point.occurrence): point
        for point in analysis.estimates.own()
        if point.known_ranks == most and operation in (None, point.operation)
    }
    for name, verb in (("launch", "launching"), ("init", "MPI_Init"), ("finalize", "MPI_Finalize")):
        if (point := points.get((name, None))) is not None:
            lines.append(f"{verb} of {how_many(most, 'rank')} {_time(point)}")
    first, later = points.get(("contact", "first")), points.get(("contact", "later"))
    if first is not None and later is not None:
        lines.append(f"first message to a rank {_time(first)}, later ones {_time(later)}")
    return lines


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    return [
        "\n".join(run_lines.heading(analysis, "time")),
        *(_table(analysis.estimates.own(n)) for n in analysis.estimates.numbers(all_states)),
        "\n".join(run_lines.states_shown(analysis)),
    ]


definitions = run_lines.time_definitions


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """Nothing but the points."""
    return {}


def order(point: PointEstimate) -> tuple[int, str, str]:
    """Sorts the steps of a start-up as they follow each other."""
    known = PHASES.index(point.operation) if point.operation in PHASES else len(PHASES)
    return known, step_text(point), point.occurrence or ""


def _table(points: list[PointEstimate]) -> str:
    return table_text(COLUMNS, sorted(points, key=lambda point: (point.known_ranks, order(point))))


def _time(point: PointEstimate) -> str:
    return f"{format_seconds(point.typical_s)}{precision(point)}"

"""Overlap of a message with computation on its sender and on its receiver, by size."""

from __future__ import annotations

from typing import Any, NamedTuple

from hockney.base.units import format_seconds, format_size, whole_percent
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.workloads.overlap import RECEIVER, SENDER
from hockney.show.one_run import run_lines
from hockney.show.one_run.answer import certainty, own_points
from hockney.show.one_run.overlaps import HIDDEN, HOST_OVERHEAD, Hidden, overlaps_json, overlaps_of
from hockney.show.tables.table import (
    INTERVAL,
    LAUNCHES,
    TableColumn,
    itself,
    table_text,
    through,
    time_column,
)

WHO = {SENDER: "sender", RECEIVER: "receiver"}
NOT_SHOWN = ("algorithm", "segment_bytes", "mode", "window", "train", "pairs", "overlap")
"""Axes that the JSON of overlap leaves out."""


class _ComputingRow(NamedTuple):
    point: PointEstimate
    overlap: Hidden | None


COLUMNS: list[TableColumn[_ComputingRow]] = [
    TableColumn("bytes", lambda row: row.point.bytes),
    *through(
        lambda row: row.point,
        LAUNCHES,
        time_column("alone", itself),
        *INTERVAL,
    ),
    *through(lambda row: row.overlap, HIDDEN, HOST_OVERHEAD),
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """Hidden fraction and host overhead of both ranks at the smallest and the largest size."""
    points = own_points(analysis, operation)
    measured = [point.bytes for point in analysis.overlap]
    if not measured:
        return []
    lines = []
    for size in dict.fromkeys((min(measured), max(measured))):
        words = [
            f"{whole_percent(hidden)} hidden by its {WHO[point.operation]} (host overhead "
            f"{format_seconds(analysis.host_overheads[point])})"
            for point, hidden in sorted(
                analysis.overlap.items(), key=lambda entry: entry[0].operation
            )
            if point.bytes == size and point.operation in WHO and point in analysis.host_overheads
        ]
        lines.append(f"{format_size(size)}: {', '.join(reversed(words))}")
    return [*lines, *certainty(analysis, points)]


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    estimates = analysis.estimates
    begun = run_lines.late_lines(analysis.starts)
    pieces = ["\n".join([*run_lines.heading(analysis, "time"), *begun])]
    for state in estimates.numbers(all_states):
        pieces += [f"state {state}"] if all_states else []
        pieces += [_table(analysis, name, state) for name in WHO]
    return [*pieces, "\n".join(run_lines.states_shown(analysis))]


definitions = run_lines.common_definitions


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """{"overlaps"}."""
    return {
        "overlaps": overlaps_json(analysis, *NOT_SHOWN),
    }


def _table(analysis: Analysis, operation: str, state: int) -> str:
    """A table with a row a size; computation is known for the main state only."""
    own = [
        overlap
        for overlap in overlaps_of(analysis)
        if state == 0 and overlap.point.operation == operation
    ]
    known = {overlap.point.bytes: overlap for overlap in own}
    rows = [
        _ComputingRow(point, known.get(point.bytes))
        for point in analysis.estimates.own(state)
        if point.operation == operation and not point.overlap
    ]
    return f"the {WHO[operation]} computes\n{table_text(COLUMNS, rows)}" if rows else ""

"""Overlap of a message with computation on its sender and on its receiver, by size."""

from __future__ import annotations

from typing import Any

from hockney.base.units import format_seconds, format_size
from hockney.infer.analysis import Analysis
from hockney.plan.axes import Point
from hockney.plan.workloads.overlap import RECEIVER, SENDER
from hockney.show import run_lines
from hockney.show.answer import certainty, own_points
from hockney.show.as_json import axes_json, points_json
from hockney.show.table import aligned, interval, microseconds

WHO = {SENDER: "sender", RECEIVER: "receiver"}
COLUMNS = ("launches", "samples", "alone", "interval", "", "hidden", "host overhead")
LEGEND = (
    "alone: from the common start to the last rank's end, without computation; hidden: fraction\n"
    "of it that disappears behind computation of the same length on one rank; host overhead: time\n"
    "in which that rank could not compute"
)
NOT_SHOWN = ("algorithm", "segment_bytes", "mode", "window", "train", "pairs", "overlap")
"""Axes that the JSON of overlap leaves out."""


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """Hidden fraction and host overhead of both ranks at the smallest and the largest size."""
    points = own_points(analysis, operation)
    measured = [point.bytes for point in analysis.overlap]
    if not measured:
        return []
    lines = []
    for size in dict.fromkeys((min(measured), max(measured))):
        words = [
            f"{100.0 * hidden:.0f} % hidden by its {WHO[point.operation]} (host overhead "
            f"{format_seconds(analysis.host_overheads[point])})"
            for point, hidden in sorted(analysis.overlap.items(), key=lambda one: one[0].operation)
            if point.bytes == size and point.operation in WHO and point in analysis.host_overheads
        ]
        lines.append(f"{format_size(size)}: {', '.join(reversed(words))}")
    return [*lines, *certainty(analysis, points)]


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    estimates = analysis.estimates
    begun = run_lines.common_start_lines(analysis.starts)
    found = ["\n".join([*run_lines.heading(analysis, "time"), LEGEND, *begun])]
    for state in estimates.numbers(all_states):
        found += [f"state {state}"] if all_states else []
        found += [_table(analysis, name, state) for name in WHO]
    return [*found, "\n".join(run_lines.state_lines(estimates))]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"points", "overlaps"}."""
    return {
        "points": points_json(analysis, all_states),
        "overlaps": [
            {
                **axes_json(point, *NOT_SHOWN),
                "hidden": hidden,
                "host_overhead_s": analysis.host_overheads.get(point),
            }
            for point, hidden in analysis.overlap.items()
        ],
    }


def _table(analysis: Analysis, operation: str, state: int) -> str:
    """A table with a row a size."""
    hidden: dict[int, float] = _by_size(analysis.overlap, operation)
    host = _by_size(analysis.host_overheads, operation)
    rows = [["bytes", *COLUMNS]]
    for point in analysis.estimates.own(state):
        if point.operation == operation and not point.overlap:
            fraction = hidden.get(point.bytes) if state == 0 else None
            rows.append(
                [
                    str(point.bytes),
                    str(point.launches),
                    str(point.samples),
                    microseconds(point.typical_s),
                    *interval(point),
                    "-" if fraction is None else f"{100.0 * fraction:.0f} %",
                    microseconds(host.get(point.bytes) if state == 0 else None),
                ]
            )
    return f"the {WHO[operation]} computes\n{aligned(rows)}"


def _by_size(values: dict[Point, float], operation: str) -> dict[int, float]:
    return {point.bytes: value for point, value in values.items() if point.operation == operation}

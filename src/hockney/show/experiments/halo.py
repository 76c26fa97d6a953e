"""Halos: the time of each exchange by size, beside what is predicted from single messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from hockney.base.units import format_ratio, format_seconds, format_size, from_to, plural
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.predicted import Predicted
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import Axes, text_of
from hockney.plan.words import grid_text
from hockney.show.algorithms.collective_model import predicted_json
from hockney.show.one_run import run_lines
from hockney.show.one_run.answer import LEAST_TO_MARK, certainty, own_points, time_at, typical_of
from hockney.show.one_run.overlaps import (
    HIDDEN,
    HOST_OVERHEAD,
    Hidden,
    overlaps_json,
    overlaps_text,
)
from hockney.show.tables.table import COMPLETION, TableColumn, microseconds, table_text, through

HIDDEN_TITLE = (
    "hidden behind computation that takes as long as the exchange alone; host overhead: time\n"
    "in which a rank could not compute, the mean over ranks, in us"
)
NOT_SHOWN = ("algorithm", "segment_bytes", "mode", "window", "train", "pairs", "peers", "overlap")
"""Axes that the JSON of overlap leaves out."""


def exchange_text(point: Axes) -> str:
    """How neighbours exchange messages: "neighbor, persistent, packed by hand"."""
    names = ("exchange", "form", "packing", "overlap")
    return ", ".join(filter(None, (text_of(point, name) for name in names)))


class _HaloRow(NamedTuple):
    point: PointEstimate
    predicted: Predicted | None
    is_fastest: bool
    """The fastest of several at its size."""


COLUMNS: list[TableColumn[_HaloRow]] = [
    TableColumn("exchange", lambda row: exchange_text(row.point)),
    *through(lambda row: row.point, *COMPLETION),
    *through(
        lambda row: row.predicted,
        TableColumn("predicted", lambda predicted: predicted.seconds, microseconds),
        TableColumn("measured/predicted", lambda predicted: predicted.ratio, "{:.2f}".format),
    ),
    TableColumn("", lambda row: "< fastest" if row.is_fastest else None, unknown=""),
]
OVERLAPS: list[TableColumn[Hidden]] = [
    TableColumn("exchange", lambda row: exchange_text(row.point)),
    TableColumn("bytes", lambda row: row.point.bytes),
    HIDDEN,
    HOST_OVERHEAD,
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """The fastest exchange at the smallest and the largest size, and the slowest with its ratio."""
    points = [point for point in own_points(analysis, operation) if not point.overlap]
    if not points:
        return []
    lines = []
    for size in dict.fromkeys((min(p.bytes for p in points), max(p.bytes for p in points))):
        at_it = sorted((p for p in points if p.bytes == size), key=typical_of)
        first, last = at_it[0], at_it[-1]
        words = f"{exchange_text(first)} {time_at(first)}"
        if first is not last:
            ratio = last.typical_s / first.typical_s if first.typical_s else float("inf")
            time = f"{format_seconds(last.typical_s)} ({format_ratio(ratio)} times)"
            words += f", {exchange_text(last)} {time}"
        lines.append(words)
    return [f"{_topology(points[0])}: {'; '.join(lines)}", *certainty(analysis, points)]


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    estimates = analysis.estimates
    shown = estimates.numbers(all_states)
    predicted = {id(prediction.point): prediction for prediction in analysis.predicted_here}
    begun = [*run_lines.late_lines(analysis.starts), *_moved(analysis)]
    pieces = ["\n".join([*run_lines.heading(analysis, "time"), *begun])]
    for state in shown:
        name = [f"state {state}"] if len(shown) > 1 else []
        points = [point for point in estimates.own(state) if point.exchange is not None]
        pieces += [*name, *_tables(points, predicted)]
    pieces.append(overlaps_text(HIDDEN_TITLE, OVERLAPS, analysis))
    return [*pieces, "\n".join(run_lines.states_shown(analysis))]


definitions = run_lines.common_definitions


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """{"predicted", "overlaps"}."""
    return {
        "predicted": predicted_json(analysis.predicted_here),
        "overlaps": overlaps_json(analysis, *NOT_SHOWN),
    }


def _moved(analysis: Analysis) -> list[str]:
    """How many ranks the library moved on the grid; empty where launches do not record it."""
    counts = [
        launch.moved_ranks for launch in analysis.run.launches if launch.moved_ranks is not None
    ]
    if not counts:
        return []
    ranks = f"{from_to(counts)} {plural(max(counts), 'rank')}"
    return [f"the library gave {ranks} another place on the grid"]


def _topology(point: PointEstimate) -> str:
    """The grid and the neighbours, in words: "4x2 periodic grid, neighbours at faces"."""
    words = " ".join(filter(None, (grid_text(point.grid), text_of(point, "periodic"), "grid")))
    more = (text_of(point, name) for name in ("neighbors", "reordered"))
    return ", ".join(filter(None, (words, *more)))


def _tables(points: Sequence[PointEstimate], predicted: dict[int, Predicted]) -> Iterator[str]:
    """A table for each topology and size, with a row an exchange."""
    topologies = dict.fromkeys(map(_topology, points))
    for topology in topologies:
        of_it = [point for point in points if _topology(point) == topology]
        for size in sorted({point.bytes for point in of_it}):
            at_it = [point for point in of_it if point.bytes == size]
            alone = [point for point in at_it if not point.overlap]
            first = min(alone, key=typical_of) if len(alone) >= LEAST_TO_MARK else None
            rows = [_HaloRow(point, predicted.get(id(point)), point is first) for point in at_it]
            yield f"{topology}, {format_size(size)} to each\n{table_text(COLUMNS, rows)}"

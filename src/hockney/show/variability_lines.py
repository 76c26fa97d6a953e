"""Shows how much times vary, as a table."""

from __future__ import annotations

from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.variability import Spread
from hockney.show.outliers import rank_words
from hockney.show.table import TableColumn, microseconds, table_text

MOST_RANKS = 16
"""Most ranks that are listed one by one; the JSON always has all."""


def _relative(one: Spread) -> float | None:
    return None if one.std_s is None or not one.mean_s else one.std_s / one.mean_s


COLUMNS: list[TableColumn[Spread]] = [
    TableColumn("bytes", lambda one: one.point.bytes),
    TableColumn("rank", lambda one: one.rank, unknown="all"),
    TableColumn("samples", lambda one: one.samples),
    TableColumn("mean", lambda one: one.mean_s, microseconds),
    TableColumn("std", lambda one: one.std_s, microseconds),
    TableColumn("std/mean", _relative, "{:.4f}".format),
    TableColumn("min", lambda one: one.min_s, microseconds),
    TableColumn("5 %", lambda one: one.p5_s, microseconds),
    TableColumn("median", lambda one: one.median_s, microseconds),
    TableColumn("95 %", lambda one: one.p95_s, microseconds),
    TableColumn("99 %", lambda one: one.p99_s, microseconds),
    TableColumn("max", lambda one: one.max_s, microseconds),
]


def variability_text(analysis: Analysis) -> str:
    """A table of all ranks together and, of few, each one; with all pairs at once. Then the slow
    ranks."""
    spreads = analysis.variability
    most = max((one.point.pairs or 1 for one in spreads), default=0)
    shown = [one for one in spreads if (one.point.pairs or 1) == most]
    ranks = {one.rank for one in shown} - {None}
    listed = [one for one in shown if one.rank is None or len(ranks) <= MOST_RANKS]
    words = f"variability over repetitions and ranks, us, with {most} pairs at once"
    slow = [
        f"outlier: {rank_words(one.rank, analysis.places)}: its mean is {one.ratio:.3g} times the "
        f"median of the ranks' means at {format_size(one.point.bytes)}, p = {one.p:.1g}"
        for one in analysis.slow_ranks
    ]
    return "\n".join([words, table_text(COLUMNS, listed), *slow])

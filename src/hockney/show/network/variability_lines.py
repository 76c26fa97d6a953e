"""Shows how much times vary, as a table."""

from __future__ import annotations

from hockney.base.units import format_ratio, format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.outlier_rule import p_words
from hockney.infer.analysis.variability import Spread
from hockney.show.network.outliers import rank_words
from hockney.show.tables.table import TableColumn, microseconds, table_text

MOST_RANKS = 16
"""Most ranks that are listed one by one; the JSON always has all."""


COLUMNS: list[TableColumn[Spread]] = [
    TableColumn("bytes", lambda row: row.point.bytes),
    TableColumn("rank", lambda row: row.rank, unknown="all"),
    TableColumn("samples", lambda row: row.samples),
    TableColumn("mean", lambda row: row.mean_s, microseconds),
    TableColumn("std", lambda row: row.std_s, microseconds),
    TableColumn("std/mean", lambda row: row.relative_std, "{:.4f}".format),
    TableColumn("min", lambda row: row.min_s, microseconds),
    TableColumn("5 %", lambda row: row.p5_s, microseconds),
    TableColumn("median", lambda row: row.median_s, microseconds),
    TableColumn("95 %", lambda row: row.p95_s, microseconds),
    TableColumn("99 %", lambda row: row.p99_s, microseconds),
    TableColumn("max", lambda row: row.max_s, microseconds),
]


def variability_text(analysis: Analysis) -> str:
    """A table of all ranks together and, if they are few, of each; with the most pairs at once.
    Then the slow ranks."""
    spreads = analysis.variability
    if not spreads:
        return ""
    most = max(spread.point.pairs or 1 for spread in spreads)
    shown = [spread for spread in spreads if (spread.point.pairs or 1) == most]
    ranks = {spread.rank for spread in shown} - {None}
    listed = [spread for spread in shown if spread.rank is None or len(ranks) <= MOST_RANKS]
    words = f"variability over repetitions and ranks, us, with {how_many(most, 'pair')} at once"
    slow = [
        f"outlier: {rank_words(slow.rank, analysis.places)}: its mean is "
        f"{format_ratio(slow.ratio)} times the median of the ranks' means at "
        f"{format_size(slow.point.bytes)}, {p_words(slow.p)}"
        for slow in analysis.slow_ranks
    ]
    return "\n".join([words, table_text(COLUMNS, listed), *slow])

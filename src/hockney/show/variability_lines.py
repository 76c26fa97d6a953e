"""Shows how much times vary, as a table."""

from __future__ import annotations

from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.variability import Spread
from hockney.show.outliers import rank_words
from hockney.show.table import aligned, microseconds

MOST_RANKS = 16
"""Most ranks that are listed one by one; the JSON always has all."""
COLUMNS = [
    "bytes",
    "rank",
    "samples",
    "mean",
    "std",
    "std/mean",
    "min",
    "5 %",
    "median",
    "95 %",
    "99 %",
    "max",
]


def variability_text(analysis: Analysis) -> str:
    """A table of all ranks together and, of few, each one; with all pairs at once. Then the slow
    ranks."""
    spreads = analysis.variability
    most = max((one.point.pairs or 1 for one in spreads), default=0)
    shown = [one for one in spreads if (one.point.pairs or 1) == most]
    ranks = {one.rank for one in shown} - {None}
    rows = [COLUMNS, *(_row(one) for one in shown if one.rank is None or len(ranks) <= MOST_RANKS)]
    words = f"variability over repetitions and ranks, us, with {most} pairs at once"
    slow = [
        f"outlier: {rank_words(one.rank, analysis.places)}: its mean is {one.ratio:.3g} times the "
        f"median of the ranks' means at {format_size(one.point.bytes)}, p = {one.p:.1g}"
        for one in analysis.slow_ranks
    ]
    return "\n".join([words, aligned(rows), *slow])


def _row(one: Spread) -> list[str]:
    return [
        str(one.point.bytes),
        "all" if one.rank is None else str(one.rank),
        str(one.samples),
        microseconds(one.mean_s),
        microseconds(one.std_s),
        "-" if one.std_s is None or not one.mean_s else f"{one.std_s / one.mean_s:.4f}",
        *map(microseconds, (one.min_s, one.p5_s, one.median_s, one.p95_s, one.p99_s, one.max_s)),
    ]

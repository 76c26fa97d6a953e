"""Shows a row a size and number of pairs at once, the contention curve's knee, and outliers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hockney.base.units import (
    format_rate,
    format_ratio,
    format_seconds,
    format_size,
    how_many,
    tenth_percent,
)
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.bisection import LinkUse
from hockney.infer.analysis.network.contention import Contention, Knee
from hockney.infer.analysis.network.levels import LevelAtOnce
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import method_text
from hockney.records import Place
from hockney.show.network.outliers import (
    definitions as definitions,
)
from hockney.show.network.outliers import (
    outlier_count,
    outliers_json,
    outliers_text,
    pair_words,
)
from hockney.show.network.variability_lines import variability_text
from hockney.show.one_run import run_lines
from hockney.show.one_run.side_by_side import side_by_side_json, side_by_side_text
from hockney.show.tables.as_json import at_point_json, axes_json
from hockney.show.tables.table import (
    HOW,
    INTERVAL,
    LIMITS,
    TableColumn,
    half_width_s,
    json_field,
    mebibytes,
    microseconds,
    row_json,
    table_text,
    through,
    time_column,
)

MOST_NAMED = 8
"""Most best and worst pairs whose places are shown."""


def _count(value: float) -> str:
    """With four digits that are known, and no exponent."""
    return f"{float(f'{value:.4g}'):.10g}"


def _of_rate(contention: Contention, rate: float | None) -> float | None:
    """The half-width of a rate of all pairs, whose precision is that of their time."""
    precision = contention.together.precision
    return None if precision is None or rate is None else precision * rate


def _pair_columns(
    name: str, pair: Callable[[Contention], PointEstimate]
) -> list[TableColumn[Contention]]:
    return [
        TableColumn(f"{name} pair", lambda row: _peers_text(pair(row))),
        time_column("us", pair),
        json_field(name, lambda row: {"peers": pair(row).peers, "median_s": pair(row).typical_s}),
    ]


COLUMNS: list[TableColumn[Contention]] = [
    *through(lambda row: row.together, HOW),
    TableColumn("bytes", lambda row: row.together.bytes),
    TableColumn("pairs", lambda row: row.pairs, field="pairs"),
    json_field("repetitions", lambda row: row.together.repetitions),
    TableColumn(
        "median pair",
        lambda row: row.typical_s,
        microseconds,
        "typical_s",
        half_width=lambda row: half_width_s(row.together),
    ),
    time_column("slowest pair", lambda row: row.together, "last_s"),
    *through(lambda row: row.together, *INTERVAL, *LIMITS),
    TableColumn(
        "all MiB/s",
        lambda row: row.aggregate_Bps,
        mebibytes,
        "aggregate_Bps",
        half_width=lambda row: _of_rate(row, row.aggregate_Bps),
    ),
    TableColumn("messages/s", lambda row: row.messages_per_s, _count, "messages_per_s"),
    TableColumn("slowdown", lambda row: row.slowdown, "{:.2f}".format, "slowdown"),
    *_pair_columns("best", lambda row: row.best),
    *_pair_columns("worst", lambda row: row.worst),
]
LEVEL_COLUMNS: list[TableColumn[LevelAtOnce]] = [
    TableColumn("level", lambda row: row.level),
    TableColumn("bytes", lambda row: row.bytes),
    TableColumn("pairs at once", lambda row: row.pairs),
    TableColumn("of this level", lambda row: row.of_level),
    TableColumn("median pair", lambda row: row.median_s, microseconds),
    TableColumn("slowest pair", lambda row: row.slowest_s, microseconds),
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """Times of the median pair among the fewest and the most pairs, at the smallest and the largest
    size; the knee at the largest; and the number of outliers."""
    rows = [row for row in analysis.contention if operation in (None, row.together.operation)]
    if len({(row.together.operation, method_text(row.together)) for row in rows}) != 1:
        return []  # none, or several ways to exchange messages
    lines = []
    for size in sorted({row.together.bytes for row in rows}):
        of_it = sorted(
            (row for row in rows if row.together.bytes == size), key=lambda row: row.pairs
        )
        ends = of_it[:: max(len(of_it) - 1, 1)]
        lines.append(f"{format_size(size)}: {'; '.join(map(_times_text, ends))}")
    knees = [k for k in analysis.knees if operation in (None, k.point.operation)]
    knee = max(knees, key=lambda knee: knee.point.bytes, default=None)
    return [
        *dict.fromkeys((lines[0], lines[-1])),
        *([_knee_line(knee)] if knee else []),
        *outlier_count(analysis),
    ]


def _times_text(row: Contention) -> str:
    """ "8 pairs 2 us, 2.00 times as long as alone, slowest pair 3-11 10 us, 6 MiB/s in total"."""
    slowest = f"slowest pair {_peers_text(row.worst)} {format_seconds(row.worst.typical_s)}"
    words = [
        f"{how_many(row.pairs, 'pair')} {format_seconds(row.typical_s)}",
        *([] if row.slowdown is None else [f"{row.slowdown:.2f} times as long as alone"]),
        *([slowest] if row.worst_stands_out else []),
        *([f"{format_rate(row.aggregate_Bps)} in total"] if row.aggregate_Bps else []),
    ]
    return ", ".join(words)


def _peers_text(point: PointEstimate) -> str:
    return "-".join(map(str, point.peers))


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    curve = analysis.contention
    pieces = [
        "\n".join(run_lines.heading(analysis)),
        table_text(_marked(analysis), curve),
        side_by_side_text(analysis.side_by_side),
        "\n".join(run_lines.states_shown(analysis)),
        "\n".join(_knee_line(knee) for knee in analysis.knees),
        "\n".join(_link_line(use) for use in analysis.link_use),
        table_text(LEVEL_COLUMNS, analysis.levels),
        _extremes(curve, analysis.places),
    ]
    if analysis.times_every_iteration:
        pieces.append(variability_text(analysis))
    pieces.append(outliers_text(analysis))
    return pieces


def _marked(analysis: Analysis) -> list[TableColumn[Contention]]:
    """The columns, and a mark at the rows in which a pair is an outlier."""
    outliers = {(outlier.bytes, outlier.pairs) for outlier in analysis.outliers.slow}

    def mark(contention: Contention) -> str | None:
        return "< outlier" if (contention.together.bytes, contention.pairs) in outliers else None

    return [*COLUMNS, TableColumn("", mark, unknown="")]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """{"contention", "levels", "link_use", "knees", "outliers", "outlier_rule"}, and with
    --every-iteration "variability"."""
    fields = {
        "contention": [
            {**axes_json(row.together, "peers"), **row_json(COLUMNS, row)}
            for row in analysis.contention
        ],
        "levels": [asdict(level) for level in analysis.levels],
        "link_use": [{**asdict(use), "fraction": use.fraction} for use in analysis.link_use],
        # A knee's own number of pairs replaces the axis of that name.
        "knees": [at_point_json(knee, "peers", "ranks") for knee in analysis.knees],
        **outliers_json(analysis),
        **side_by_side_json(analysis.side_by_side),
    }
    if analysis.times_every_iteration:
        fields["variability"] = [at_point_json(spread, "peers") for spread in analysis.variability]
    return fields


def _knee_line(knee: Knee) -> str:
    size = ", ".join(filter(None, (format_size(knee.point.bytes), method_text(knee.point))))
    if knee.unknown is not None:
        return f"{size}: whether pairs wait for each other is not known: {knee.unknown}"
    if knee.pairs is None:
        return f"{size}: no knee: a pair is no slower among {knee.most_pairs} than among the fewest"
    plateau = (
        f"; all pairs together reach {format_rate(knee.plateau_Bps)}" if knee.plateau_Bps else ""
    )
    error = (
        "" if knee.error is None else f" (largest error of the curve {tenth_percent(knee.error)})"
    )
    pairs = format_ratio(knee.pairs)
    return f"{size}: pairs wait for each other beyond {pairs} at once{plateau}{error}"


def _link_line(use: LinkUse) -> str:
    what = "bisection bandwidth" if use.is_bisection else "all pairs together"
    return (
        f"{format_size(use.bytes)}, {how_many(use.pairs, 'pair')}: {what} "
        f"{format_rate(use.measured_Bps)}, {tenth_percent(use.fraction)} of the "
        f"{format_rate(use.allowed_Bps)} that the links allow"
    )


def _extremes(curve: Sequence[Contention], places: Mapping[int, Place]) -> str:
    """The places of the best and the worst pairs."""
    named = dict.fromkeys(point.peers for row in curve for point in (row.best, row.worst))
    few = list(named)[:MOST_NAMED]
    return "\n".join(
        f"pair {'-'.join(map(str, ranks))}: {pair_words(ranks, places)}" for ranks in few
    )

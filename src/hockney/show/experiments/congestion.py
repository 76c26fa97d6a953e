"""Congestion factors: victims under each load over the same victims alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.base.units import format_rate, format_ratio, format_seconds, format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import (
    QUANTILES,
    TOO_FEW,
    Congested,
    Factor,
    Worst,
)
from hockney.infer.estimate.quantiles import FEW_RULE
from hockney.plan.axes import Point, grouped_by
from hockney.show.one_run import run_lines
from hockney.show.one_run.tails import tails_json, tails_text
from hockney.show.tables.as_json import axes_json, points_json
from hockney.show.tables.judged import ratio_columns, ratio_limits, ratio_text
from hockney.show.tables.table import (
    TableColumn,
    differs,
    end_fields,
    json_field,
    microseconds,
    row_json,
    table_text,
    through,
)

NAMES = {0.5: "median", 0.99: "p99", 0.999: "p99.9"}
"""Names of quantiles for people."""


def _tail_text(factor: Factor) -> str:
    limits = ratio_limits(factor.judged, format_ratio)
    more = "" if limits in (None, "exact") else f" [{limits}]"
    return f"{format_ratio(factor.judged.ratio)}{more}"


FACTOR: list[TableColumn[Factor]] = [
    TableColumn("alone", lambda row: row.isolated_s, microseconds, "isolated_s"),
    TableColumn("loaded", lambda row: row.loaded_s, microseconds, "loaded_s"),
    *through(lambda row: row.judged, *ratio_columns(format_ratio, "factor")),
    json_field("factor", lambda row: row.judged.ratio),
    *end_fields(lambda row: row.judged.interval),
    json_field("p", lambda row: row.judged.p),
    json_field("launches", lambda row: row.launches),
]


def _tail_column(quantile: float) -> TableColumn[Congested]:
    return TableColumn(
        NAMES[quantile], lambda row: row.factor(quantile), _tail_text, unknown=TOO_FEW
    )


COLUMNS: list[TableColumn[Congested]] = [
    TableColumn("bytes", lambda row: row.point.bytes),
    TableColumn("load", lambda row: row.load_Bps, format_rate),
    TableColumn(
        "launches",
        lambda row: row.median.launches,
        shown=differs(lambda row: row.median.launches),
    ),
    *through(lambda row: row.median, *FACTOR),
    *(_tail_column(quantile) for quantile in QUANTILES[1:]),
    json_field("load_Bps", lambda row: row.load_Bps),
    json_field("exceeds", lambda row: row.exceeds),
    json_field(
        "tails",
        lambda row: [{"quantile": q, **row_json(FACTOR, row.factor(q))} for q in QUANTILES[1:]],
    ),
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """A line for each victim: its largest factor of medians and of tails, which may be under two
    loads."""
    lines = []
    victims = dict.fromkeys(row.point.operation for row in analysis.congestion)
    for victim in victims:
        if operation not in (None, victim):
            continue
        own = [row for row in analysis.congestion if row.point.operation == victim]
        lines.append(worst_text(own))
    exceeding = [row for row in analysis.congestion if row.exceeds]
    if exceeding:
        lines.append(
            f"{len(exceeding)} of {how_many(len(analysis.congestion), 'point')} "
            f"{'is' if len(exceeding) == 1 else 'are'} surely above the gate of "
            f"{exceeding[0].most_factor:g}x"
        )
    return lines


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    """Tables of the headline state."""
    lines = [*run_lines.heading(analysis, "time")]
    pieces = ["\n".join(lines)]
    for curve in load_curves(analysis.congestion):
        pieces.append(f"{load_text(curve[0].point)}\n{table_text(_marked(analysis), curve)}")
    few = any(row.median.judged.interval is None for row in analysis.congestion)
    if few and not analysis.run.is_simulated:
        pieces.append(FEW_RULE)
    pieces.append(tails_text(analysis))
    return [*pieces, "\n".join(run_lines.states_shown(analysis))]


def _marked(analysis: Analysis) -> list[TableColumn[Congested]]:
    """The columns, and marks at the worst of several rows: those of the answer."""
    marks = _marks(analysis.congestion)
    mark: TableColumn[Congested] = TableColumn("", lambda row: marks.get(id(row)), unknown="")
    return [*COLUMNS, mark]


def _marks(every: Sequence[Congested]) -> dict[int, str]:
    """The marks of rows, by their id()."""
    if len(every) < 2:
        return {}
    worst = Worst.of(every)
    if worst.tail is None or worst.tail is worst.median:
        return {id(worst.median): "< worst"}
    return {id(worst.median): "< worst median", id(worst.tail): "< worst tail"}


def definitions(analysis: Analysis) -> list[str]:
    return [*run_lines.time_definitions(analysis), *_roles_lines(analysis)]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"points", "times"}: the factors, and the times of victims alone and under load; "tails" with
    --tails."""
    return {
        "points": [
            {
                "victim": row.point.operation,
                **axes_json(row.point, "operation", "peers"),
                **row_json(COLUMNS, row),
            }
            for row in analysis.congestion
        ],
        "times": points_json(analysis, all_states),
        **tails_json(analysis.tails),
    }


def load_curves(rows: Sequence[Congested]) -> list[list[Congested]]:
    """Factors by victim and load, over sizes of the victims' messages."""
    curves = grouped_by(rows, lambda row: row.point, "bytes")
    return [sorted(curve, key=lambda row: row.point.bytes) for curve in curves.values()]


def victim_text(point: Point) -> str:
    """ "stream, window 64"."""
    return point.operation + (f", window {point.window}" if point.window else "")


def load_text(point: Point) -> str:
    """ "pingpong under incast: 64 KiB, 8 in flight, bursts of 1 ms with gaps of 4 ms; 8 ranks"."""
    return (
        f"{victim_text(point)} under {point.aggressor}: {format_size(point.load_bytes or 0)}, "
        f"{point.load_window} in flight{_bursts_text(point)}; {how_many(point.known_ranks, 'rank')}"
    )


def _bursts_text(point: Point) -> str:
    """ ", bursts of 1 ms with gaps of 4 ms"; empty for a steady load."""
    if not (point.burst_s and point.gap_s):
        return ""
    times = map(format_seconds, (point.burst_s, point.gap_s))
    return ", bursts of " + " with gaps of ".join(times)


def worst_text(own: Sequence[Congested]) -> str:
    """The worst factors of one victim; own: its rows."""
    worst = Worst.of(own)
    judged, point = worst.median.median.judged, worst.median.point
    which = "at worst " if len(own) > 1 else ""
    long = f"{which}{ratio_text(judged, format_ratio)} times as long"
    if judged.verdict == "same":
        long = f"{which}as long as alone"
    return (
        f"{victim_text(point)} of {format_size(point.bytes)} takes {long} under "
        f"{_load_name(point, own)}{_tail_clause(worst, own)}"
    )


def _tail_clause(worst: Worst, own: Sequence[Congested]) -> str:
    """ "; its p99 20 times", with its load where that differs from the median's."""
    row, factor = worst.tail, worst.tail_factor
    if row is None or factor is None:
        return ""
    name = NAMES[factor.quantile]
    if row is worst.median:
        return f"; its {name} {format_ratio(factor.judged.ratio)} times"
    sizes = {congested.point.bytes for congested in own}
    size = f" of {format_size(row.point.bytes)}" if len(sizes) > 1 else ""
    long = f"{ratio_text(factor.judged, format_ratio)} times"
    return f"; the {name}{size} at worst {long}, under {_load_name(row.point, own)}"


def _load_name(point: Point, own: Sequence[Congested]) -> str:
    """ "incast of 64 KiB", with whatever else these rows' loads differ in."""
    windows = {row.point.load_window for row in own}
    bursts = {(row.point.burst_s, row.point.gap_s) for row in own}
    name = f"{point.aggressor} of {format_size(point.load_bytes or 0)}"
    window = f", {point.load_window} in flight" if len(windows) > 1 else ""
    return name + window + (_bursts_text(point) or ", steady" if len(bursts) > 1 else "")


def _roles_lines(analysis: Analysis) -> list[str]:
    """The roles of the ranks, where they were the same in all launches."""
    launches = analysis.run.launches
    casts = {(tuple(launch.victims), tuple(launch.aggressors)) for launch in launches}
    if not casts:
        return []
    if len(casts) > 1:
        return ["victims and aggressors were drawn anew for each launch (launch records have them)"]
    ((victims, aggressors),) = casts
    return [f"victims: ranks {_few(victims)}; aggressors: ranks {_few(aggressors)}"]


def _few(ranks: Sequence[int]) -> str:
    shown = ranks if len(ranks) <= run_lines.MOST_PLACES else [*ranks[:3], "..", ranks[-1]]
    return " ".join(map(str, shown))

"""Congestion factors: victims under each load over the same victims alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.base.units import format_rate, format_seconds, format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import QUANTILES, TOO_FEW, Congested, Factor
from hockney.infer.estimate.quantiles import FEW_RULE
from hockney.plan.axes import Key, Point, key_without
from hockney.show import run_lines
from hockney.show.as_json import axes_json, points_json
from hockney.show.judged import ratio_columns, ratio_limits, ratio_text
from hockney.show.table import (
    TableColumn,
    differs,
    json_field,
    microseconds,
    row_json,
    table_text,
    through,
)
from hockney.show.tails import tails_json, tails_text

NAMES = {0.5: "median", 0.99: "p99", 0.999: "p99.9"}
"""Names of quantiles for people."""


def _tail_text(factor: Factor) -> str:
    limits = ratio_limits(factor.judged, ".3g")
    more = "" if limits in (None, "exact") else f" [{limits}]"
    return f"{factor.judged.ratio:.3g}{more}"


FACTOR: list[TableColumn[Factor]] = [
    TableColumn("alone", lambda row: row.isolated_s, microseconds, "isolated_s"),
    TableColumn("loaded", lambda row: row.loaded_s, microseconds, "loaded_s"),
    *through(lambda row: row.judged, *ratio_columns(".3g", "factor")),
    json_field("factor", lambda row: row.judged.ratio),
    json_field("low", lambda row: row.judged.low),
    json_field("high", lambda row: row.judged.high),
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
        shown=differs(lambda one: one.median.launches),
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
    """A line for each victim under its worst load."""
    lines = []
    victims = dict.fromkeys(one.point.operation for one in analysis.congestion)
    for victim in victims:
        if operation not in (None, victim):
            continue
        own = [one for one in analysis.congestion if one.point.operation == victim]
        worst = max(own, key=_factor)
        lines.append(_sentence(worst, several=len(own) > 1))
    exceeding = [one for one in analysis.congestion if one.exceeds]
    if exceeding:
        lines.append(
            f"{len(exceeding)} of {len(analysis.congestion)} points are surely above the gate of "
            f"{exceeding[0].most_factor:g}x"
        )
    return lines


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    """Tables of the headline state."""
    lines = [*run_lines.heading(analysis, "time")]
    found = ["\n".join(lines)]
    for curve in load_curves(analysis.congestion):
        found.append(f"{load_text(curve[0].point)}\n{table_text(_marked(analysis), curve)}")
    few = any(one.median.judged.low is None for one in analysis.congestion)
    if few and not analysis.run.is_simulated:
        found.append(FEW_RULE)
    found.append(tails_text(analysis.tails))
    return [*found, "\n".join(run_lines.state_lines(analysis.estimates))]


def _marked(analysis: Analysis) -> list[TableColumn[Congested]]:
    """The columns, and a mark at the worst of several rows: that of the answer."""
    every = analysis.congestion
    worst = max(every, key=_factor) if len(every) > 1 else None
    mark: TableColumn[Congested] = TableColumn(
        "", lambda row: "< worst" if row is worst else None, unknown=""
    )
    return [*COLUMNS, mark]


def _factor(congested: Congested) -> float:
    return congested.median.judged.ratio


def definitions(analysis: Analysis) -> list[str]:
    return [*run_lines.definitions(analysis, "time"), *_roles_lines(analysis)]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"points", "times"}: the factors, and the times of victims alone and under load; "tails" with
    --tails."""
    return {
        "points": [
            {
                "victim": one.point.operation,
                **axes_json(one.point, "operation", "peers"),
                **row_json(COLUMNS, one),
            }
            for one in analysis.congestion
        ],
        "times": points_json(analysis, all_states),
        **tails_json(analysis.tails),
    }


def load_curves(found: Sequence[Congested]) -> list[list[Congested]]:
    """Factors by victim and load, over sizes of the victims' messages."""
    curves: dict[Key, list[Congested]] = {}
    for one in found:
        curves.setdefault(key_without(one.point, "bytes"), []).append(one)
    return [sorted(curve, key=lambda one: one.point.bytes) for curve in curves.values()]


def victim_text(point: Point) -> str:
    """ "stream, window 64"."""
    return point.operation + (f", window {point.window}" if point.window else "")


def load_text(point: Point) -> str:
    """ "pingpong under incast: 64 KiB, 8 in flight, bursts of 1 ms with gaps of 4 ms; 8 ranks"."""
    size = format_size(point.load_bytes or 0)
    bursts = ""
    if point.burst_s and point.gap_s:
        bursts = (
            f", bursts of {format_seconds(point.burst_s)} with gaps of "
            f"{format_seconds(point.gap_s)}"
        )
    return (
        f"{victim_text(point)} under {point.aggressor}: {size}, {point.load_window} in flight"
        f"{bursts}; {point.known_ranks} ranks"
    )


def _sentence(congested: Congested, several: bool) -> str:
    judged, point = congested.median.judged, congested.point
    tail = congested.factor(QUANTILES[-1]) or congested.factor(QUANTILES[-2])
    more = f"; its {NAMES[tail.quantile]} {tail.judged.ratio:.3g} times" if tail else ""
    which = "at worst " if several else ""
    long = f"{which}{ratio_text(judged, '.3g')} times as long"
    if judged.verdict == "same":
        long = f"{which}as long as alone"
    return (
        f"{victim_text(point)} of {format_size(point.bytes)} takes {long} under "
        f"{point.aggressor} of {format_size(point.load_bytes or 0)}{more}"
    )


def _roles_lines(analysis: Analysis) -> list[str]:
    """The roles of the ranks, where they were the same in all launches."""
    launches = analysis.run.launches
    casts = {(tuple(launch.victims), tuple(launch.aggressors)) for launch in launches}
    if len(casts) != 1:
        return ["victims and aggressors were drawn anew for each launch (launch records have them)"]
    ((victims, aggressors),) = casts
    return [f"victims: ranks {_few(victims)}; aggressors: ranks {_few(aggressors)}"]


def _few(ranks: Sequence[int]) -> str:
    shown = ranks if len(ranks) <= run_lines.MOST_PLACES else [*ranks[:3], "..", ranks[-1]]
    return " ".join(map(str, shown))

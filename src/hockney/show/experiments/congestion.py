"""Congestion factors: victims under each load over the same victims alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.base.units import format_rate, format_seconds, format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import QUANTILES, TOO_FEW, Congested, Factor
from hockney.infer.estimate.quantiles import FEW_RULE
from hockney.plan.axes import Key, Point, key_without
from hockney.show import run_lines, table
from hockney.show.as_json import axes_json, points_json
from hockney.show.tails import tails_json, tails_text

NAMES = {0.5: "median", 0.99: "p99", 0.999: "p99.9"}
"""Names of quantiles for people."""
COLUMNS = (
    "bytes",
    "load",
    "launches",
    "alone",
    "loaded",
    "factor",
    "95 % interval",
    "p99",
    "p99.9",
)
LEGEND = (
    "alone, loaded: medians, in the same rounds; factor: of medians, p99 and p99.9 in the same "
    "launch,\nwith the 95 % interval over launches; load: what all aggressors together exchanged"
)


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """A line for each victim under its worst load."""
    lines = []
    victims = dict.fromkeys(one.point.operation for one in analysis.congestion)
    for victim in victims:
        if operation not in (None, victim):
            continue
        own = [one for one in analysis.congestion if one.point.operation == victim]
        worst = max(own, key=lambda one: one.median.judged.ratio)
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
    lines = [*run_lines.heading(analysis, "time"), *_roles_lines(analysis), LEGEND]
    found = ["\n".join(lines)]
    for curve in load_curves(analysis.congestion):
        rows = [list(COLUMNS), *map(_row, curve)]
        found.append(f"{load_text(curve[0].point)}\n{table.aligned(rows)}")
    few = any(one.median.judged.low is None for one in analysis.congestion)
    if few and not analysis.run.is_simulated:
        found.append(FEW_RULE)
    found.append(tails_text(analysis.tails))
    return [*found, "\n".join(run_lines.state_lines(analysis.estimates))]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"points", "times"}: the factors, and the times of victims alone and under load; "tails" with
    --tails."""
    return {
        "points": [_point_json(one) for one in analysis.congestion],
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


def limits_text(factor: Factor) -> str:
    """ "2.9 .. 3.2", "exact" where it was simulated, or "-"."""
    judged = factor.judged
    if judged.low is None or judged.high is None:
        return "-"
    if judged.low == judged.high:
        return "exact"
    return f"{judged.low:.3g} .. {judged.high:.3g}"


def _sentence(one: Congested, several: bool) -> str:
    judged, point = one.median.judged, one.point
    limits = ""
    if judged.low is not None and judged.high is not None and judged.low != judged.high:
        limits = f" [{judged.low:.3g} to {judged.high:.3g}]"
    tail = one.factor(QUANTILES[-1]) or one.factor(QUANTILES[-2])
    more = f"; its {NAMES[tail.quantile]} {tail.judged.ratio:.3g} times" if tail else ""
    which = "at worst " if several else ""
    long = f"{which}{judged.ratio:.3g}{limits} times as long"
    if judged.verdict == "same":
        long = f"{which}as long as alone"
    return (
        f"{victim_text(point)} of {format_size(point.bytes)} takes {long} under "
        f"{point.aggressor} of {format_size(point.load_bytes or 0)}{more}"
    )


def _roles_lines(analysis: Analysis) -> list[str]:
    """The roles of the ranks, where they were the same in all launches."""
    launches = analysis.run.launches
    casts = {(tuple(one.victims), tuple(one.aggressors)) for one in launches}
    if len(casts) != 1:
        return ["victims and aggressors were drawn anew for each launch (launch records have them)"]
    ((victims, aggressors),) = casts
    return [f"victims: ranks {_few(victims)}; aggressors: ranks {_few(aggressors)}"]


def _few(ranks: Sequence[int]) -> str:
    shown = ranks if len(ranks) <= run_lines.MOST_PLACES else [*ranks[:3], "..", ranks[-1]]
    return " ".join(map(str, shown))


def _row(one: Congested) -> list[str]:
    median = one.median
    return [
        str(one.point.bytes),
        "-" if one.load_Bps is None else format_rate(one.load_Bps),
        str(median.launches),
        table.microseconds(median.isolated_s),
        table.microseconds(median.loaded_s),
        f"{median.judged.ratio:.3g}",
        limits_text(median),
        *(_tail_text(one.factor(quantile)) for quantile in QUANTILES[1:]),
    ]


def _tail_text(factor: Factor | None) -> str:
    if factor is None:
        return TOO_FEW
    limits = limits_text(factor)
    return f"{factor.judged.ratio:.3g}" + ("" if limits in ("-", "exact") else f" [{limits}]")


def _point_json(one: Congested) -> dict[str, Any]:
    return {
        "victim": one.point.operation,
        **axes_json(one.point, "operation", "peers"),
        **_factor_json(one.median),
        "load_Bps": one.load_Bps,
        "exceeds": one.exceeds,
        "tails": [
            {"quantile": quantile, **_factor_json(one.factor(quantile))}
            for quantile in QUANTILES[1:]
        ],
    }


def _factor_json(factor: Factor | None) -> dict[str, Any]:
    """The factor as JSON; all null where there are too few samples."""
    if factor is None:
        names = ("isolated_s", "loaded_s", "factor", "low", "high", "p", "launches")
        return dict.fromkeys(names)
    judged = factor.judged
    return {
        "isolated_s": factor.isolated_s,
        "loaded_s": factor.loaded_s,
        "factor": judged.ratio,
        "low": judged.low,
        "high": judged.high,
        "p": judged.p,
        "launches": factor.launches,
    }

"""The gates of a run: outliers among pairs, slower variants, congestion factors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from hockney.base.units import (
    exact_percent,
    format_ratio,
    format_seconds,
    format_size,
    how_many,
    listed,
)
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.analysis.congestion_factor import QUANTILES, Congested
from hockney.infer.analysis.gate import PASSED, Gate, failed, not_judged, passed
from hockney.infer.analysis.network.slow_parts import SlowPart, Verdict
from hockney.infer.estimate.blocks import MOST_TIMES, VariantRatio
from hockney.infer.estimate.interval import low_of
from hockney.plan.axes import Point
from hockney.plan.workloads import Workload
from hockney.plan.workloads.congestion import Congestion

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

BADLY_ENDED = {"failed": "failed", "interrupted": "was interrupted"}
"""Reasons for which a launch ended early and lacks data, in words."""
LEAST_TAIL = 0.99
"""The quantile without which nothing is known of the slowest messages."""
MORE = "more launches, or a larger --budget, would decide"


def outlier_gate(analysis: Analysis) -> Gate:
    """Whether a node, switch, cable, place or pair is an outlier; not judged if ranks shared
    CPUs."""
    crowded = analysis.oversubscribed
    if crowded is not None:
        crowd = "threads" if crowded.has_threads else "ranks"
        return not_judged(crowded.fact, f"start no more {crowd} than CPUs")
    gate = gate_of(analysis.slow_parts)
    last = max(analysis.run.ends, key=lambda end: end.launch, default=None)
    if gate.status == PASSED and last is not None and last.reason in BADLY_ENDED:
        return not_judged(
            f"the last launch {BADLY_ENDED[last.reason]}",
            "see its message; then continue the run with --resume",
        )
    return gate


def plan_gates(analysis: Analysis) -> list[Gate]:
    """The gates that the plan has."""
    gates = (
        variants_gate(analysis.variants),
        congestion_gate(analysis.congestion, analysis.workload),
    )
    return [gate for gate in gates if gate is not None]


def gate_of(verdict: Verdict[SlowPart]) -> Gate:
    """The gate of what is slow."""
    if verdict.slow:
        each = [f"{part.title}: {part.over}" for part in verdict.slow]
        return failed(each, [name for part in verdict.slow for name in part.names])
    if verdict.doubts:
        left = len(verdict.doubts) - 1
        more = f" (and {how_many(left, 'more reason')})" if left else ""
        return not_judged(verdict.doubts[0].why + more, verdict.doubts[0].remedy)
    return passed(f"no outlier among {verdict.judged_words}")


def variants_gate(study: VariantStudy | None) -> Gate | None:
    """The gate of variants; None if the plan has none."""
    if study is None or study.comparison.gate is None:
        return None
    allowed = study.comparison.gate
    slower, failing = study.slower(allowed), study.failing
    if slower or failing:
        each = [_slower_variant(study, ratio) for ratio in slower]
        each += [_failing_variant(study, name) for name in failing]
        culprits = [*(ratio.variant for ratio in slower), *failing]
        return failed(list(dict.fromkeys(each)), culprits)
    open_ = [ratio for ratio in study.ratios if not ratio.is_decided(allowed)]
    if study.left_out or not study.ratios:
        return not_judged("not every variant has a complete block of launches", MORE)
    for variant, points in study.unmatched.items():
        sizes = listed([format_size(point.bytes) for point in points], 1, "point")
        why = f"{study.name(variant)} cannot be compared at {sizes}"
        return not_judged(f"{why}: a variant has no time there", MORE)
    if open_:
        names = ", ".join(dict.fromkeys(study.name(ratio.variant) for ratio in open_))
        where = next((ratio.point for ratio in open_ if ratio.point is not None), None)
        at = "" if where is None else f" at {format_size(where.bytes)}"
        why = f"{names} may be slower by more than {exact_percent(allowed)}{at}"
        return not_judged(why, _blocks_for(open_, 1.0 + allowed))
    return passed(f"no variant is slower by more than {exact_percent(allowed)}", _lost(study))


def _lost(study: VariantStudy) -> str:
    """The launches that failed, which no ratio counts; empty where none did."""
    each = [
        f"{launch}" + (f" ({study.name(name)})" if name else "")
        for name, launches in study.lost.items()
        for launch in launches
    ]
    return f"without {how_many(len(each), 'failed launch')}: {listed(each, 4)}" if each else ""


def _failing_variant(study: VariantStudy, name: str) -> str:
    each = (name, study.comparison.names[0])
    lost, of_first = (
        f"{len(study.lost.get(own, ()))} of {how_many(study.made[own], 'launch')} of "
        f"{study.name(own)}"
        for own in each
    )
    return f"{lost} failed, and {of_first}"


def _blocks_for(ratios: Sequence[VariantRatio], bound: float) -> str:
    """What would decide them all."""
    needed = [ratio.judged.needed_against(bound, ratio.blocks) for ratio in ratios]
    known = [count for count in needed if count is not None]
    if len(known) < len(needed):
        return MORE
    supported = min(int(MOST_TIMES * ratio.blocks) for ratio in ratios)
    if max(known) > supported:  # as the ratio's own line says
        return f"more than {supported} blocks would have to decide"
    return f"about {max(known)} blocks would decide: --launches {max(known)}, or a larger --budget"


def _slower_variant(study: VariantStudy, ratio: VariantRatio) -> str:
    where = "as a whole" if ratio.point is None else f"at {format_size(ratio.point.bytes)}"
    times = format_ratio(ratio.judged.ratio, 4)
    least = format_ratio(low_of(ratio.judged.interval) or 0.0, 4)
    name = study.name(ratio.variant)
    return f"{name} takes {times} times as long {where} (surely more than {least})"


def congestion_gate(victims: Sequence[Congested], workload: Workload | None) -> Gate | None:
    """The gate of congestion factors; None if the plan has none."""
    if not isinstance(workload, Congestion) or workload.most_factor is None:
        return None
    allowed = workload.most_factor
    if above := [congested for congested in victims if congested.exceeds]:
        each = [
            f"{congested.point.operation} of {_load_words(*_load_of(congested.point))} takes "
            f"{format_ratio(_worst_above(congested, allowed))} times as long"
            for congested in above
        ]
        return failed(each, [congested.point.operation for congested in above])
    planned = product(
        workload.aggressors,
        workload.load_sizes,
        workload.load_windows,
        (_ns_of(burst.length_s, burst.gap_s) for burst in workload.bursts),
        (size.bytes for size in workload.sizes),
    )
    known = {_load_of(congested.point) for congested in victims}
    if lacking := [load for load in planned if load not in known]:
        more = f", and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        return not_judged(f"nothing is known of {_load_words(*lacking[0])}{more}", MORE)
    return _gate_of_factors(victims, allowed)


def _gate_of_factors(victims: Sequence[Congested], allowed: float) -> Gate:
    """The gate of loads, none of which is surely above what is allowed."""
    factors = [factor.judged for congested in victims for factor in congested.factors]
    known = [judged.interval for judged in factors if judged.interval is not None]
    if len(known) < len(factors):
        return not_judged("too few launches for an interval", MORE)
    most = max(interval.high for interval in known)
    if most > allowed:
        words = f"a factor may be above {allowed:g}: it is at most {format_ratio(most)}"
        return not_judged(words, MORE)
    missing = [
        quantile for quantile in QUANTILES if any(each.factor(quantile) is None for each in victims)
    ]
    tails = " and ".join(f"p{100.0 * quantile:g}" for quantile in missing)
    words = f"{tails} {'are' if len(missing) > 1 else 'is'} unknown, of too few messages a launch"
    is_exact = all(interval.low == interval.high for interval in known)  # simulated: no tail
    if LEAST_TAIL in missing and not is_exact:
        return not_judged(words, "--tails, or longer launches, would show them")
    unknown = f"; {words}" if missing else ""
    return passed(f"no factor is above {allowed:g}{unknown}")


Load = tuple[str | None, int | None, int | None, tuple[int, int], int]
"""Name, message size, window and bursts of the aggressors, and the victim's message size."""


def _load_of(point: Point) -> Load:
    bursts = _ns_of(point.burst_s, point.gap_s)
    return point.aggressor, point.load_bytes, point.load_window, bursts, point.bytes


def _ns_of(burst_s: float | None, gap_s: float | None) -> tuple[int, int]:
    """Bursts and gaps in whole ns; 0 of a steady load."""
    return round((burst_s or 0.0) * 1e9), round((gap_s or 0.0) * 1e9)


def _load_words(
    aggressor: str | None, load: int | None, window: int | None, bursts: tuple[int, int], size: int
) -> str:
    words = f"{format_size(size)} under {aggressor} of {format_size(load or 0)}, window {window}"
    if not all(bursts):
        return words
    length, gap = (format_seconds(ns * 1e-9) for ns in bursts)
    return f"{words}, bursts of {length} with gaps of {gap}"


def _worst_above(congested: Congested, allowed: float) -> float:
    return max(f.judged.ratio for f in congested.factors if f.surely_above(allowed))

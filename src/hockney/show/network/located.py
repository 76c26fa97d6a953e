"""Shows what was located in rounds chosen step by step, in words and as JSON."""

from __future__ import annotations

from typing import Any

from hockney.base.units import format_percent, format_ratio, format_size, how_many, plural
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.located import Located, LocatedFault
from hockney.infer.analysis.network.slow_parts import SlowPart, Verdict
from hockney.infer.estimate.interval import interval_words
from hockney.show.network.outliers import verdict_lines
from hockney.show.one_run import run_lines
from hockney.show.tables.table import estimate_json

MOST_LOG10 = 9.0
"""Odds above ten to this are not written out: no model of noise is right that far out."""


def located_lines(analysis: Analysis, located: Located) -> list[str]:
    ranks = len(analysis.pairwise.ranks) if analysis.pairwise is not None else 0
    end = f"{_rounds(located)}; {run_lines.measured_words(analysis, ranks)}"
    return verdict_lines(located, fault_words, "nothing is slow", end)


def fault_words(fault: LocatedFault) -> str:
    """What is slow, by how much, how surely, and what cannot be separated from it."""
    limits = interval_words(fault.interval, format_ratio)
    interval = f"{format_ratio(fault.ratio)} times{limits} the usual time"
    if fault.lost is not None:
        times = format_ratio(fault.ratio, 2)
        interval = f"{format_percent(fault.lost)} of its times are about {times} times as long"
    at = " and ".join(format_size(size) for size in fault.all_bytes)
    words = f"{fault.words}: {interval} at {at}, {_odds(fault.odds_log10)} likelier than "
    words += f"the next explanation ({fault.next or 'nothing is slow'})"
    rivals = [*fault.same, *fault.like]
    if fault.same:
        words += f"; no measured pair separates it from: {'; '.join(fault.same)}"
    if fault.like:
        words += f"; not separated from: {'; '.join(fault.like)}"
    if rivals and fault.separated_by:
        words += f" (messages between {' and '.join(fault.separated_by)} would)"
    return words


def rounds_line(located: Located) -> str:
    left = located.all_rounds - located.rounds
    more = "; --all-pairs measures all" if left > 0 else ""
    launches = how_many(located.steps, "launch")
    unknown = "" if located.knows_switches else "; cables are unknown without --topology"
    return f"located in {_rounds(located)}, chosen in {launches}{more}{unknown}"


def located_json(located: Verdict[SlowPart]) -> dict[str, Any]:
    fields = estimate_json(located)
    return {"faults": fields.pop("slow"), **fields}


def _rounds(located: Located) -> str:
    if located.rounds > located.all_rounds:
        rounds = plural(located.rounds, "round")
        return f"{located.rounds:,} {rounds} (all pairs take {located.all_rounds:,})"
    return f"{located.rounds:,} of {located.all_rounds:,} {plural(located.all_rounds, 'round')}"


def _odds(log10: float) -> str:
    if log10 > MOST_LOG10:
        return "more than 10^9 times"
    digits = max(10 ** int(max(log10, 0.0)), 1)
    value = 10.0**log10
    return (
        f"{round(value / digits, 1) * digits:,.0f} times" if value >= 2.0 else f"{value:.2g} times"
    )

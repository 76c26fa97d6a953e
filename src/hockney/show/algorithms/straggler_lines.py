"""Words for ranks that complete collectives late again and again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hockney.base.units import first_few, format_ratio, format_seconds, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.stragglers import Straggler
from hockney.infer.analysis.network.outlier_rule import p_words
from hockney.infer.estimate.interval import interval_words
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES
from hockney.show.network.outliers import rank_words
from hockney.show.tables.as_json import at_point_json

MOST_NAMED = 5
"""Ranks that are named one by one; the JSON always has all."""


def straggler_lines(analysis: Analysis) -> list[str]:
    """The answer to --stragglers; empty where it was not asked for."""
    judged = analysis.stragglers
    if judged is None:
        return []
    if judged.launches < LEAST_LAUNCHES:
        launches = how_many(judged.launches, "launch")
        return [
            f"stragglers: cannot tell from {launches}: {LEAST_LAUNCHES} are needed "
            f"(--launches {LEAST_LAUNCHES} or more)"
        ]
    who = "other ranks" if judged.stragglers else "stragglers"
    doubts = [f"{who}: cannot tell: {doubt.why}; {doubt.remedy}" for doubt in judged.doubts]
    if not judged.stragglers and not doubts:
        times = format_ratio(judged.visible or 1.0)
        return [
            "no rank completes late again and again: one that takes "
            f"{times} times as long as the others would have been found"
        ]
    lines = [_line(straggler, analysis) for straggler in judged.stragglers]
    return [*first_few(lines, MOST_NAMED), *doubts]


def _line(straggler: Straggler, analysis: Analysis) -> str:
    far = "; its place is farther from the others than most, which makes it late, too"
    ratio = format_ratio(straggler.ratio)
    return (
        f"{rank_words(straggler.rank, analysis.places)} completes late: {ratio} "
        f"times{interval_words(straggler.interval, format_ratio)} the others' time at "
        f"{straggler.at}, {format_seconds(straggler.later_s)} later, "
        f"{p_words(straggler.p)}{far * straggler.is_far}"
    )


def stragglers_json(analysis: Analysis) -> dict[str, Any]:
    """{"stragglers"}; empty if not requested. "found" is null where none was named, but could
    not be ruled out either."""
    judged = analysis.stragglers
    if judged is None:
        return {}
    stragglers = [at_point_json(straggler) for straggler in judged.stragglers]
    named = stragglers if stragglers or judged.visible is not None else None
    fields = asdict(judged)
    del fields["stragglers"]
    return {"stragglers": {"found": named, **fields}}

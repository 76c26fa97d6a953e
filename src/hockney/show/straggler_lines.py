"""Words for ranks that complete collectives late again and again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hockney.base.units import format_seconds, format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.stragglers import Straggler
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES
from hockney.show.as_json import axes_json
from hockney.show.outliers import rank_words
from hockney.show.table import estimate_json

MOST_NAMED = 5
"""Ranks that are named one by one; the JSON always has all."""


def straggler_lines(analysis: Analysis) -> list[str]:
    """The answer to --stragglers; empty where it was not asked for."""
    judged = analysis.stragglers
    if judged is None:
        return []
    if judged.visible is None:
        launches = f"{judged.launches} launch{'es' * (judged.launches != 1)}"
        return [
            f"stragglers: cannot tell from {launches}: {LEAST_LAUNCHES} are needed "
            f"(--launches {LEAST_LAUNCHES} or more)"
        ]
    if not judged.found:
        return [
            "no rank completes late again and again: one that takes "
            f"{judged.visible:.3g} times as long as the others would have been found"
        ]
    lines = [_line(one, analysis) for one in judged.found[:MOST_NAMED]]
    left = len(judged.found) - len(lines)
    return [*lines, *[f"and {left} more"] * bool(left)]


def _line(straggler: Straggler, analysis: Analysis) -> str:
    point = straggler.point
    size = "" if point.operation.endswith("barrier") else f" of {format_size(point.bytes)}"
    far = "; its place is farther from the others than most, which makes it late, too"
    return (
        f"{rank_words(straggler.rank, analysis.places)} completes late: {straggler.ratio:.3g} "
        f"times [{straggler.interval.low:.3g}, {straggler.interval.high:.3g}] the others' time at "
        f"{point.operation}{size}, {format_seconds(straggler.later_s)} later, "
        f"p = {straggler.p:.1g}{far * straggler.is_far}"
    )


def stragglers_json(analysis: Analysis) -> dict[str, Any]:
    """{"stragglers"}; empty where nobody looked."""
    judged = analysis.stragglers
    if judged is None:
        return {}
    found = [{**axes_json(one.point), **_without_point(one)} for one in judged.found]
    return {"stragglers": {**asdict(judged), "found": found}}


def _without_point(straggler: Straggler) -> dict[str, Any]:
    return {name: value for name, value in estimate_json(straggler).items() if name != "point"}

"""How much of a difference goes away where B is measured with some of A's settings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockney.infer.analysis.comparison.explanation import Explanation
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.estimate.interval import log_half_width


@dataclass(frozen=True)
class TriedFactors:
    names: tuple[str, ...]
    """The factors that were as in A."""
    part: float
    """The part of the difference that was gone."""
    blocks: int
    why_not: str = ""
    """Why it could not be measured; empty if it was."""


def part_gone(explanation: Explanation, study: VariantStudy, variant: str) -> float:
    """The part of the difference that a variant of B takes away: at each point with a difference,
    its log ratio to B against that of A to B, within the uncertainty of both."""
    gone = {
        (ratio.point.operation, ratio.point.bytes, ratio.point.ranks): ratio.judged
        for ratio in study.ratios
        if ratio.variant == variant and ratio.point is not None
    }
    size = left = 0.0
    for point in explanation.shown:
        wanted = -math.log(point.difference.ratio)
        size += abs(wanted)
        judged = gone.get((point.base.operation, point.base.bytes, point.base.ranks))
        reached = math.log(judged.ratio) if judged is not None else 0.0
        half = log_half_width(point.difference.interval, 0.0)
        missed = abs(wanted - reached)
        left += missed if missed > half else 0.0
    return float(np.clip(1.0 - left / size, 0.0, 1.0)) if size else 0.0

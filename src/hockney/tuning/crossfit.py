"""The gain of rules from launches that did not choose them.

The algorithm that looks best of many, in the cells where it looks best, gained by luck as well: in
the launches that chose it, it looks faster than it is. Rules are therefore made again without each
part of the launches in turn, and their gain is taken from that part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import msgspec
import numpy as np

from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import METHODS, grouped
from hockney.records import Run
from hockney.tuning.groups import CellGroup
from hockney.tuning.measured import Measured
from hockney.tuning.rules import Reduction, Tuned, for_group

MOST_PARTS = 10
"""Most parts into which launches are divided: each costs another search for rules."""


@dataclass(frozen=True)
class Part:
    """Stands in for an analysis of some of its launches, with what groups need."""

    run: Run
    first_variant: list[PointEstimate]


def confirmed(
    tuned: Tuned, measured: Measured, groups_of: Callable[[Measured], Sequence[CellGroup]]
) -> Tuned:
    """The rules with the gain in launches that did not choose them. groups_of: makes groups of
    cells of any launches."""
    return tuned.with_confirmed(fraction_of(measured, groups_of) if tuned.rules else 1.0)


def fraction_of(
    measured: Measured, groups_of: Callable[[Measured], Sequence[CellGroup]]
) -> float | None:
    """The fraction, 0 to 1, of the gain in the launches which choose rules that the other launches
    confirm; None where no rule is chosen without some of the launches. Gains are logarithms of
    ratios, summed over all measured cells of the rules of all parts."""
    measured = _without_losers(measured)
    parts = min(_least_launches(measured), MOST_PARTS)
    seen, held = 0.0, 0.0
    for part in range(parts if parts > 1 else 0):
        choosing = groups_of(_some(measured, parts, part, inside=False))
        groups = groups_of(_some(measured, parts, part, inside=True))
        for chooser, group in zip(choosing, groups, strict=True):
            reduction = for_group(chooser, measured.settings_of)
            for chosen, others in _gains(reduction, group):
                seen, held = seen + chosen, held + others
    return min(max(held / seen, 0.0), 1.0) if seen > 0.0 else None


def _without_losers(measured: Measured) -> Measured:
    """Without the points of algorithms that a race ended early, which no rule chooses: those with
    fewer than half of the launches of another algorithm there."""

    def racing(analysis: Analysis) -> list[PointEstimate]:
        cells = grouped(analysis.first_variant, *METHODS).values()
        most = [(points, max(point.launches for point in points)) for points in cells]
        return [point for points, n in most for point in points if 2 * point.launches >= n]

    return _with_points(measured, racing)


def _least_launches(measured: Measured) -> int:
    return min(
        (point.launches for analysis in measured.analyses for point in analysis.first_variant),
        default=0,
    )


def _some(measured: Measured, parts: int, part: int, inside: bool) -> Measured:
    """The measured points with one part of the launches, or with all others. Algorithms may be
    forced in launches of their own: each point's launches are counted by themselves."""
    return _with_points(
        measured,
        lambda analysis: [_of(point, parts, part, inside) for point in analysis.first_variant],
    )


def _with_points(
    measured: Measured, points_of: Callable[[Analysis], list[PointEstimate]]
) -> Measured:
    analyses = tuple(Part(analysis.run, points_of(analysis)) for analysis in measured.analyses)
    return replace(measured, analyses=cast("tuple[Analysis, ...]", analyses))


def _of(point: PointEstimate, parts: int, part: int, inside: bool) -> PointEstimate:
    kept = [i for i in range(point.launches) if (i % parts == part) == inside]
    medians = tuple(point.medians_s[i] for i in kept)
    return msgspec.structs.replace(
        point,
        medians_s=medians,
        launch_numbers=tuple(point.launch_numbers[i] for i in kept),
        launches=len(kept),
        typical_s=float(np.median(medians)),
    )


def _gains(reduction: Reduction, group: CellGroup) -> list[tuple[float, float]]:
    """Logarithmic gains of each rule in each of its measured cells: in the launches that chose it,
    and in the others."""
    others = {(cell.collective, cell.ranks, cell.bytes): cell for cell in group.cells}
    gains = []
    for rule in reduction.rules:
        for cell in reduction.covered(rule):
            there = others.get((cell.collective, cell.ranks, cell.bytes))
            ratios = [
                contender.difference.ratio
                for of in (cell, there)
                for contender in (of.contenders if of and cell.launches else ())
                if contender.name == rule.name and contender.difference is not None
            ]
            if len(ratios) == 2:
                gains.append((-math.log(ratios[0]), -math.log(ratios[1])))
    return gains

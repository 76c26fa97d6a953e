"""The points of two runs that can be compared, and why the others cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hockney.base.units import first_few, format_size, listed
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.plan.axes import CIRCUMSTANCES, curve_text, key_without

COMMON_AXES = ("operation", "algorithm", "ranks", "mode", "variant")
"""Axes that are named where they alone keep two runs apart."""
MOST_LISTED = 4
"""Most sizes that are named."""


CommonPoints = list[tuple[PointEstimate, PointEstimate]]
"""Points of two runs, each with the one that it is compared with."""


def above_0(common: CommonPoints) -> CommonPoints:
    """The common points whose times have a ratio."""
    return [(a, b) for a, b in common if _is_above_0(a) and _is_above_0(b)]


def _is_above_0(point: PointEstimate) -> bool:
    return min(point.medians_s) > 0.0


def common_points(
    first: Estimates, second: Estimates, states: tuple[int, int], besides: Sequence[str] = ()
) -> CommonPoints:
    """The points that both runs have, in those states, whatever their times. besides: axes in which
    they may differ."""
    both = zip((first, second), states, strict=True)
    ours, theirs = (estimates.own(state) for estimates, state in both)
    # The one pair of a run may be any two ranks; of several each is compared with itself.
    left_out = list(CIRCUMSTANCES)
    for name in CIRCUMSTANCES:
        if all(_are_apart(points, left_out) for points in (ours, theirs)):
            break
        left_out.remove(name)
    ignored = (*left_out, *besides)
    others = {key_without(point, *ignored): point for point in theirs}
    keys = [(point, key_without(point, *ignored)) for point in ours]
    return [(point, others[key]) for point, key in keys if key in others]


def _are_apart(points: Sequence[PointEstimate], left_out: Sequence[str]) -> bool:
    """Whether all the points still differ without those axes."""
    return len({key_without(point, *left_out) for point in points}) == len(points)


def left_out(
    paired: Sequence[PointEstimate],
    own: Sequence[PointEstimate],
    variants: Mapping[str, str] | None = None,
) -> str:
    """The points of a run that were not compared, in words: curves by name, else sizes. variants:
    their names for people."""
    known = {id(point) for point in paired}
    rest = [point for point in own if id(point) not in known]
    curves = {curve_text(point) for point in paired} if rest else set()
    others = [point for point in rest if curve_text(point) not in curves]
    names = sorted({curve_text(point, variants) for point in others})
    sizes = sorted({point.bytes for point in rest if curve_text(point) in curves})
    few = first_few(names, MOST_LISTED, "curve")
    return "; ".join([*few, *([_listed(sizes)] if sizes else [])])


def not_compared(
    common: CommonPoints,
    first: Estimates,
    second: Estimates,
    states: tuple[int, int],
    variants: Mapping[str, str] | None = None,
) -> list[str]:
    """Notes on the points of two runs that cannot be compared. common: from common_points();
    variants: their names for people."""
    both = [[pair[side] for pair in common] for side in (0, 1)]
    own = [each.own(state) for each, state in zip((first, second), states, strict=True)]
    only = [left_out(paired, points, variants) for paired, points in zip(both, own, strict=True)]
    return [
        *(
            f"not compared, as only {label} has them: {words}"
            for label, words in zip("AB", only, strict=True)
            if words
        ),
        *zero_notes(common),
    ]


def zero_notes(common: CommonPoints) -> list[str]:
    """Notes on the times of 0 of either run, which have no ratio."""
    notes = []
    for side, label in enumerate("AB"):
        zeros = [pair[side] for pair in common if not _is_above_0(pair[side])]
        for whose, points in (
            (f"{label}'s", [point for point in zeros if max(point.medians_s) <= 0.0]),
            (f"some of {label}'s", [point for point in zeros if max(point.medians_s) > 0.0]),
        ):
            if points:
                sizes = _listed(sorted({point.bytes for point in points}))
                notes.append(f"{whose} times at {sizes} are 0: its clock was too coarse")
    return notes


def _listed(sizes: Sequence[int]) -> str:
    return listed(list(map(format_size, sizes)), MOST_LISTED, "size")


def nothing_in_common(first: Estimates, second: Estimates) -> str:
    """Why no point of two runs can be compared, in words."""
    points = [estimates.own() for estimates in (first, second)]
    for label, own in zip("AB", points, strict=True):
        if not own:
            return f"{label} measured nothing"
    for axis in COMMON_AXES:
        values = [{str(getattr(point, axis)) for point in own} for own in points]
        if not values[0] & values[1]:
            names = (", ".join(sorted(texts)) for texts in values)
            return f"the two runs have no {axis} in common: {' and '.join(names)}"
    if {point.bytes for point in points[0]} & {point.bytes for point in points[1]}:
        return "the two runs have sizes in common, but no point"
    return "the two runs have no size in common"

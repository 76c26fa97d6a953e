"""The ratio of B to A over size, with intervals, the tolerance as a band."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.analysis.compare import Comparison, PointDifference
from hockney.errors import AskedWronglyError
from hockney.estimate.points import statistic_of
from hockney.views.curves import definitions_text, joined
from hockney.views.drawing.description import Axis, Band, Figure, Panel, Rule, Series, Style


def describe_ratio(comparisons: Sequence[Comparison], tolerance: float) -> Figure:
    """Draws comparisons that have the same base."""
    points = [each for one in comparisons for p in one.points for each in (p.base, p.other)]
    if not points:
        raise AskedWronglyError("the runs have no point in common: nothing to draw")
    series = [one for number, c in enumerate(comparisons) for one in _series(c, number)]
    panel = Panel(
        Axis("size", "message size"),
        Axis("ratio", "time, B / A", logarithmic=True),
        tuple(series),
        (Rule(1.0, across="y"),),
        (Band(1.0 - tolerance, 1.0 + tolerance, f"tolerance ±{100.0 * tolerance:g} %", "y"),),
    )
    base = comparisons[0].base
    runs = [(run.label, run) for run in (base, *(one.other for one in comparisons))]
    words = (
        f"{statistic_of(points).capitalize()} over launches with 95 % confidence interval of the "
        "ratio; filled where a test over launches shows a difference."
    )
    return Figure("ratio", f"A: {base.label}", (panel,), (words, definitions_text(runs)))


def _series(comparison: Comparison, number: int) -> list[Series]:
    """One series of points that differ significantly, one of the others."""
    label = joined(f"B: {comparison.other.label}", comparison.verdict)
    styles: tuple[tuple[Style, bool], ...] = (("points", True), ("hollow", False))
    found = []
    for style, differs in styles:
        points = [p for p in comparison.points if _differs(p) == differs]
        if points:
            ratios = [point.difference for point in points]
            found.append(
                Series(
                    label,
                    [float(point.base.bytes) for point in points],
                    [one.ratio for one in ratios],
                    [one.low for one in ratios],
                    [one.high for one in ratios],
                    style,
                    number,
                )
            )
    return found


def _differs(point: PointDifference) -> bool:
    return point.difference.verdict in ("slower", "faster")

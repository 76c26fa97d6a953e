"""The ratio of B to A over size, with intervals, the tolerance as a band."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.analysis.compare import Comparison, PointDifference
from hockney.errors import AskedWronglyError
from hockney.estimate.points import statistic_of
from hockney.views.curves import definitions_text, joined
from hockney.views.drawing.description import Axis, Band, Figure, Panel, Rule, Series, Style
from hockney.views.labels import labels_of


def describe_ratio(comparisons: Sequence[Comparison], tolerance: float) -> Figure:
    """Draws comparisons that have the same base."""
    points = [each for one in comparisons for p in one.points for each in (p.base, p.other)]
    if not points:
        raise AskedWronglyError("the runs have no point in common: nothing to draw")
    runs = [comparisons[0].base, *(one.other for one in comparisons)]
    labels = labels_of(runs)
    series = [
        one
        for number, (comparison, label) in enumerate(zip(comparisons, labels[1:], strict=True))
        for one in _series(comparison, label, number)
    ]
    panel = Panel(
        Axis("size", "message size"),
        Axis("ratio", "time, B / A", logarithmic=True),
        tuple(series),
        (Rule(1.0, across="y"),),
        (Band(1.0 - tolerance, 1.0 + tolerance, f"tolerance ±{100.0 * tolerance:g} %", "y"),),
    )
    words = (
        f"{statistic_of(points).capitalize()} over launches with 95 % confidence interval of the "
        "ratio; filled where a test over launches shows a difference."
    )
    definitions = definitions_text(list(zip(labels, runs, strict=True)))
    return Figure("ratio", f"A: {labels[0]}", (panel,), (words, definitions))


def _series(comparison: Comparison, name: str, number: int) -> list[Series]:
    """One series of points that differ significantly, one of the others."""
    label = joined(f"B: {name}", comparison.verdict)
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

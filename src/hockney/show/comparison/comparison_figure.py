"""Draws the ratio of B to A over size, with intervals, and the tolerance as a band."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis.comparison.compare import RunComparison
from hockney.infer.estimate.points import statistic_of
from hockney.show.curves.curves import definitions_text, joined
from hockney.show.curves.labels import labels_of
from hockney.show.curves.ratios import ratio_panel, ratio_series
from hockney.show.drawing.description import Figure


def describe_ratio(comparisons: Sequence[RunComparison], tolerance: float) -> Figure:
    """Draws comparisons that have the same base."""
    points = [
        each for comparison in comparisons for p in comparison.points for each in (p.base, p.other)
    ]
    if not points:
        raise UsageError("the runs have no point in common: nothing to draw")
    runs = [comparisons[0].base, *(comparison.other for comparison in comparisons)]
    labels = labels_of(runs)
    series = [
        curve
        for number, (comparison, label) in enumerate(zip(comparisons, labels[1:], strict=True))
        for curve in ratio_series(
            joined(f"B: {label}", comparison.verdict),
            [(point.base.bytes, point.difference) for point in comparison.points],
            number,
        )
    ]
    panel = ratio_panel("time, B / A", series, tolerance)
    words = (
        f"{statistic_of(points).capitalize()} over launches with 95 % confidence interval of the "
        "ratio; filled where a test over launches shows a difference."
    )
    definitions = definitions_text(list(zip(labels, runs, strict=True)))
    return Figure("ratio", f"A: {labels[0]}", (panel,), (words, definitions))

"""Draws ratios of times over message size: filled where they surely differ from 1, with the
tolerance as a band. For comparisons of runs and of variants."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import exact_percent
from hockney.infer.estimate.differences import Judged
from hockney.show.drawing.description import (
    SIZES,
    Band,
    Panel,
    PlotAxis,
    Series,
    StraightLine,
    Style,
)


def ratio_panel(label: str, series: Sequence[Series], tolerance: float) -> Panel:
    """A panel of ratios; label: of its axis."""
    return Panel(
        SIZES,
        PlotAxis("ratio", label, logarithmic=True),
        tuple(series),
        (StraightLine(1.0, across="y"),),
        (Band(1.0 - tolerance, 1.0 + tolerance, f"tolerance ±{exact_percent(tolerance)}", "y"),),
    )


def ratio_series(label: str, ratios: Sequence[tuple[int, Judged]], number: int) -> list[Series]:
    """One series of the ratios, at their bytes, that surely differ from 1, and one of the
    others."""
    styles: tuple[tuple[Style, bool], ...] = (("points", True), ("hollow", False))
    series = []
    for style, differs in styles:
        here = [
            (size, ratio)
            for size, ratio in ratios
            if (ratio.verdict in ("slower", "faster")) == differs
        ]
        if here:
            points = ((size, ratio.ratio) for size, ratio in here)
            intervals = (ratio.interval for _, ratio in here)
            series.append(Series.through(points, label, style, number, intervals=intervals))
    return series

"""Draws ratios of times over message size: filled where they surely differ from 1, with the
tolerance as a band. For comparisons of runs and of variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hockney.infer.estimate.interval import Interval
from hockney.show.drawing.description import (
    SIZES,
    Band,
    Panel,
    PlotAxis,
    Series,
    StraightLine,
    Style,
    ends,
)


class Ratio(Protocol):
    @property
    def ratio(self) -> float: ...

    @property
    def interval(self) -> Interval | None: ...

    @property
    def verdict(self) -> str: ...


def ratio_panel(label: str, series: Sequence[Series], tolerance: float) -> Panel:
    """A panel of ratios; label: of its axis."""
    return Panel(
        SIZES,
        PlotAxis("ratio", label, logarithmic=True),
        tuple(series),
        (StraightLine(1.0, across="y"),),
        (Band(1.0 - tolerance, 1.0 + tolerance, f"tolerance ±{100.0 * tolerance:g} %", "y"),),
    )


def ratio_series(label: str, ratios: Sequence[tuple[int, Ratio]], number: int) -> list[Series]:
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
            series.append(
                Series(
                    label,
                    [float(size) for size, _ in here],
                    [ratio.ratio for _, ratio in here],
                    *ends(ratio.interval for _, ratio in here),
                    style,
                    number,
                )
            )
    return series

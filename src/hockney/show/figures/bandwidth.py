"""Bandwidth against size, with the fit's limit and the size that reaches half of it."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import format_rate
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import statistic_of
from hockney.infer.estimate.summaries import FROM_BANDWIDTH
from hockney.show.curves.curves import Options, ShownCurve, caption_of, curves_of, title_of
from hockney.show.drawing.description import SIZES, Figure, Panel, PlotAxis, Series, StraightLine
from hockney.show.figures.time import line_points, rounded
from hockney.show.one_run.fits import estimated_size

TAKES = ("fit", "operation", "ranks")
SHARED = True
CHOICE = None
FARTHEST_LIMIT = 2.0
"""Largest drawn limit, as a multiple of the largest measured bandwidth: one farther off would press
the points together."""


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    curves = curves_of(analyses, options, least_bytes=1)
    alone = len(curves) == 1
    series = [
        _rates(curve, number, _label(curve) if alone else curve.label)
        for number, curve in enumerate(curves)
    ]
    rules: list[StraightLine] = []
    if options.fit and alone:
        largest = max(rate for rate in series[0].y if rate is not None)
        lines, rules = _limits(curves[0], largest)
        series += lines
    y = PlotAxis("rate", "bandwidth", from_zero=True)
    panel = Panel(SIZES, y, tuple(series), tuple(rules))
    return Figure("bandwidth", title_of(analyses), (panel,), caption_of(curves))


def _label(curve: ShownCurve) -> str:
    statistic = statistic_of(curve.points)
    return "bandwidth" if statistic == FROM_BANDWIDTH else f"size / {statistic} time"


def _rates(curve: ShownCurve, number: int, label: str) -> Series:
    """Bandwidths with intervals: the longest time is the lowest bandwidth. A time that may be 0 s
    gives no upper end."""
    times = list(zip(curve.x, curve.times, strict=True))
    return Series(
        label,
        curve.x,
        [size / time for size, (time, _, _) in times],
        [size / high if high else None for size, (_, _, high) in times],
        [size / low if low and low > 0.0 else None for size, (_, low, _) in times],
        "curve",
        number,
        curve.label,
    )


def _limits(curve: ShownCurve, largest: float) -> tuple[list[Series], list[StraightLine]]:
    """The line's bandwidth b / T(b), its limit and the size of half of it."""
    line = curve.analysis.line()
    rate = line.derived["r_inf_Bps"].value if line else None
    half = line.derived["n_half_B"] if line else None
    if line is None or not rate or len(curve.x) < 2:
        return [], []
    x, seconds = line_points(line, curve.x)
    rates = rounded([size / time for size, time in zip(x, seconds, strict=True)])
    rules = []
    if rate < FARTHEST_LIMIT * largest:
        rules.append(StraightLine(rate, f"r∞ = 1/β = {format_rate(rate)}", "y"))
    if half and half.value and curve.x[0] <= half.value <= curve.x[-1]:
        size = estimated_size(half)
        rules.append(StraightLine(half.value, f"n½ = {size}"))
    return [Series("Hockney's line", x, rates, style="line")], rules

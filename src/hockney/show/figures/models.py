"""Measured times with every model that they allow; below, each model's residuals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hockney.base.units import format_percent
from hockney.infer.analysis import Analysis
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import statistic_of
from hockney.infer.fitting.fit import Fit, Parameter
from hockney.show.curves.curves import Options, caption_of, curves_of, lacking, only, time_label
from hockney.show.drawing.description import SIZES, Figure, Panel, PlotAxis, Series, StraightLine
from hockney.show.figures.time import rounded
from hockney.show.one_run.fits import estimated_size

TAKES = ("operation", "ranks")
SHARED = False
CHOICE = None
LINE_POINTS = 100
DATA_COLOUR = 4
"""Black."""


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    analysis = only(analyses, "a figure of models")
    curves = curves_of(analyses, options)
    points = curves[0].points
    if len(curves) > 1 or points[0].train is not None or points[0].pairs is not None:
        raise lacking(
            analysis,
            "not one curve of single messages",
            "draw pairs with --what multi-mode, overheads with --what overheads, and one of "
            "several curves with --operation or --ranks",
        )
    fits = [ranked.fit for ranked in analysis.fits.ranking(points).best_first]
    sizes = [float(point.bytes) for point in points]
    times = [curves[0].series("points", DATA_COLOUR, statistic_of(points))]
    residuals = []
    for number, fit in enumerate(fits):
        times += _lines(fit, sizes, number)
        errors = zip(sizes, fit.residuals.tolist(), strict=True)
        residuals.append(
            Series.through(errors, _label(fit), colour=_colour(number), name=fit.model)
        )
    rules = tuple(
        StraightLine(break_.value, estimated_size(break_))
        for break_ in _breaks(fits[0])
        if break_.value
    )
    y = PlotAxis("time", time_label(analyses), logarithmic=True)
    residual = PlotAxis("fraction", "relative residual")
    panels = (
        Panel(SIZES, y, tuple(times), rules),
        Panel(SIZES, residual, tuple(residuals), (StraightLine(0.0, across="y"),)),
    )
    caption = (
        "Models in the order of their information criterion, the best first; dotted lines: "
        "breakpoints of the best. Residuals: (measured - model) / measured.",
        *caption_of(curves),
    )
    return Figure("models", analysis.label, panels, caption)


def breaks_of(fit: Fit) -> list[float]:
    """The fit's breaks, without one at 0 bytes: the axis separates 0 anyway."""
    return [break_.value for break_ in _breaks(fit) if break_.value]


def _breaks(fit: Fit) -> list[Parameter]:
    return [value for name, value in fit.parameters.items() if name.startswith("break_")]


def _label(fit: Fit) -> str:
    if fit.error_median is None or fit.error_max is None:
        return fit.model
    error, most = format_percent(fit.error_median), format_percent(fit.error_max)
    return f"{fit.model}: median error {error}, at most {most}"


def _colour(number: int) -> int:
    """The colour of a model, which is never that of the data."""
    return number + (number >= DATA_COLOUR)


def _lines(fit: Fit, measured: Sequence[float], number: int) -> list[Series]:
    """A line for each regime, so that none bridges a jump."""
    ends = [0.0, *breaks_of(fit), np.inf]
    regimes = (_sizes(measured, low, high) for low, high in pairwise(ends))
    return [
        Series(
            _label(fit),
            sizes.tolist(),
            rounded(fit.predict(sizes).tolist()),
            style="line",
            colour=_colour(number),
            name=fit.model,
        )
        for sizes in regimes
        if len(sizes)
    ]


def _sizes(measured: Sequence[float], low: float, high: float) -> Array:
    """Sizes at which a model's line is drawn, between the measured sizes and the breaks."""
    first, last = max(low, measured[0]), min(high, measured[-1])
    if first >= last:
        return np.empty(0)
    dense = np.geomspace(max(first, 1.0), last, LINE_POINTS)
    # A size equal to a break belongs below it.
    dense[0] = np.nextafter(dense[0], np.inf) if low > 0.0 else dense[0]
    return dense if first else np.concatenate(([0.0], dense))

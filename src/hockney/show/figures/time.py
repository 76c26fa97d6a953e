"""Time against message size, with intervals, the fitted line and, where measured, the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.units import format_rate
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import PointEstimate, statistic_of
from hockney.infer.fitting.fit import Fit
from hockney.show.curves.curves import (
    Options,
    ShownCurve,
    caption_of,
    curves_of,
    extremes_of,
    joined,
    time_label,
    title_of,
)
from hockney.show.curves.labels import STATE_WORDS
from hockney.show.drawing import time_text
from hockney.show.drawing.description import SIZES, Figure, Panel, PlotAxis, Series, Style

TAKES = ("extremes", "fit", "operation", "ranks")
SHARED = True
CHOICE = None
LINE_POINTS = 120
"""Points of a fitted line."""
FLOORS: tuple[tuple[str, Style, str], ...] = (
    ("floor_s", "dashed", "floor without MPI: core-to-core latency and a warm copy"),
    ("cold_s", "dotted", "a copy that no cache holds"),
)
EXTREMES_TEXT = (
    "Marks are means over all samples, bars their standard deviation; a bar without a lower end "
    "reaches below 0 s. Crosses are the minimum and the maximum."
)


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    curves = curves_of(analyses, options)
    series: list[Series] = []
    for number, curve in enumerate(curves):
        series += _measured(curve, number, len(curves) == 1, options)
        series += _other_states(curve, number, len(curves) == 1)
    series += _floors(analyses)
    caption = caption_of(curves)
    if options.extremes:
        caption = (EXTREMES_TEXT, *["Lines are through the medians."] * options.fit, *caption[1:])
    y = PlotAxis("time", time_label(analyses), logarithmic=True)
    panel = Panel(SIZES, y, tuple(series))
    return Figure("time", title_of(analyses), (panel,), caption)


def line_points(line: Fit, sizes: Sequence[float]) -> tuple[list[float], list[float]]:
    """Points of a fitted line over these sizes, which are ascending."""
    dense = np.geomspace(max(sizes[0], 1.0), max(sizes[-1], 1.0), LINE_POINTS)
    x = np.unique(np.concatenate(([sizes[0]], dense, [sizes[-1]])))
    return x.tolist(), rounded(line.predict(x).tolist())


def rounded(values: Sequence[float]) -> list[float]:
    """Rounds numbers that are only drawn to 5 digits."""
    return [float(f"{value:.5g}") for value in values]


def _measured(curve: ShownCurve, number: int, alone: bool, options: Options) -> list[Series]:
    line = curve.analysis.line() if options.fit and len(curve.sizes) > 1 else None
    words = ""
    if line:
        alpha, rate = line.parameters["alpha_s"].value, line.derived["r_inf_Bps"].value
        words = f"α = {time_text(alpha)}, 1/β = {format_rate(rate)}"
    label = _mark_text(curve, options) if alone else joined(curve.label, words)
    if options.extremes:
        series = _extremes(curve, number, label)
    else:
        series = [curve.series("points" if line else "curve", number, label)]
    if line:
        x, y = line_points(line, curve.x)
        label = f"Hockney's line: {words}" if alone else label
        series.append(
            Series(label, x, y, style="line", colour=number, name=f"{curve.label}: Hockney's line")
        )
    return series


def _mark_text(curve: ShownCurve, options: Options) -> str:
    if options.extremes:
        return "mean and standard deviation"
    states = curve.analysis.states.states
    latency = states[0].handover_s if len(states) > 1 else None
    what = statistic_of(curve.points)
    return f"{what}, core-to-core latency {time_text(latency)}" if latency else what


def _extremes(curve: ShownCurve, number: int, label: str) -> list[Series]:
    """Means with standard deviations; minima and maxima."""
    points = [points[0] for points in curve.sizes.values() if len(points) == 1]
    if len(points) < len(curve.sizes) or any(_unknown(point) for point in points):
        raise UsageError(
            f"--extremes: {curve.analysis.source} has no mean, minimum and maximum of each size",
            "only some statistics of an imported run are known, and those of several pairs of "
            "ranks are drawn with --what variability",
        )
    means = [point.mean_s or 0.0 for point in points]
    deviations = [point.std_s or 0.0 for point in points]
    least, most = [p.min_s for p in points], [p.max_s for p in points]
    crosses = extremes_of(curve.x, least, most, number, f"{curve.label}: {{}}")
    low = [mean - std if mean > std else None for mean, std in zip(means, deviations, strict=True)]
    high = [mean + std for mean, std in zip(means, deviations, strict=True)]
    return [Series(label, curve.x, means, low, high, "points", number, curve.label), *crosses]


def _unknown(point: PointEstimate) -> bool:
    return None in (point.mean_s, point.min_s, point.max_s)


def _other_states(curve: ShownCurve, number: int, alone: bool) -> list[Series]:
    """The points in the machine's other states, in the background."""
    series = []
    for state in curve.analysis.states.states[1:]:
        points = curve.points[0]
        same = curves_of([curve.analysis], Options(operation=points.operation), state=state.id)
        for other in same:
            if other.label == curve.label:
                latency = state.handover_s
                words = f"state {state.id}"
                if latency is not None:
                    words = f"core-to-core latency {time_text(latency)}"
                # A label that has the state of the run itself would name two states.
                name = curve.label.partition(STATE_WORDS)[0]
                label = statistic_of(other.points) if alone else name
                series.append(other.series("pale", number, joined(label, words, ", ")))
    return series


def _floors(analyses: Sequence[Analysis]) -> list[Series]:
    """The time that the hardware allows, under each curve in its colour."""
    series = []
    for name, style, label in FLOORS:
        for number, analysis in enumerate(analyses):
            at = {(float(p.bytes), getattr(floor, name)) for p, floor in analysis.floor.items()}
            known = sorted((size, time) for size, time in at if time)
            if known:
                words = f"{analysis.label}: {label}"
                series.append(Series.through(known, label, style, number, words))
    return series

"""One-way time against size, with intervals, the fitted line and, where measured, the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hockney.errors import HockneyError
from hockney.estimate.floor import floor_ratios
from hockney.estimate.points import PointEstimate
from hockney.models.fit import curve_of
from hockney.models.hockney import fit
from hockney.units import format_rate, format_seconds
from hockney.views.figures import Options, System
from hockney.views.figures._style import (
    colour,
    footnote,
    mark,
    new_figure,
    paper,
    plain,
    size_axis,
    time_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

US = 1e6


def draw(systems: Sequence[System], options: Options) -> Figure:
    with paper():
        figure, axes = new_figure()
        sizes: list[float] = []
        for number, system in enumerate(systems):
            points = points_of(system, 0)
            sizes += [point.bytes for point in points]
            _draw_points(axes, points, number, plain(system.label), options)
            if options.fit:
                _draw_fit(axes, points, number)
            _draw_floor(axes, system, number)
            for state in range(1, len(system.estimates.states.states)):
                _draw_other_state(axes, points_of(system, state), number, state)
        axes.set_yscale("log")
        size_axis(axes, sizes)
        time_ticks(axes)
        axes.set_ylabel("one-way time, us")
        if len(systems) == 1:
            axes.set_title(plain(systems[0].label), loc="left")
        axes.legend(loc="upper left")
        footnote(figure, [system.run for system in systems])
    return figure


def points_of(system: System, state: int) -> list[PointEstimate]:
    """The experiment's own points that have a time to draw on a log axis."""
    experiment = system.run.header.experiment
    points = [p for p in system.estimates.in_state(state) if p.operation == experiment]
    return sorted((p for p in points if p.median_s > 0.0), key=lambda point: point.bytes)


def _draw_points(
    axes: Axes, points: Sequence[PointEstimate], number: int, label: str, options: Options
) -> None:
    sizes = [point.bytes for point in points]
    centres = np.array([point.median_s for point in points]) * US
    bars = _interval_bars(points)
    if options.extremes:
        centres = np.array([point.mean_s or point.median_s for point in points]) * US
        bars = _deviation_bars(points, centres)
        label += ": mean and standard deviation"
        for marker, ends in (("_", [p.max_s for p in points]), ("_", [p.min_s for p in points])):
            axes.plot(
                sizes, np.array(ends) * US, marker, color=colour(number), markersize=6, alpha=0.7
            )
    axes.errorbar(
        sizes, centres, yerr=bars, fmt=mark(number), color=colour(number), capsize=2, label=label
    )


def _interval_bars(points: Sequence[PointEstimate]) -> np.ndarray:
    low = [point.median_s - (point.low_s or point.median_s) for point in points]
    high = [(point.high_s or point.median_s) - point.median_s for point in points]
    return np.array([low, high]) * US


def _deviation_bars(points: Sequence[PointEstimate], centres: np.ndarray) -> np.ndarray:
    """A bar that would reach below zero ends just above it: the axis is logarithmic."""
    deviation = np.array([point.std_s or 0.0 for point in points]) * US
    return np.array([np.minimum(deviation, 0.99 * centres), deviation])


def _draw_fit(axes: Axes, points: Sequence[PointEstimate], number: int) -> None:
    try:
        line = fit(curve_of(points))
    except HockneyError:
        return
    alpha, rate = line.parameters["alpha_s"].value, line.derived["r_inf_Bps"].value
    last = max(point.bytes for point in points)
    sizes = np.concatenate([[0.0], np.geomspace(1.0, max(last, 2), 200)])
    words = f"fit: alpha {format_seconds(alpha, 3)}, 1/beta {format_rate(rate)}"
    axes.plot(sizes, line.predict(sizes) * US, "-", color=colour(number), alpha=0.6, label=words)


def _draw_floor(axes: Axes, system: System, number: int) -> None:
    floors = sorted(floor_ratios(system.estimates).items())
    if not floors:
        return
    axes.plot(
        [size for size, _ in floors],
        [below.floor_s * US for _, below in floors],
        "--",
        color=colour(number),
        label="floor: hand-over and warm copy",
    )
    cold = [(size, below.cold_s * US) for size, below in floors if below.cold_s is not None]
    if cold:
        axes.plot(*zip(*cold, strict=True), ":", color=colour(number), label="floor: cold copy")


def _draw_other_state(axes: Axes, points: Sequence[PointEstimate], number: int, state: int) -> None:
    if not points:
        return
    axes.plot(
        [point.bytes for point in points],
        [point.median_s * US for point in points],
        mark(number),
        color=colour(number),
        alpha=0.35,
        markerfacecolor="none",
        label=f"in state {state} of the machine",
    )

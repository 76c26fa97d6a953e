"""Bandwidth against size, with the fit's limit and the size that reaches half of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from hockney.errors import AskedWronglyError
from hockney.estimate.points import PointEstimate, statistic_of
from hockney.estimate.summaries import FROM_BANDWIDTH
from hockney.units import FACTORS, format_rate, format_size
from hockney.views.figures import Options, System
from hockney.views.figures._style import (
    QUIET,
    Looks,
    colour,
    finish,
    mark,
    new_figure,
    paper,
    plain,
    size_axis,
)
from hockney.views.figures._systems import (
    headline_of,
    line_of,
    medians_text,
    samples_text,
    title_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FARTHEST_LIMIT = 2.0
"""Times the largest measured bandwidth: a limit farther off would press the points together."""


def draw(systems: Sequence[System], options: Options) -> Figure:
    curves = [[point for point in headline_of(system) if point.bytes] for system in systems]
    every = [point for points in curves for point in points]
    if not every:
        raise AskedWronglyError("no size above 0 bytes: there is no bandwidth to draw")
    largest = max(point.bytes / point.typical_s for point in every)
    unit = next((unit for unit in ("GiB", "MiB", "KiB") if largest >= FACTORS[unit]), "B")
    entries = []
    with paper():
        figure, axes = new_figure()
        for number, (system, points) in enumerate(zip(systems, curves, strict=True)):
            label = plain(system.label) if len(systems) > 1 else _label(points)
            entries.append(_draw_points(axes, points, number, FACTORS[unit], label))
        size_axis(axes, [point.bytes for point in every])
        axes.set_ylim(bottom=0.0)
        if options.fit and len(systems) == 1:
            entries += _draw_limits(axes, systems[0], largest, FACTORS[unit])
        axes.set_ylabel(f"bandwidth, {unit}/s")
        words = samples_text([(system.label, system.run) for system in systems])
        finish(axes, title_of(systems), entries, [medians_text(every), words])
    return figure


def _label(points: Sequence[PointEstimate]) -> str:
    statistic = statistic_of(points)
    return "bandwidth" if statistic == FROM_BANDWIDTH else f"bytes / {statistic} time"


def _draw_points(
    axes: Axes, points: Sequence[PointEstimate], number: int, unit: int, label: str
) -> Line2D:
    sizes = np.array([float(point.bytes) for point in points])
    rates = sizes / [point.typical_s for point in points] / unit
    # The longest time is the lowest bandwidth. An interval of time that begins at 0 s has no end.
    low = sizes / [point.high_s or point.typical_s for point in points] / unit
    least = [p.low_s if p.low_s and p.low_s > 0.0 else p.typical_s for p in points]
    high = sizes / least / unit
    looks: Looks = {"color": colour(number), "marker": mark(number)}
    axes.errorbar(sizes, rates, [rates - low, high - rates], **looks, elinewidth=0.8, zorder=3)
    return Line2D([], [], **looks, label=label)


def _draw_limits(axes: Axes, system: System, largest: float, unit: int) -> list[Line2D]:
    """The line's bandwidth b / T(b), its limit and the size of half of it."""
    line = line_of(system)
    rate = line.derived["r_inf_Bps"].value if line else None
    half = line.derived["n_half_B"].value if line else None
    if line is None or not rate:
        return []
    first, last = axes.get_xlim()
    sizes = np.geomspace(first, last, 200)
    [curve] = axes.plot(
        sizes,
        sizes / line.predict(sizes) / unit,
        color=colour(0),
        alpha=0.5,
        label="Hockney's line",
    )
    shown = [curve]
    if rate < FARTHEST_LIMIT * largest:
        limit = axes.axhline(rate / unit, color=QUIET, linestyle="--", linewidth=0.8)
        limit.set_label(f"its limit r∞ = 1/β = {format_rate(rate)}")
        shown.append(limit)
    if half:
        [corner] = axes.plot([half, half], [0.0, rate / 2.0 / unit], ":", color=QUIET)
        corner.set_label(f"half of it at n½ = {format_size(round(half))}")
        shown.append(corner)
    return shown

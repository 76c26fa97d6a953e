"""Bandwidth against size, with the fit's limit and the size that reaches half of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hockney.errors import AskedWronglyError, HockneyError
from hockney.models.fit import curve_of
from hockney.models.hockney import fit
from hockney.units import format_rate, format_size
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
from hockney.views.figures.time import points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MIB = 2.0**20


def draw(systems: Sequence[System], options: Options) -> Figure:
    with paper():
        figure, axes = new_figure()
        sizes: list[float] = []
        for number, system in enumerate(systems):
            points = [p for p in points_of(system, 0) if p.bytes > 0]
            sizes += [point.bytes for point in points]
            rates = [point.bytes / point.median_s / MIB for point in points]
            low = [
                rate - (p.bytes / p.high_s / MIB if p.high_s else rate)
                for p, rate in zip(points, rates, strict=True)
            ]
            high = [
                (p.bytes / p.low_s / MIB if p.low_s else rate) - rate
                for p, rate in zip(points, rates, strict=True)
            ]
            axes.errorbar(
                [point.bytes for point in points],
                rates,
                yerr=[low, high],
                color=colour(number),
                marker=mark(number),
                capsize=2,
                label=plain(system.label),
            )
            if options.fit and len(systems) == 1:
                _draw_limits(axes, system)
        if not sizes:
            raise AskedWronglyError("no size above 0 bytes: there is no bandwidth to draw")
        axes.set_yscale("log")
        size_axis(axes, sizes)
        time_ticks(axes)
        axes.set_ylabel("bandwidth, MiB/s")
        axes.legend(loc="lower right")
        footnote(figure, [system.run for system in systems])
    return figure


def _draw_limits(axes: Axes, system: System) -> None:
    try:
        line = fit(curve_of(points_of(system, 0)))
    except HockneyError:
        return
    rate, half = line.derived["r_inf_Bps"].value, line.derived["n_half_B"].value
    if rate is None:
        return
    axes.axhline(
        rate / MIB,
        color="#777777",
        linestyle="--",
        linewidth=0.9,
        label=f"fit: r_inf = 1/beta = {format_rate(rate)}",
    )
    if half:
        axes.axvline(
            half,
            color="#777777",
            linestyle=":",
            linewidth=0.9,
            label=f"fit: n_half = {format_size(round(half))}",
        )

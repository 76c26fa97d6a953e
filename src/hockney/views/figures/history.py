"""A system's runs over their dates: each with its interval, levels and change points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import dates as mpl_dates
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hockney.analysis.history import History, Trend
from hockney.errors import AskedWronglyError
from hockney.units import FACTORS
from hockney.views.figures._style import (
    AXES_INCHES,
    QUIET,
    WIDTH_INCHES,
    Looks,
    colour,
    finish,
    mark,
    paper,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

untyped: Any = mpl_dates
PANEL_INCHES = 1.4
"""Of height that the second panel adds."""


def draw_history(histories: Sequence[History]) -> Figure:
    """Time above, bandwidth below; one colour a system."""
    trends = [(i, trend) for i, history in enumerate(histories) for trend in history.trends]
    units = [unit for unit in ("s", "B/s") if any(trend.unit == unit for _, trend in trends)]
    if not units:
        raise AskedWronglyError("no run holds a point: there is no history to draw")
    with paper():
        figure = Figure(figsize=(WIDTH_INCHES, AXES_INCHES), layout="constrained")
        panels = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
        for axes, unit in zip(panels, units, strict=True):
            shown = [(i, trend) for i, trend in trends if trend.unit == unit]
            factor, name = _scale([trend for _, trend in shown])
            for number, trend in shown:
                _draw(axes, trend, number, factor)
            axes.yaxis.set_major_locator(MaxNLocator(5))
            axes.set_ylabel(name)
        locator = untyped.AutoDateLocator(minticks=3, maxticks=6)
        panels[-1].xaxis.set_major_locator(locator)
        panels[-1].xaxis.set_major_formatter(untyped.ConciseDateFormatter(locator))
        entries = [_entry(i, history) for i, history in enumerate(histories)]
        finish(panels[0], "history", entries, _small_print(trends))
        figure.set_figheight(figure.get_figheight() + PANEL_INCHES * (len(units) - 1))
    return figure


def _draw(axes: Axes, trend: Trend, number: int, factor: float) -> None:
    dates: Any = untyped.date2num([point.started for point in trend.points])
    values = np.array([point.value for point in trend.points]) / factor
    low = np.array([point.low or point.value for point in trend.points]) / factor
    high = np.array([point.high or point.value for point in trend.points]) / factor
    looks: Looks = {"color": colour(number), "marker": mark(number), "linestyle": "none"}
    axes.errorbar(dates, values, [values - low, high - values], **looks, elinewidth=0.8, zorder=3)
    bounds = [0, *(change.index for change in trend.changes), len(values)]
    for first, last in pairwise(bounds):
        level = float(np.median(values[first:last]))
        axes.plot(dates[[first, last - 1]], [level, level], color=colour(number), alpha=0.5)
    for change in trend.changes:
        axes.axvline(dates[change.index], color=QUIET, linestyle=":", linewidth=0.8)


def _scale(trends: Sequence[Trend]) -> tuple[float, str]:
    """In what the axis counts, and its name with that unit."""
    largest = max(point.value for trend in trends for point in trend.points)
    if trends[0].unit == "s":
        units: dict[str, float] = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
        unit = next((unit for unit, factor in units.items() if largest >= factor), "ns")
        return units[unit], f"time, {unit}"
    unit = next((unit for unit in ("GiB", "MiB", "KiB") if largest >= FACTORS[unit]), "B")
    return float(FACTORS[unit]), f"bandwidth, {unit}/s"


def _entry(number: int, history: History) -> Line2D:
    looks: Looks = {"color": colour(number), "marker": mark(number), "linestyle": "none"}
    return Line2D([], [], **looks, label=plain(history.system))


def _small_print(trends: Sequence[tuple[int, Trend]]) -> list[str]:
    what = ", ".join(dict.fromkeys(trend.what for _, trend in trends))
    return [f"{what}; each run's median over launches with its interval. Lines are medians of a "
            "level, dotted where a level begins."]  # fmt: skip

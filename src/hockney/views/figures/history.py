"""A system's runs over their dates: each with its interval, levels and change points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import dates as mpl_dates
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from hockney.errors import AskedWronglyError
from hockney.estimate.history import History, Trend
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
from hockney.views.history import say

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
            for number, trend in shown:
                _draw(axes, trend, number)
            _axis(axes, shown[0][1], unit)
        locator = untyped.AutoDateLocator(minticks=3, maxticks=6)
        panels[-1].xaxis.set_major_locator(locator)
        panels[-1].xaxis.set_major_formatter(untyped.ConciseDateFormatter(locator))
        entries = [_entry(i, history) for i, history in enumerate(histories)]
        finish(panels[0], "history", entries, _small_print(trends))
        figure.set_figheight(figure.get_figheight() + PANEL_INCHES * (len(units) - 1))
    return figure


def _draw(axes: Axes, trend: Trend, number: int) -> None:
    dates: Any = untyped.date2num([point.started for point in trend.points])
    values = np.array([point.value for point in trend.points])
    low = np.array([point.low or point.value for point in trend.points])
    high = np.array([point.high or point.value for point in trend.points])
    looks: Looks = {"color": colour(number), "marker": mark(number), "linestyle": "none"}
    axes.errorbar(dates, values, [values - low, high - values], **looks, elinewidth=0.8, zorder=3)
    bounds = [0, *(change.index for change in trend.changes), len(values)]
    for first, last in pairwise(bounds):
        level = float(np.median(values[first:last]))
        axes.plot(dates[[first, last - 1]], [level, level], color=colour(number), alpha=0.5)
    for change in trend.changes:
        axes.axvline(dates[change.index], color=QUIET, linestyle=":", linewidth=0.8)


def _axis(axes: Axes, trend: Trend, unit: str) -> None:
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: say(trend, value)))
    axes.set_ylabel("time" if unit == "s" else "bandwidth")


def _entry(number: int, history: History) -> Line2D:
    looks: Looks = {"color": colour(number), "marker": mark(number), "linestyle": "none"}
    return Line2D([], [], **looks, label=plain(history.system))


def _small_print(trends: Sequence[tuple[int, Trend]]) -> list[str]:
    what = ", ".join(dict.fromkeys(trend.what for _, trend in trends))
    return [f"{what}; each run's median over launches with its interval. Lines are medians of a "
            "level, dotted where a level begins."]  # fmt: skip

"""Draws a system's runs over their dates: each with its interval, levels and change points."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis.history.histories import History, Trend
from hockney.show.curves.curves import sentence
from hockney.show.drawing.description import Figure, Panel, PlotAxis, Series, StraightLine, ends

SECONDS_A_DAY = 86400.0


def describe_history(histories: Sequence[History]) -> Figure:
    """Time above, bandwidth below; one colour for each curve of a system."""
    trends = [(history.system, trend) for history in histories for trend in history.trends]
    if not trends:
        raise UsageError("no run holds a point: there is no history to draw")
    what = ", ".join(dict.fromkeys(trend.what for _, trend in trends))
    curves = list(dict.fromkeys((system, _curve(trend)) for system, trend in trends))
    labels = {
        key: (key[1] or key[0]) if len(histories) == 1 else ": ".join(filter(None, key))
        for key in curves
    }
    axes = (("s", PlotAxis("time", "time")), ("B/s", PlotAxis("rate", "bandwidth")))
    panels = [
        Panel(
            PlotAxis("date", "start of the run"),
            axis,
            tuple(
                series
                for key, trend in of
                for series in _series(trend, curves.index(key), labels[key], key[0])
            ),
            tuple(
                StraightLine(_days(trend, change.index))
                for _, trend in of
                for change in trend.changes
            ),
        )
        for unit, axis in axes
        if (
            of := [
                ((system, _curve(trend)), trend) for system, trend in trends if trend.unit == unit
            ]
        )
    ]
    caption = (
        f"{sentence(what)}: each run's median over launches with its confidence "
        "interval. Lines: the median of a level; dotted: where a level begins.",
    )
    return Figure("history", "history", tuple(panels), caption)


def _curve(trend: Trend) -> str:
    """What has a colour of its own: a curve, or the worst size between its ends."""
    return trend.words if trend.is_between else trend.curve_name


def _days(trend: Trend, index: int) -> float:
    return trend.points[index].started.timestamp() / SECONDS_A_DAY


def _series(trend: Trend, number: int, label: str, system: str) -> list[Series]:
    """The runs, then their levels."""
    days = [_days(trend, index) for index in range(len(trend.points))]
    values = [point.value for point in trend.points]
    low, high = ends(point.interval for point in trend.points)
    runs = Series(label, days, values, low, high, "points", number, f"{system}: {trend.words}")
    words = f"{system}: level of {trend.words}"
    levels = (((days[first], level), (days[last], level)) for first, last, level in trend.levels)
    return [runs, *(Series.through(level, "", "line", number, words) for level in levels)]

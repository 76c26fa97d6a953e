"""The steps of a start-up: over numbers of ranks, or in rows where there is one number."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import how_many
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import grouped
from hockney.show.curves.curves import Options, lacking, medians_text, only, samples_text, series_of
from hockney.show.drawing import time_text
from hockney.show.drawing.description import TIMES, Bar, CellKind, Figure, Panel, PlotAxis
from hockney.show.experiments.startup import order, step_text

TAKES = ()
SHARED = False
CHOICE = None


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:  # noqa: ARG001
    analysis = only(analyses, "--what startup")
    points = [point for point in analysis.estimates.own() if point.typical_s > 0.0]
    if analysis.run.header.experiment != "startup" or not points:
        raise lacking(analysis, "no start-up was measured", "measure it with hockney startup")
    if len({point.known_ranks for point in points}) == 1:
        panel = _rows(sorted(points, key=order))
    else:
        panel = _over_ranks(points)
    caption = (medians_text(points), samples_text(analyses))
    return Figure("startup", f"{analysis.label}: start-up", (panel,), caption)


def _rows(points: Sequence[PointEstimate]) -> Panel:
    """A row a step, in the order in which they follow each other: in one column, marks of nearly
    the same time would hide each other."""
    bars = []
    for row, point in enumerate(points):
        seconds = point.typical_s
        interval = point.interval or Interval(seconds, seconds)
        words = f"{_name(point)}: {time_text(seconds)}"
        bars.append(Bar(row, interval.low, interval.high, kind=0, words=words, at=seconds))
    names = tuple(_name(point) for point in points)
    return Panel(
        PlotAxis("time", f"time on {how_many(points[0].known_ranks, 'process')}", logarithmic=True),
        PlotAxis("name", "step", names=names, downward=True),
        bars=tuple(bars),
        kinds=(CellKind("median (point) and its confidence interval", 0),),
    )


def _over_ranks(points: Sequence[PointEstimate]) -> Panel:
    curves = grouped(sorted(points, key=order), "ranks")
    series = tuple(
        series_of(_name(curve[0]), sorted(curve, key=_ranks), _ranks, number)
        for number, curve in enumerate(curves.values())
    )
    return Panel(PlotAxis("count", "processes", logarithmic=True), TIMES, series)


def _ranks(point: PointEstimate) -> float:
    return float(point.known_ranks)


def _name(point: PointEstimate) -> str:
    """The step, and which of several times it is."""
    return " ".join(filter(None, (point.occurrence, step_text(point))))

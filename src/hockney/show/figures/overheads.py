"""Draws what a message of each size costs its sender, its receiver and the wire."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.infer.analysis import Analysis
from hockney.show.curves.curves import Options, lacking, only, samples_text
from hockney.show.drawing.description import SIZES, TIMES, Figure, Panel, Series

TAKES = ()
SHARED = False
CHOICE = None
PARTS = (
    ("one_way_s", "one way"),
    ("gap_s", "gap: from one message of a train to the next"),
    ("o_send_s", "o_s: in the send"),
    ("o_receive_s", "o_r: in the receive of a message that is there"),
)


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:  # noqa: ARG001
    analysis = only(analyses, "a figure of overheads")
    loggp = analysis.loggp()
    if loggp is None:
        advice = "measure with hockney overheads"
        raise lacking(analysis, "too few trains of messages to draw", advice)
    series = []
    for number, (name, label) in enumerate(PARTS):
        values = [(overhead.bytes, getattr(overhead, name)) for overhead in loggp.overheads]
        points = ((size, v.value if v.value and v.value > 0.0 else None) for size, v in values)
        intervals = (v.interval for _, v in values)
        series.append(Series.through(points, label, colour=number, intervals=intervals))
    panel = Panel(SIZES, TIMES, tuple(series))
    caption = (
        "Medians over launches with 95 % confidence intervals by bootstrap over launches. What is "
        "too small to be measured is left out.",
        samples_text(analyses),
    )
    return Figure("overheads", analysis.label, (panel,), caption)

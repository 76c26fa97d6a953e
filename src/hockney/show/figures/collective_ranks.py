"""A collective's time against processes at one size: each algorithm, and its model."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.show.curves.curves import Options, chosen_value, medians_text, samples_text
from hockney.show.drawing.description import TIMES, Figure, Panel, PlotAxis, StraightLine
from hockney.show.figures._collectives import (
    borders,
    chosen_collective,
    curves,
    title,
    unknown_ranks,
)

TAKES = ("operation", "bytes")
SHARED = False
CHOICE = "bytes"


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    what = chosen_collective(analyses, options)
    measured = [point.bytes for point in what.points if point.known_ranks]
    if not measured:
        raise unknown_ranks(what)
    size = chosen_value(options.bytes, measured, "--bytes", min(measured))
    points = [point for point in what.points if point.bytes == size and point.known_ranks]
    x = PlotAxis("count", "processes", logarithmic=True)
    series = curves(what, points, lambda point: float(point.known_ranks))
    every = [point.known_ranks for point in points]
    rules = tuple(StraightLine(at, words) for at, words in borders(what.places, every))
    panel = Panel(x, TIMES, series, rules)
    heading = f"{title(what)} of {format_size(size)}"
    return Figure(
        "collective-ranks", heading, (panel,), (medians_text(points), samples_text(what.analyses))
    )

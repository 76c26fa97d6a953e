"""A collective's time against size for one number of ranks: each algorithm, and its model."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import how_many
from hockney.infer.analysis import Analysis
from hockney.show.curves.curves import Options, chosen_value, medians_text, samples_text
from hockney.show.drawing.description import SIZES, TIMES, Figure, Panel
from hockney.show.figures._collectives import chosen_collective, curves, title

TAKES = ("operation", "ranks")
SHARED = False
CHOICE = "ranks"


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    what = chosen_collective(analyses, options)
    measured = [point.known_ranks for point in what.points]
    ranks = chosen_value(options.ranks, measured, "--ranks", max(measured))
    points = [point for point in what.points if point.known_ranks == ranks]
    panel = Panel(SIZES, TIMES, curves(what, points, lambda point: float(point.bytes)))
    heading = title(what) + (f", {how_many(ranks, 'process')}" if ranks else "")
    return Figure(
        "collective-sizes", heading, (panel,), (medians_text(points), samples_text(what.analyses))
    )

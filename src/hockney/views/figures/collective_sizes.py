"""A collective's time against size for one number of ranks: each algorithm, and its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hockney.views.figures import Options, System
from hockney.views.figures._collectives import chosen_value, draw_curves, shown
from hockney.views.figures._style import finish, new_figure, paper, size_axis, time_axis
from hockney.views.figures._systems import medians_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(systems: Sequence[System], options: Options) -> Figure:
    what = shown(systems, options)
    measured = [point.known_ranks for point in what.points]
    ranks = chosen_value(options.ranks, measured, "--ranks", max(measured))
    points = [point for point in what.points if point.known_ranks == ranks]
    with paper():
        figure, axes = new_figure()
        entries = draw_curves(axes, what, points, "bytes")
        predicted = [time for point in points if (time := what.predicted_s(point))]
        time_axis(axes, [*(point.typical_s for point in points), *predicted])
        size_axis(axes, [point.bytes for point in points])
        axes.set_ylabel("time")
        title = f"{what.collective}, {ranks} processes"
        finish(axes, title, entries, [medians_text(points), what.sample()])
    return figure

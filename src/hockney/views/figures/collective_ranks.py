"""A collective's time against processes at one size: each algorithm, and its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hockney.units import format_size
from hockney.views.figures import Options, System
from hockney.views.figures._collectives import (
    chosen_value,
    draw_borders,
    draw_curves,
    rank_axis,
    shown,
    unknown_ranks,
)
from hockney.views.figures._style import finish, new_figure, paper, time_axis
from hockney.views.figures._systems import medians_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(systems: Sequence[System], options: Options) -> Figure:
    what = shown(systems, options)
    measured = [point.bytes for point in what.points if point.known_ranks]
    if not measured:
        raise unknown_ranks(what)
    size = chosen_value(options.bytes, measured, "--bytes", min(measured))
    points = [point for point in what.points if point.bytes == size and point.known_ranks]
    ranks = [point.known_ranks for point in points]
    with paper():
        figure, axes = new_figure()
        entries = draw_curves(axes, what, points, "ranks")
        predicted = [time for point in points if (time := what.predicted_s(point))]
        time_axis(axes, [*(point.typical_s for point in points), *predicted])
        rank_axis(axes, ranks)
        draw_borders(axes, what, ranks)
        axes.set_ylabel("time")
        title = f"{what.collective} of {format_size(size)}"
        finish(axes, title, entries, [medians_text(points), what.sample()])
    return figure

"""The ratio of B to A over size, with intervals, the tolerance as a band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hockney.errors import AskedWronglyError
from hockney.estimate.compare import Comparison
from hockney.views.figures._style import (
    colour,
    footnote,
    mark,
    new_figure,
    paper,
    plain,
    size_axis,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_ratio(comparisons: Sequence[Comparison], tolerance: float) -> Figure:
    with paper():
        figure, axes = new_figure(height=3.4)
        sizes: list[float] = []
        for number, comparison in enumerate(comparisons):
            for point in comparison.points:
                size, found = point.base.bytes, point.difference
                sizes.append(size)
                low = found.ratio - (found.low or found.ratio)
                high = (found.high or found.ratio) - found.ratio
                told = found.verdict in ("slower", "faster")
                axes.errorbar(
                    [size],
                    [found.ratio],
                    yerr=[[max(low, 0.0)], [max(high, 0.0)]],
                    capsize=2,
                    fmt=mark(number),
                    color=colour(number),
                    markerfacecolor=colour(number) if told else "none",
                )
            label = f"{plain(comparison.other.label)}: {comparison.verdict}"
            axes.plot([], [], mark(number), color=colour(number), label=label)
        if not sizes:
            raise AskedWronglyError("the runs have no point in common: nothing to draw")
        axes.axhspan(
            1.0 - tolerance,
            1.0 + tolerance,
            color="#eeeeee",
            zorder=0,
            label=f"tolerance ±{100.0 * tolerance:g} %",
        )
        axes.axhline(1.0, color="#777777", linewidth=0.9)
        size_axis(axes, sizes)
        axes.set_ylabel("time, B / A (filled: a tested difference)")
        axes.set_title(f"against {plain(comparisons[0].base.label)}", loc="left")
        axes.legend()
        footnote(figure, [comparisons[0].base])
    return figure

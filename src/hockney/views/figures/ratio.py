"""The ratio of B to A over size, with intervals, the tolerance as a band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from hockney.analysis.compare import Comparison, PointDifference
from hockney.errors import AskedWronglyError
from hockney.estimate.points import statistic_of
from hockney.views.figures._style import (
    QUIET,
    Looks,
    colour,
    finish,
    mark,
    new_figure,
    paper,
    size_axis,
)
from hockney.views.figures._systems import entry_text, samples_text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_ratio(comparisons: Sequence[Comparison], tolerance: float) -> Figure:
    base = comparisons[0].base
    sizes = [point.base.bytes for comparison in comparisons for point in comparison.points]
    if not sizes:
        raise AskedWronglyError("the runs have no point in common: nothing to draw")
    with paper():
        figure, axes = new_figure()
        entries: list[Artist] = [
            axes.axhspan(1.0 - tolerance, 1.0 + tolerance, color="#e8e8e8", linewidth=0.0, zorder=0)
        ]
        entries[0].set_label(f"tolerance ±{100.0 * tolerance:g} %")
        axes.axhline(1.0, color=QUIET, linewidth=0.6)
        for number, comparison in enumerate(comparisons):
            for point in comparison.points:
                _draw_point(axes, point, number)
            looks: Looks = {"color": colour(number), "marker": mark(number), "linestyle": "none"}
            label = entry_text(comparison.other.label, comparison.verdict)
            entries.append(Line2D([], [], **looks, label=label))
        size_axis(axes, sizes)
        axes.set_ylabel("time, B / A")
        runs = [base, *(comparison.other for comparison in comparisons)]
        points = [each for c in comparisons for p in c.points for each in (p.base, p.other)]
        what = statistic_of(points).capitalize()
        words = f"{what} of launches; filled where a test tells them apart."
        of_samples = samples_text([(run.label, run) for run in runs])
        finish(axes, f"A: {base.label}", entries, [words, of_samples])
    return figure


def _draw_point(axes: Axes, point: PointDifference, number: int) -> None:
    found = point.difference
    low = found.ratio if found.low is None else min(found.low, found.ratio)
    high = found.ratio if found.high is None else max(found.high, found.ratio)
    axes.errorbar(
        [float(point.base.bytes)],
        [found.ratio],
        [[found.ratio - low], [high - found.ratio]],
        fmt=mark(number),
        color=colour(number),
        fillstyle="full" if found.verdict in ("slower", "faster") else "none",
        elinewidth=0.8,
    )

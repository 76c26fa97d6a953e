"""A collective's measured time over the predicted one against size, each algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from hockney.analysis.best import name_of
from hockney.errors import AskedWronglyError
from hockney.predict.parameters import LEVELS
from hockney.units import format_rate
from hockney.views.figures import Options, System
from hockney.views.figures._collectives import Shown, chosen_value, shown
from hockney.views.figures._style import (
    QUIET,
    Looks,
    colour,
    finish,
    mark,
    new_figure,
    paper,
    plain,
    size_axis,
    time_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
MORE_TICKS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 1.8, 2.0)


def draw(systems: Sequence[System], options: Options) -> Figure:
    what = shown(systems, options)
    if what.parameters is None:
        raise AskedWronglyError(
            "no point-to-point times to predict from in these files",
            "name a result of `hockney pingpong` or `hockney cores` beside them",
        )
    measured = [point.known_ranks for point in what.points]
    ranks = chosen_value(options.ranks, measured, "--ranks", max(measured))
    with paper():
        figure, axes = new_figure()
        axes.axhline(1.0, color=QUIET, linewidth=0.6)
        axes.axhspan(0.95, 1.05, color="#e8e8e8", linewidth=0.0, zorder=0)
        entries, seen, sizes = _draw_ratios(axes, what, ranks)
        if not seen:
            raise AskedWronglyError(
                f"none of {', '.join(what.names)} has a schedule to predict by",
                "measure by algorithm: --algorithm all",
            )
        size_axis(axes, sizes)
        _ratio_axis(axes, seen)
        title = f"{what.collective}, {ranks} processes"
        finish(axes, title, entries, [_words(what), what.sample()])
    return figure


def _draw_ratios(
    axes: Axes, what: Shown, ranks: int
) -> tuple[list[Line2D], list[float], list[int]]:
    """Entries for the legend, and all ratios and sizes that were drawn."""
    entries, seen, sizes = [], [], []
    for number, name in enumerate(what.names):
        points = [p for p in what.points if p.known_ranks == ranks and name_of(p) == name]
        ratios = sorted((p.bytes, p.typical_s / t) for p in points if (t := what.predicted_s(p)))
        if not ratios:
            continue
        looks: Looks = {"color": colour(number), "marker": mark(number)}
        axes.plot(*zip(*ratios, strict=True), **looks)
        entries.append(Line2D([], [], **looks, label=plain(name)))
        sizes += [size for size, _ in ratios]
        seen += [ratio for _, ratio in ratios]
    return entries, seen, sizes


def _ratio_axis(axes: Axes, seen: Sequence[float]) -> None:
    axes.set_yscale("log")
    low, high = min(0.8, 0.9 * min(seen)), max(1.25, 1.1 * max(seen))
    axes.set_ylim(low, high)
    ticks = MORE_TICKS if high < 3.0 * low else FEW_TICKS
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}"))
    axes.set_ylabel("measured / predicted")


def _words(what: Shown) -> str:
    assert what.parameters is not None
    levels = []
    for name in LEVELS:
        level = getattr(what.parameters, name)
        if level is not None:
            rate = format_rate(1.0 / level.beta_s_per_B) if level.beta_s_per_B else "-"
            levels.append(f"{name}: α = {time_text(level.alpha_s)}, 1/β = {rate}")
    sharing = ", flows that share as in SimGrid" if what.parameters.sharing == "fair" else ""
    return f"Predicted message by message from {'; '.join(levels)}{sharing}. Band: 5 % either way."

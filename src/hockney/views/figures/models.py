"""Data with every model that they carry; below, what each leaves unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from hockney.errors import AskedWronglyError
from hockney.estimate.points import statistic_of
from hockney.fitting.fit import Array, Curve, Fit, curve_of
from hockney.predict.ranking import rank
from hockney.views.figures import Options, System
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
    time_axis,
)
from hockney.views.figures._systems import headline_of, medians_text, samples_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DATA: Looks = {
    "color": "#000000", "marker": mark(0), "linestyle": "none", "fillstyle": "none",
    "markeredgewidth": 0.6,
}  # fmt: skip
BREAK: Looks = {"color": QUIET, "linestyle": ":", "linewidth": 0.8}


def draw(systems: Sequence[System], options: Options) -> Figure:  # noqa: ARG001
    if len(systems) != 1:
        raise AskedWronglyError("models are drawn through one file at a time")
    system = systems[0]
    points = headline_of(system)
    curve = curve_of(points)
    if curve.trains is not None or curve.pairs is not None:
        raise AskedWronglyError(
            f"{system.run.path or system.label}: not times of single messages",
            "draw pairs with --what multi-mode; overheads are shown as a table (hockney show)",
        )
    fits = [ranked.fit for ranked in rank(curve).best_first]
    with paper():
        figure, (times, residuals) = new_figure(1, 2, sharex=True)
        low = [p.typical_s - (p.low_s or p.typical_s) for p in points]
        high = [(p.high_s or p.typical_s) - p.typical_s for p in points]
        times.errorbar(curve.bytes, curve.median_s, [low, high], **DATA, elinewidth=0.8, zorder=3)
        for number, fit in enumerate(fits):
            _draw_fit(times, residuals, fit, curve, number)
        breaks = _draw_breaks((times, residuals), fits)
        size_axis(times, curve.bytes)
        time_axis(times, curve.median_s)
        times.set_xlabel("")
        residuals.set_xlabel("message size")
        times.set_ylabel("one-way time")
        residuals.axhline(0.0, color=QUIET, linewidth=0.6)
        residuals.set_ylabel("measured - model, of measured")
        residuals.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
        entries = [Line2D([], [], **DATA, label=statistic_of(points))]
        entries += [_entry(fit, number) for number, fit in enumerate(fits)]
        print_ = [
            medians_text(points),
            "Models: the best first, by their information criterion.",
            samples_text([(system.label, system.run)]),
        ]
        finish(times, plain(system.label, 40), [*entries, *breaks], print_)
    return figure


def _draw_fit(times: Axes, residuals: Axes, fit: Fit, curve: Curve, number: int) -> None:
    """A line for each regime, so that a jump stays one."""
    looks: Looks = {"color": colour(number), "linewidth": 1.0, "zorder": 4}
    limits = [value.value for name, value in fit.parameters.items() if name.startswith("break_")]
    ends = np.array([0.0, *(limit for limit in limits if limit), np.inf])
    for low, high in pairwise(ends):
        sizes = _sizes(curve.bytes, low, high)
        if len(sizes):
            times.plot(sizes, fit.predict(sizes), **looks)
    residuals.plot(
        curve.bytes, fit.residuals, color=colour(number), marker=mark(number + 1),
        markersize=2.4, linewidth=0.6,
    )  # fmt: skip


def _sizes(measured: Array, low: float, high: float) -> Array:
    """Where a line is drawn: between the measured sizes and the breaks."""
    first, last = max(low, measured[0]), min(high, measured[-1])
    if first >= last:
        return np.empty(0)
    dense = np.geomspace(max(first, 1.0), last, 100)
    # A size equal to a break belongs below it.
    dense[0] = np.nextafter(dense[0], np.inf) if low > 0.0 else dense[0]
    return dense if first else np.concatenate(([0.0], dense))


def _draw_breaks(every: Sequence[Axes], fits: Sequence[Fit]) -> list[Line2D]:
    """But that behind 0 bytes, which stand apart on this axis anyhow."""
    breaks = [
        value.value
        for fit in fits
        for name, value in fit.parameters.items()
        if name.startswith("break_") and value.value
    ]
    for axes in every:
        for place in breaks:
            axes.axvline(place, **BREAK, zorder=0)
    return [Line2D([], [], **BREAK, label="breakpoint")] if breaks else []


def _entry(fit: Fit, number: int) -> Line2D:
    words = f"{fit.model}: error {100.0 * fit.error_median:.2g} %, at most "
    words += f"{100.0 * fit.error_max:.2g} %"
    return Line2D([], [], color=colour(number), marker=mark(number + 1), markersize=2.4,
                  label=words)  # fmt: skip

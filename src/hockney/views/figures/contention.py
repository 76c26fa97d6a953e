"""Bandwidth of all pairs together, or their time, against how many exchange messages at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from hockney.analysis.contention import Contention, contention, knees
from hockney.errors import AskedWronglyError
from hockney.units import format_size
from hockney.views.figures import Options, System
from hockney.views.figures._style import (
    Looks,
    colour,
    finish,
    mark,
    new_figure,
    paper,
    plain,
    time_axis,
)
from hockney.views.figures._systems import samples_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CURVES = 6


def draw(systems: Sequence[System], options: Options) -> Figure:
    if len(systems) != 1:
        raise AskedWronglyError("contention is drawn from one file at a time")
    system = systems[0]
    curves = _curves(contention(system.run, system.estimates), options.bytes)
    if not curves:
        raise AskedWronglyError(
            f"{system.run.path or system.label}: no size has times of several numbers of pairs",
            "measure with hockney pairs --pairs-active 1,2,4,...,all",
        )
    with paper():
        figure, (times, together) = new_figure(2)
        for number, curve in enumerate(curves.values()):
            _draw_curve(times, together, curve, number)
        every = [one for curve in curves.values() for one in curve]
        ends = [point.typical_s for one in every for point in (one.best, one.worst)]
        time_axis(times, ends)
        times.set_ylabel("time of a message")
        together.set_yscale("log")
        together.set_ylabel("all pairs together, GiB/s")
        together.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g}"))
        for axes in (times, together):
            _pairs_axis(axes, sorted({one.pairs for one in every}))
        entries = [_entry(size, number) for number, size in enumerate(curves)]
        finish(times, plain(system.label, 40), entries, _small_print(system))
    return figure


def _curves(every: Sequence[Contention], wanted: int | None) -> dict[int, list[Contention]]:
    """By bytes; of many sizes some, spread evenly."""
    curves: dict[int, list[Contention]] = {}
    operation = (every[0].together.operation, every[0].together.algorithm) if every else None
    for one in every:
        if (one.together.operation, one.together.algorithm) == operation:
            curves.setdefault(one.together.bytes, []).append(one)
    curves = {size: curve for size, curve in sorted(curves.items()) if len(curve) > 1}
    if wanted is not None:
        if wanted not in curves:
            raise AskedWronglyError(
                f"--bytes {wanted} was not measured",
                f"measured are {', '.join(map(str, curves))}",
            )
        return {wanted: curves[wanted]}
    chosen = np.unique(np.linspace(0, len(curves) - 1, MOST_CURVES).round()).astype(int).tolist()
    return {list(curves)[i]: list(curves.values())[i] for i in chosen} if curves else {}


def _draw_curve(times: Axes, together: Axes, curve: Sequence[Contention], number: int) -> None:
    """The typical pair, from the best to the worst; bandwidth of all, and where the knee is."""
    pairs = [one.pairs for one in curve]
    typical = np.array([one.typical_s for one in curve])
    best = np.array([one.best.typical_s for one in curve])
    worst = np.array([one.worst.typical_s for one in curve])
    looks: Looks = {"color": colour(number), "marker": mark(number)}
    times.errorbar(pairs, typical, [typical - best, worst - typical], elinewidth=0.8, **looks)
    rates = [one.aggregate_Bps for one in curve]
    if all(rates):
        gibibytes = [(rate or 0.0) / 2**30 for rate in rates]
        together.plot(pairs, gibibytes, **looks)
    for knee in knees(curve):
        if knee.pairs is not None:
            for axes in (times, together):
                axes.axvline(knee.pairs, color=colour(number), linestyle=":", linewidth=0.7)


def _pairs_axis(axes: Axes, counts: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(counts[0] / 1.2, counts[-1] * 1.2)
    step = -(-len(counts) // 6)
    axes.xaxis.set_major_locator(FixedLocator([float(count) for count in counts[::step]]))
    axes.xaxis.set_minor_locator(FixedLocator([float(count) for count in counts]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:g}"))
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
    axes.set_xlabel("pairs at once")


def _entry(size: int, number: int) -> Line2D:
    return Line2D([], [], color=colour(number), marker=mark(number), label=format_size(size))


def _small_print(system: System) -> list[str]:
    return [
        "Marks: the median of the pairs; bars reach from the best to the worst pair. Dotted: from "
        "where on a typical pair waits for others.",
        samples_text([(system.label, system.run)]),
    ]

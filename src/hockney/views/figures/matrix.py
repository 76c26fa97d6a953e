"""Heat map of the time between every two ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from hockney.analysis.matrix import Array, Matrix, matrix_of
from hockney.analysis.places import places_of
from hockney.errors import AskedWronglyError
from hockney.units import format_size
from hockney.views.figures import Options, System
from hockney.views.figures._style import finish, new_figure, paper, plain, time_text
from hockney.views.figures._systems import samples_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEPS = (1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
"""Named on an axis of less than a decade."""
MAP = "cividis"
"""Read alike by colour-blind readers and in grey (Nunez, Anderton & Renslow 2018)."""


def draw(systems: Sequence[System], options: Options) -> Figure:
    if len(systems) != 1:
        raise AskedWronglyError("a matrix is drawn from one file at a time")
    system = systems[0]
    matrix = matrix_of(system.run, system.estimates)
    if matrix is None:
        raise AskedWronglyError(
            f"{system.run.path or system.label}: no pairs of ranks to draw",
            "measure with hockney cores",
        )
    size = _size(matrix, options.bytes)
    seconds = matrix.seconds(size)
    with paper():
        figure, axes = new_figure()
        image = axes.imshow(
            seconds, cmap=MAP, norm=_norm(seconds), interpolation="nearest", origin="upper"
        )
        bar = figure.colorbar(image, ax=axes, shrink=0.9)
        _label(bar.ax, seconds)
        axes.grid(visible=False)
        for side in (axes.xaxis, axes.yaxis):
            side.set_major_locator(MaxNLocator(nbins=8, integer=True))
            side.set_major_formatter(FuncFormatter(lambda at, _: _rank(matrix, at)))
        axes.set_xlabel("rank")
        axes.set_ylabel("rank")
        _draw_nodes(axes, system, matrix)
        finish(axes, f"{plain(system.label, 40)}, {format_size(size)}", [], _small_print(system))
    return figure


def _size(matrix: Matrix, wanted: int | None) -> int:
    if wanted is not None and wanted not in matrix.times:
        raise AskedWronglyError(
            f"--bytes {wanted} was not measured",
            f"measured are {', '.join(map(str, matrix.times))}",
        )
    return min(matrix.times) if wanted is None else wanted


def _norm(seconds: Array) -> LogNorm:
    low, high = float(np.nanmin(seconds)), float(np.nanmax(seconds))
    return LogNorm(low, high if high > 1.05 * low else 1.05 * low)


def _label(axes: Axes, seconds: Array) -> None:
    wide = float(np.nanmax(seconds) / np.nanmin(seconds)) > 5.0
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if wide else STEPS))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: time_text(value)))
    axes.set_ylabel("one-way time")


def _rank(matrix: Matrix, at: float) -> str:
    index = round(at)
    return str(matrix.ranks[index]) if 0 <= index < len(matrix.ranks) else ""


def _draw_nodes(axes: Axes, system: System, matrix: Matrix) -> None:
    """Lines between the ranks of different nodes, where a node has several."""
    places = places_of(system.run)
    hosts = [places[rank].host if rank in places else None for rank in matrix.ranks]
    if len(set(hosts)) in (1, len(hosts)):
        return
    border = -0.5
    for _, group in groupby(hosts):
        border += len(list(group))
        axes.axhline(border, color="white", linewidth=0.6)
        axes.axvline(border, color="white", linewidth=0.6)


def _small_print(system: System) -> list[str]:
    return [
        "Medians over launches; white: not measured, and the borders of nodes.",
        samples_text([(system.label, system.run)]),
    ]

"""Mean with standard deviation as bars, minimum and maximum as outliers, by size and by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hockney.analysis.contention import OF_PAIRS
from hockney.analysis.variability import Spread, variability
from hockney.errors import AskedWronglyError
from hockney.spec.axes import key_without
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
    size_axis,
    time_axis,
)
from hockney.views.figures._systems import samples_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CROSS: Looks = {"marker": "x", "markersize": 2.4, "markeredgewidth": 0.6, "linestyle": "none"}


def draw(systems: Sequence[System], options: Options) -> Figure:
    if len(systems) != 1:
        raise AskedWronglyError("variability is drawn from one file at a time")
    system = systems[0]
    spreads = _with_most_ranks(variability(system.run, system.estimates))
    by_size = [one for one in spreads if one.rank is None]
    if not by_size:
        raise AskedWronglyError(
            f"{system.run.path or system.label}: no samples of ranks to draw",
            "measure with hockney pairs --every-iteration",
        )
    size = _size(by_size, options.bytes)
    by_rank = [one for one in spreads if one.rank is not None and one.point.bytes == size]
    with paper():
        figure, (upper, lower) = new_figure(rows=2)
        _draw(upper, [float(one.point.bytes) for one in by_size], by_size, 0)
        time_axis(upper, _ends(by_size))
        size_axis(upper, [one.point.bytes for one in by_size])
        upper.set_ylabel("one-way time")
        _draw(lower, [float(one.rank or 0) for one in by_rank], by_rank, 1)
        time_axis(lower, _ends(by_rank))
        lower.set_ylabel("one-way time")
        lower.set_xlabel(f"rank, at {format_size(size)}")
        lower.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        finish(upper, plain(system.label), _entries(), _small_print(system))
    return figure


def _with_most_ranks(spreads: Sequence[Spread]) -> list[Spread]:
    """Of the first operation, with as many ranks at once as there were."""
    if not spreads:
        return []
    most = max(one.point.known_ranks for one in spreads)
    how = key_without(spreads[0].point, "bytes", *OF_PAIRS)
    return [
        one
        for one in spreads
        if one.point.known_ranks == most and key_without(one.point, "bytes", *OF_PAIRS) == how
    ]


def _size(by_size: Sequence[Spread], wanted: int | None) -> int:
    sizes = [one.point.bytes for one in by_size]
    if wanted is not None and wanted not in sizes:
        raise AskedWronglyError(
            f"--bytes {wanted} was not measured", f"measured are {', '.join(map(str, sizes))}"
        )
    return sizes[0] if wanted is None else wanted


def _ends(spreads: Sequence[Spread]) -> list[float]:
    ends = [one.min_s for one in spreads] + [one.max_s for one in spreads]
    return [*ends, *(one.mean_s for one in spreads)]


def _draw(axes: Axes, at: Sequence[float], spreads: Sequence[Spread], number: int) -> None:
    means = np.array([one.mean_s for one in spreads])
    deviations = np.array([one.std_s or 0.0 for one in spreads])
    for ends in ([one.min_s for one in spreads], [one.max_s for one in spreads]):
        axes.plot(at, ends, color=colour(number), **CROSS)
    axes.errorbar(
        at, means, deviations, fmt=mark(number), color=colour(number), elinewidth=0.8, zorder=3
    )


def _entries() -> list[Line2D]:
    return [
        Line2D([], [], color=colour(0), marker=mark(0), linestyle="none",
               label="mean and standard deviation of all ranks, by size"),
        Line2D([], [], color=colour(1), marker=mark(1), linestyle="none", label="of each rank"),
        Line2D([], [], color=colour(0), **CROSS, label="minimum and maximum"),
    ]  # fmt: skip


def _small_print(system: System) -> list[str]:
    return [
        "Over all repetitions of all launches; a bar without a lower end reaches below 0 s.",
        samples_text([(system.label, system.run)]),
    ]

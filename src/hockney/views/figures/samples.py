"""The samples of one size: over time, launch by launch, and their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hockney.errors import AskedWronglyError
from hockney.units import format_size
from hockney.views.figures import Options, System
from hockney.views.figures._style import colour, footnote, new_figure, paper, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREY = "#999999"
"""Of rounds in which the machine's state changed."""


def draw(systems: Sequence[System], options: Options) -> Figure:
    if len(systems) != 1:
        raise AskedWronglyError("samples are drawn from one file at a time")
    run, states = systems[0].run, systems[0].estimates.states
    size = _size(systems[0], options.bytes)
    visits = [
        samples
        for samples in run.samples
        if samples.bytes == size and samples.operation == run.header.experiment and samples.ns
    ]
    with paper():
        figure, (over_time, distribution) = new_figure(
            1, 2, height=3.4, width_ratios=(3, 1), sharey=True
        )
        offset = 0
        borders = []
        by_state: dict[int | None, list[tuple[int, float]]] = {}
        launch = None
        for visit in visits:
            if visit.launch != launch:
                borders.append(offset)
                launch = visit.launch
            state = states.of(visit.launch, visit.round)
            rows = by_state.setdefault(state, [])
            rows += [(offset + i, ns * 1e-3) for i, ns in enumerate(visit.ns) if ns > 0.0]
            offset += len(visit.ns)
        for first, last in zip(borders[1::2], [*borders[2::2], offset], strict=False):
            over_time.axvspan(first, last, color="#f2f2f2", zorder=0)
        for state, rows in sorted(by_state.items(), key=lambda item: (item[0] is None, item[0])):
            shade = GREY if state is None else colour(state)
            label = "state changed" if state is None else f"state {state}"
            over_time.plot(
                *zip(*rows, strict=True),
                ".",
                markersize=2,
                color=shade,
                label=label,
                rasterized=True,
            )
            values = np.array([us for _, us in rows])
            edges = np.geomspace(values.min(), values.max() * 1.0001, 60)
            distribution.hist(values, bins=edges, orientation="horizontal", color=shade, alpha=0.7)
        over_time.set_yscale("log")
        over_time.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        over_time.yaxis.set_minor_formatter(lambda value, _: f"{value:g}")
        over_time.set_ylabel("one-way time, us")
        over_time.set_xlabel("sample, in the order measured; launches shaded in turn")
        distribution.set_xlabel("samples")
        distribution.set_xscale("log")
        if len(by_state) > 1:
            over_time.legend(markerscale=4)
        over_time.set_title(f"{plain(systems[0].label)}, {format_size(size)}", loc="left")
        footnote(figure, [run])
    return figure


def _size(system: System, wanted: int | None) -> int:
    """The asked size, or the smallest."""
    experiment = system.run.header.experiment
    sizes = sorted({s.bytes for s in system.run.samples if s.operation == experiment})
    if not sizes:
        raise AskedWronglyError(f"{system.run.path} holds no samples, only summaries or nothing")
    if wanted is None:
        return sizes[0]
    if wanted not in sizes:
        listed = ", ".join(str(size) for size in sizes[:12]) + (" ..." if len(sizes) > 12 else "")
        raise AskedWronglyError(f"--bytes {wanted} was not measured", f"measured are {listed}")
    return wanted

"""The samples of one size: over time, launch by launch, and their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from hockney.errors import AskedWronglyError
from hockney.estimate.points import BESIDE
from hockney.units import format_size
from hockney.views.figures import Options, System
from hockney.views.figures._style import (
    MARKS,
    QUIET,
    Looks,
    colour,
    finish,
    mark,
    new_figure,
    paper,
    plain,
    time_axis,
    time_text,
)
from hockney.views.figures._systems import samples_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 60


class Sample(NamedTuple):
    launch: int
    state: int | None
    """None where it changed in the sample's round."""
    seconds: float


def draw(systems: Sequence[System], options: Options) -> Figure:
    if len(systems) != 1:
        raise AskedWronglyError("samples are drawn from one file at a time")
    system = systems[0]
    size = _size(system, options.bytes)
    samples = _samples(system, size)
    above = [sample.seconds for sample in samples if sample.seconds > 0.0]
    if not above:
        raise AskedWronglyError(
            f"every sample of {size} bytes took 0 s: nothing can be drawn",
            "the clock was too coarse for a single exchange; measure in batches",
        )
    present = {sample.state for sample in samples if sample.seconds > 0.0}
    shown = sorted(present, key=lambda state: (state is None, state))
    with paper():
        figure, (over_time, distribution) = new_figure(2, width_ratios=(3, 1), sharey=True)
        _shade_launches(over_time, samples)
        for state in shown:
            _draw_state(over_time, distribution, samples, state)
        time_axis(over_time, above)
        over_time.set_ylabel("one-way time")
        over_time.set_xlabel("sample, as measured")
        over_time.set_xlim(0, len(samples))
        over_time.grid(visible=False, axis="x")
        distribution.set_xlabel("samples")
        title = f"{plain(system.label, 40)}, {format_size(size)}"
        entries = [_entry(system, state) for state in shown]
        finish(over_time, title, entries, _small_print(system, samples))
    return figure


def _size(system: System, wanted: int | None) -> int:
    sizes = sorted({s.bytes for s in system.run.samples if s.operation not in BESIDE and s.ns})
    if not sizes:
        raise AskedWronglyError(
            f"{system.run.path or system.label}: no samples to draw",
            "the run was cut short, or only its statistics are known",
        )
    if wanted is None:
        return sizes[0]
    if wanted not in sizes:
        raise AskedWronglyError(
            f"--bytes {wanted} was not measured", f"measured are {', '.join(map(str, sizes))}"
        )
    return wanted


def _samples(system: System, size: int) -> list[Sample]:
    """In order of launch and round."""
    run, states = system.run, system.estimates.states
    visits = [
        visit for visit in run.samples if visit.bytes == size and visit.operation not in BESIDE
    ]
    return [
        Sample(visit.launch, states.of(visit.launch, visit.round), ns * 1e-9)
        for visit in sorted(visits, key=lambda visit: (visit.launch, visit.round))
        for ns in visit.ns
    ]


def _shade_launches(axes: Axes, samples: Sequence[Sample]) -> None:
    first = 0
    for number, (_, launch) in enumerate(groupby(samples, key=lambda sample: sample.launch)):
        last = first + len(list(launch))
        if number % 2:
            axes.axvspan(first, last, color="#eeeeee", linewidth=0.0, zorder=0)
        first = last


def _looks(state: int | None) -> Looks:
    if state is None:
        return {"color": QUIET, "marker": MARKS[-1], "linestyle": "none"}
    return {"color": colour(state), "marker": mark(state), "linestyle": "none"}


def _draw_state(
    over_time: Axes, distribution: Axes, samples: Sequence[Sample], state: int | None
) -> None:
    """Its samples, and how they are distributed in bins that all states share."""
    numbered = [(i, s.seconds) for i, s in enumerate(samples) if s.state == state and s.seconds > 0]
    order, seconds = zip(*numbered, strict=True)
    over_time.plot(
        np.array(order) + 0.5, seconds, **_looks(state), markersize=1.4, markeredgewidth=0.0,
        rasterized=True,
    )  # fmt: skip
    every = [sample.seconds for sample in samples if sample.seconds > 0.0]
    edges = np.geomspace(0.98 * min(every), 1.02 * max(every), BINS + 1).tolist()
    distribution.hist(
        seconds, edges, orientation="horizontal", color=_looks(state)["color"], alpha=0.6, log=True
    )
    distribution.set_xlim(left=0.7)
    distribution.xaxis.set_major_locator(LogLocator(numticks=3))
    distribution.xaxis.set_minor_locator(NullLocator())
    distribution.xaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:.0f}"))


def _entry(system: System, state: int | None) -> Line2D:
    states = system.estimates.states.states
    words = "the state changed in its round"
    if state is not None:
        handover_s = states[state].handover_s
        words = f"state {state}" + (f", hand-over {time_text(handover_s)}" if handover_s else "")
        words = words if len(states) > 1 else "a sample"
    return Line2D([], [], **_looks(state), label=words)


def _small_print(system: System, samples: Sequence[Sample]) -> list[str]:
    launches = len({sample.launch for sample in samples})
    zeros = sum(1 for sample in samples if sample.seconds <= 0.0)
    return [
        f"{len(samples)} samples in order of launch and round; "
        f"{launches} launch{'es' * (launches > 1)}, shaded in turn.",
        *([f"{zeros} of 0 s or below have no place on this axis."] if zeros else []),
        samples_text([(system.label, system.run)]),
    ]

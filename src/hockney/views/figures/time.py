"""One-way time against size, with intervals, the fitted line and, where measured, the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from hockney.analysis.floor import floor_ratios
from hockney.errors import AskedWronglyError
from hockney.estimate.points import PointEstimate, statistic_of
from hockney.fitting.fit import Array, Fit
from hockney.views.figures import Options, System
from hockney.views.figures._style import (
    FILLS,
    QUIET,
    Looks,
    colour,
    finish,
    mark,
    new_figure,
    paper,
    size_axis,
    time_axis,
    time_text,
)
from hockney.views.figures._systems import (
    all_points_of,
    entry_text,
    headline_of,
    line_of,
    line_text,
    medians_text,
    points_of,
    samples_text,
    time_text_of,
    title_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIT: Looks = {"alpha": 0.6}
PALE: Looks = {"alpha": 0.45, "linewidth": 0.6, "markeredgewidth": 0.6}
CROSS: Looks = {"marker": "x", "markersize": 2.4, "markeredgewidth": 0.6, "linestyle": "none"}
FLOORS: tuple[tuple[str, Looks, str], ...] = (
    ("floor_s", {"linestyle": "--"}, "floor: hand-over, above 0 B with a warm copy"),
    ("cold_s", {"linestyle": ":"}, "the copy with nothing in a cache"),
)


def draw(systems: Sequence[System], options: Options) -> Figure:
    headlines = [headline_of(system) for system in systems]
    if options.extremes:
        for system, points in zip(systems, headlines, strict=True):
            _require_extremes(system, points)
    entries: list[Line2D] = []
    seen_s: list[float] = []
    with paper():
        figure, axes = new_figure()
        for number, (system, points) in enumerate(zip(systems, headlines, strict=True)):
            line = line_of(system) if options.fit else None
            if line:
                _draw_fit(axes, line, points, number)
            seen_s += _draw_points(axes, points, number, options)
            entries += _entries(systems, number, line, options)
            entries += _draw_other_states(axes, systems, number)
        entries += _draw_floors(axes, systems)
        every = [point for system in systems for point in all_points_of(system)]
        floors = [f for system in systems for f in floor_ratios(system.estimates).values()]
        seen_s += [point.typical_s for point in every]
        seen_s += [time for floor in floors for time in (floor.floor_s, floor.cold_s) if time]
        time_axis(axes, seen_s)
        size_axis(axes, [point.bytes for point in every])
        axes.set_ylabel(time_text_of(systems))
        finish(axes, title_of(systems), entries, _small_print(systems, headlines, options))
    return figure


def _require_extremes(system: System, points: Sequence[PointEstimate]) -> None:
    if any(None in (point.mean_s, point.min_s, point.max_s) for point in points):
        raise AskedWronglyError(
            f"--extremes: {system.run.path or system.label} does not tell means, minima and maxima",
            "only some statistics of an imported run are known",
        )


def _draw_fit(axes: Axes, line: Fit, points: Sequence[PointEstimate], number: int) -> None:
    first, last = float(points[0].bytes), float(points[-1].bytes)
    sizes = np.geomspace(max(first, 1.0), max(last, 1.0), 200)
    sizes = sizes if first else np.concatenate([[0.0], sizes])
    axes.plot(sizes, line.predict(sizes), color=colour(number), **FIT)


def _draw_points(
    axes: Axes, points: Sequence[PointEstimate], number: int, options: Options
) -> list[float]:
    """Gives back the times that must be seen."""
    sizes = [float(point.bytes) for point in points]
    centres = np.array([point.typical_s for point in points])
    low, high = _known(points, "low_s", centres), _known(points, "high_s", centres)
    seen = [low, high]
    if options.extremes:
        centres = _known(points, "mean_s", centres)
        deviation = _known(points, "std_s", np.zeros(len(points)))
        low, high = centres - deviation, centres + deviation
        least, most = np.array([(point.min_s, point.max_s) for point in points]).T
        for ends in (least, most):
            axes.plot(sizes, ends, color=colour(number), **CROSS)
        # A deviation may reach below 0 s, which is nowhere on the axis: low need not be seen.
        seen = [least, most, high]
    axes.errorbar(
        sizes,
        centres,
        [centres - low, high - centres],
        fmt=mark(number),
        color=colour(number),
        elinewidth=0.8,
        zorder=3,
    )
    return [float(time) for times in seen for time in times]


def _known(points: Sequence[PointEstimate], name: str, otherwise: Array) -> Array:
    """That field of the points; the other number where it is not known."""
    values = np.array([getattr(point, name) for point in points], dtype=np.float64)
    return np.where(np.isnan(values), otherwise, values)


def _entries(
    systems: Sequence[System], number: int, line: Fit | None, options: Options
) -> list[Line2D]:
    """For the legend: one system among others has one for its marks and line, alone one each."""
    marks: Looks = {"color": colour(number), "marker": mark(number)}
    words = line_text(line) if line else ""
    if len(systems) > 1:
        label = entry_text(systems[number].label, words)
        return [Line2D([], [], **marks, linestyle="-" if line else "none", label=label)]
    entries = [Line2D([], [], **marks, linestyle="none", label=_mark_text(systems[0], options))]
    if options.extremes:
        entries.append(Line2D([], [], color=colour(0), **CROSS, label="minimum and maximum"))
    if line:
        entries.append(Line2D([], [], color=colour(0), **FIT, label=f"Hockney's line: {words}"))
    return entries


def _mark_text(system: System, options: Options) -> str:
    states = system.estimates.states.states
    what = "mean and standard deviation" if options.extremes else statistic_of(headline_of(system))
    if len(states) > 1 and states[0].handover_s is not None:
        return f"{what}, hand-over {time_text(states[0].handover_s)}"
    return what


def _draw_other_states(axes: Axes, systems: Sequence[System], number: int) -> list[Line2D]:
    """Paler; each with its entry for the legend."""
    system = systems[number]
    entries: list[Line2D] = []
    for state in system.estimates.states.states[1:]:
        points = points_of(system, state.id)
        if not points:
            continue
        known = state.handover_s is not None
        words = f"hand-over {time_text(state.handover_s)}" if known else f"state {state.id}"
        entries += axes.plot(
            [float(point.bytes) for point in points],
            [point.typical_s for point in points],
            color=colour(number),
            marker=mark(number),
            fillstyle=FILLS[state.id % len(FILLS)],
            label=entry_text(
                system.label if len(systems) > 1 else statistic_of(points), words, ", "
            ),
            **PALE,
        )
    return entries


def _draw_floors(axes: Axes, systems: Sequence[System]) -> list[Line2D]:
    """What the hardware allows, under each curve in its colour; an entry for each kind of line."""
    entries = []
    for name, dashes, label in FLOORS:
        shown = 0
        for number, system in enumerate(systems):
            floors = sorted(floor_ratios(system.estimates).items())
            at = [(float(size), getattr(floor, name)) for size, floor in floors]
            sizes, times = [size for size, time in at if time], [time for _, time in at if time]
            axes.plot(sizes, times, color=colour(number), linewidth=0.9, **dashes)
            shown += len(times)
        if shown:
            shade = colour(0) if len(systems) == 1 else QUIET
            entries.append(Line2D([], [], color=shade, linewidth=0.9, label=label, **dashes))
    return entries


def _small_print(
    systems: Sequence[System], headlines: Sequence[Sequence[PointEstimate]], options: Options
) -> list[str]:
    what = medians_text([point for points in headlines for point in points])
    if options.extremes:
        what = (
            "Marks are means over all samples, bars their standard deviation; a bar without a "
            "lower end reaches below 0 s. Crosses are the minimum and the maximum."
        )
        if options.fit:
            what += " Lines are through the medians."
    return [what, samples_text([(system.label, system.run) for system in systems])]

"""The samples at one size: in the order in which they were measured, and their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.errors import UsageError
from hockney.base.units import format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.samples import (
    SampleGroup,
    distribution,
    groups_of,
    sampled,
    sampled_sizes,
)
from hockney.show.curves.curves import Options, chosen_value, lacking, samples_text, title_of
from hockney.show.drawing import time_text
from hockney.show.drawing.description import TIMES, Band, Figure, Panel, PlotAxis, Series
from hockney.show.figures.time import rounded

TAKES = ("bytes", "operation", "ranks")
SHARED = True
CHOICE = "bytes"
MOST_GROUPS = 7
"""Most groups that are shown, the fastest, one per colour."""
CHANGED = "the state changed in its round"


@dataclass(frozen=True)
class _Labelled:
    label: str
    group: SampleGroup
    colour: int | None
    """Number of the group's colour; None for grey."""


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    size = _size(analyses, options)
    every = _labelled(analyses, size, options)
    groups = [(label, group) for label, group in every if group.zeros < len(group.seconds)]
    if not groups:
        raise UsageError(
            f"every sample of {size} bytes took 0 s: nothing can be drawn",
            "the clock was too coarse for a single exchange; measure in batches",
        )
    shown = [
        _Labelled(label, group, None if label == CHANGED else number)
        for number, (label, group) in enumerate(groups[:MOST_GROUPS])
    ]
    zeros = sum(group.zeros for _, group in every)
    caption = _caption(shown, len(groups), zeros, options)
    return Figure(
        "samples",
        f"{title_of(analyses)}, {format_size(size)}",
        (_in_order(shown, options.most_samples), _distribution(shown)),
        (*caption, samples_text(analyses)),
    )


def _size(analyses: Sequence[Analysis], options: Options) -> int:
    sizes = {size for a in analyses for size in sampled_sizes(a.run, options.operation)}
    if not sizes:
        advice = "the run was cut short, or only its statistics are known"
        raise lacking(analyses[0], "no samples to draw", advice)
    return chosen_value(options.bytes, sizes, "--bytes", min(sizes))


def _labelled(
    analyses: Sequence[Analysis], size: int, options: Options
) -> list[tuple[str, SampleGroup]]:
    """Groups with their labels; a run's only group is divided by the states of the machine."""
    labelled = []
    for analysis in analyses:
        visits = sampled(analysis.run, options.operation, options.ranks, size)
        groups = groups_of(visits, analysis.texts_apart)
        if len(analyses) > 1:
            labelled += [(", ".join(filter(None, (analysis.label, g.name))), g) for g in groups]
        elif len(groups) == 1:
            by_state = groups[0].by_state(analysis.states)
            labelled += [(_state_text(analysis, state), group) for state, group in by_state]
        else:
            labelled += [(group.name, group) for group in groups]
    return labelled


def _state_text(analysis: Analysis, state: int | None) -> str:
    if state is None:
        return CHANGED
    states = analysis.states.states
    if len(states) == 1:
        return "samples"
    latency = states[state].handover_s
    return f"state {state}" + (f", core-to-core latency {time_text(latency)}" if latency else "")


def _in_order(shown: Sequence[_Labelled], most: int | None) -> Panel:
    """The panel of samples in order; x: the number of the launch, and how far into it."""
    launches = sorted({launch for labelled in shown for launch in labelled.group.launches})
    places = {launch: number for number, launch in enumerate(launches)}
    bands = tuple(Band(at - 0.5, at + 0.5) for at in range(1, len(launches), 2))
    series = tuple(_marks(labelled, places, most) for labelled in shown)
    x = PlotAxis("count", "launch, samples in the order measured")
    return Panel(x, TIMES, series, bands=bands)


def _marks(labelled: _Labelled, places: dict[int, int], most: int | None) -> Series:
    """Medians of successive samples, with their range where samples were merged."""
    parts = list(labelled.group.merged(most))
    is_merged = len(parts) < len(labelled.group.seconds)
    return Series(
        labelled.label,
        rounded([places[part.launch] - 0.5 + part.at for part in parts]),
        rounded([part.median_s for part in parts]),
        rounded([part.min_s for part in parts]) if is_merged else None,
        rounded([part.max_s for part in parts]) if is_merged else None,
        "dots",
        labelled.colour,
    )


def _distribution(shown: Sequence[_Labelled]) -> Panel:
    edges, fractions = distribution([labelled.group for labelled in shown])
    x = rounded(edges)
    series = tuple(
        Series(labelled.label, x, [*rounded(of_it), 0.0], style="steps", colour=labelled.colour)
        for labelled, of_it in zip(shown, fractions, strict=True)
    )
    y = PlotAxis("fraction", "fraction of samples", from_zero=True)
    return Panel(TIMES, y, series)


def _caption(
    shown: Sequence[_Labelled], groups: int, zeros: int, options: Options
) -> tuple[str, ...]:
    samples = sum(len(labelled.group.seconds) for labelled in shown)
    launches = len({launch for labelled in shown for launch in labelled.group.launches})
    most = options.most_samples
    words = [
        f"{how_many(samples, 'sample')} of {how_many(launches, 'launch')}, shaded in turn; below, "
        "their distribution (the outermost bins hold all beyond)."
    ]
    if most is not None and any(len(labelled.group.seconds) > most for labelled in shown):
        words.append(
            f"More than {most} samples are merged: a mark is the median of successive samples, its "
            "bar their range."
        )
    if len(shown) < groups:
        words.append(f"The {len(shown)} fastest of {groups} are shown.")
    if zeros:
        words.append(
            f"Left out: {how_many(zeros, 'sample')} of 0 s or below, without a place on this axis."
        )
    return tuple(words)

"""The samples at one size: in the order in which they were measured, and their distribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hockney.analysis import Analysis
from hockney.errors import AskedWronglyError
from hockney.estimate.points import AUXILIARY
from hockney.records import Samples
from hockney.spec.axes import grouped, texts_apart
from hockney.units import format_size
from hockney.views.curves import Options, chosen_value, samples_text, title_of
from hockney.views.drawing import time_text
from hockney.views.drawing.description import Axis, Band, Figure, Panel, Series
from hockney.views.figures.time import rounded

TAKES = ("bytes", "operation", "ranks")
SHARED = True
CHOICE = "bytes"
LEAST_BINS, MOST_BINS = 12, 60
TAIL = 0.002
"""Fraction of the samples at each end that the outermost bins count: one outlier would leave all
others in a single bin."""
MOST_GROUPS = 7
"""Groups that are shown, one per colour: the fastest."""

Array = NDArray[np.float64]


@dataclass
class _Group:
    """Samples that are alike, in the order in which they were measured."""

    system: str
    label: str
    visits: list[Samples]
    is_grey: bool = False

    @cached_property
    def launches(self) -> dict[int, Array]:
        """Seconds of each launch."""
        found: dict[int, list[float]] = {}
        for visit in self.visits:
            found.setdefault(visit.launch, []).extend(visit.ns)
        return {launch: 1e-9 * np.array(ns) for launch, ns in found.items()}

    @cached_property
    def seconds(self) -> Array:
        return np.concatenate(list(self.launches.values()))


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    size = _size(analyses, options)
    every = [one for analysis in analyses for one in _groups(analysis, size, options)]
    if len(analyses) == 1:
        every = _by_state(analyses[0], every[0]) if len(every) == 1 else every
    else:
        every = [replace(g, label=", ".join(filter(None, (g.system, g.label)))) for g in every]
    zeros = sum(int((group.seconds <= 0.0).sum()) for group in every)
    groups = [group for group in every if (group.seconds > 0.0).any()]
    if not groups:
        raise AskedWronglyError(
            f"every sample of {size} bytes took 0 s: nothing can be drawn",
            "the clock was too coarse for a single exchange; measure in batches",
        )
    shown = groups[:MOST_GROUPS]
    caption = _caption(shown, len(groups), zeros, options)
    return Figure(
        "samples",
        f"{title_of(analyses)}, {format_size(size)}",
        (_in_order(shown, options.most_samples), _distribution(shown)),
        (*caption, samples_text(analyses)),
    )


def _size(analyses: Sequence[Analysis], options: Options) -> int:
    sizes = {
        samples.bytes
        for analysis in analyses
        for samples in analysis.run.samples
        if samples.operation not in AUXILIARY
        and samples.ns
        and options.operation in (None, samples.operation)
    }
    if not sizes:
        raise AskedWronglyError(
            f"{analyses[0].run.path or analyses[0].label}: no samples to draw",
            "the run was cut short, or only its statistics are known",
        )
    return chosen_value(options.bytes, sizes, "--bytes", min(sizes))


def _groups(analysis: Analysis, size: int, options: Options) -> list[_Group]:
    """A group for each algorithm and the like, the fastest first."""
    chosen = [
        visit
        for visit in sorted(analysis.run.samples, key=lambda visit: (visit.launch, visit.round))
        if visit.bytes == size
        and visit.operation not in AUXILIARY
        and visit.ns
        and options.operation in (None, visit.operation)
        and options.ranks in (None, visit.ranks)
    ]
    found = grouped(chosen, "peers")
    groups = [
        _Group(analysis.label, name, visits)
        for name, visits in zip(texts_apart(found.values()), found.values(), strict=True)
    ]
    return sorted(groups, key=lambda group: float(np.median(group.seconds)))


def _by_state(analysis: Analysis, group: _Group) -> list[_Group]:
    """The visits of each state of the machine, then those without a state."""
    found: dict[int | None, list[Samples]] = {}
    for visit in group.visits:
        found.setdefault(analysis.states.of(visit.launch, visit.round), []).append(visit)
    states = sorted(found, key=lambda state: (state is None, state))
    return [
        _Group(analysis.label, _state_text(analysis, state), found[state], state is None)
        for state in states
    ]


def _state_text(analysis: Analysis, state: int | None) -> str:
    if state is None:
        return "the state changed in its round"
    states = analysis.states.states
    if len(states) == 1:
        return "samples"
    latency = states[state].handover_s
    return f"state {state}" + (f", core-to-core latency {time_text(latency)}" if latency else "")


def _in_order(groups: Sequence[_Group], most: int | None) -> Panel:
    """x: the number of the launch, and how far into it."""
    launches = sorted({launch for group in groups for launch in group.launches})
    places = {launch: number for number, launch in enumerate(launches)}
    bands = tuple(Band(at - 0.5, at + 0.5) for at in range(1, len(launches), 2))
    series = tuple(_marks(group, i, places, most) for i, group in enumerate(groups))
    x = Axis("count", "launch, samples in the order measured")
    return Panel(x, Axis("time", "time", logarithmic=True), series, bands=bands)


def _marks(group: _Group, number: int, places: dict[int, int], most: int | None) -> Series:
    """Merges more than `most` samples: medians of successive ones with their range."""
    each = None if most is None else max(most // len(group.launches), 1)
    buckets = [
        (places[launch] - 0.5 + at, bucket)
        for launch, samples in sorted(group.launches.items())
        for at, bucket in _buckets(samples, each)
    ]
    x = rounded([at for at, _ in buckets])
    y, low, high = (
        rounded([float(of(bucket)) for _, bucket in buckets]) for of in (np.median, np.min, np.max)
    )
    merged = len(buckets) < len(group.seconds)
    return Series(
        group.label,
        x,
        y,
        low if merged else None,
        high if merged else None,
        "dots",
        None if group.is_grey else number,
    )


def _buckets(samples: Array, most: int | None) -> Iterator[tuple[float, Array]]:
    count = min(len(samples), most or len(samples))
    for number, bucket in enumerate(np.array_split(samples, count)):
        yield (number + 0.5) / count, bucket


def _distribution(groups: Sequence[_Group]) -> Panel:
    every = np.concatenate([group.seconds for group in groups])
    low, high = np.quantile(every[every > 0.0], (TAIL, 1.0 - TAIL))
    bins = int(np.clip(2.0 * np.sqrt(len(every)), LEAST_BINS, MOST_BINS))
    edges = np.geomspace(0.99 * low, 1.01 * high, bins + 1)
    series = []
    for number, group in enumerate(groups):
        counts = np.histogram(np.clip(group.seconds, edges[0], edges[-1]), edges)[0]
        fractions = rounded((counts / len(group.seconds)).tolist())
        series.append(
            Series(
                group.label,
                rounded(edges.tolist()),
                [*fractions, 0.0],
                style="steps",
                colour=None if group.is_grey else number,
            )
        )
    x = Axis("time", "time", logarithmic=True)
    return Panel(x, Axis("fraction", "fraction of samples", from_zero=True), tuple(series))


def _caption(shown: Sequence[_Group], groups: int, zeros: int, options: Options) -> tuple[str, ...]:
    samples = sum(len(group.seconds) for group in shown)
    launches = len({launch for group in shown for launch in group.launches})
    most = options.most_samples
    words = [
        f"{samples} samples of {launches} launch{'es' * (launches > 1)}, shaded in turn; below, "
        "their distribution (the outermost bins hold all beyond)."
    ]
    if most is not None and any(len(group.seconds) > most for group in shown):
        words.append(
            f"More than {most} samples are merged: a mark is the median of successive samples, its "
            "bar their range."
        )
    if len(shown) < groups:
        words.append(f"The {len(shown)} fastest of {groups} are shown.")
    if zeros:
        words.append(f"{zeros} samples of 0 s or below have no place on this axis.")
    return tuple(words)

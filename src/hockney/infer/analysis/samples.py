"""Samples of one size in groups of like ones, in the order measured, and their distribution."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockney.base.grouping import by_key
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import AUXILIARY
from hockney.infer.estimate.states import States
from hockney.plan.axes import grouped, texts_apart
from hockney.records import Run, Samples

LEAST_BINS, MOST_BINS = 12, 60
TAIL = 0.002
"""Fraction of the samples at each end that go into the outermost bins: one outlier would leave all
others in a single bin."""

Texts = Callable[[Collection[Sequence[Samples]]], list[str]]


@dataclass(frozen=True)
class Merged:
    """Successive samples of one launch: their median and range."""

    launch: int
    at: float
    """Position in the launch, from 0 to 1."""
    median_s: float
    min_s: float
    max_s: float


@dataclass
class SampleGroup:
    """Samples with the same axes, in the order in which they were measured."""

    name: str
    """The axes in which it differs from the run's other groups, in words."""
    visits: list[Samples]

    @cached_property
    def launches(self) -> dict[int, Array]:
        """Seconds of the samples, by launch."""
        by_launch: dict[int, list[float]] = {}
        for visit in self.visits:
            by_launch.setdefault(visit.launch, []).extend(visit.ns)
        return {launch: 1e-9 * np.array(ns) for launch, ns in sorted(by_launch.items())}

    @cached_property
    def seconds(self) -> Array:
        return np.concatenate(list(self.launches.values()))

    @property
    def zeros(self) -> int:
        """Samples of 0 s or below."""
        return int((self.seconds <= 0.0).sum())

    def merged(self, most: int | None) -> Iterator[Merged]:
        """Every sample; if there are more than `most`, about as many groups of successive ones."""
        each = None if most is None else max(most // len(self.launches), 1)
        for launch, samples in self.launches.items():
            count = min(len(samples), each or len(samples))
            for number, part in enumerate(np.array_split(samples, count)):
                ends = float(part.min()), float(part.max())
                yield Merged(launch, (number + 0.5) / count, float(np.median(part)), *ends)

    def by_state(self, states: States) -> list[tuple[int | None, SampleGroup]]:
        """The visits of each state of the machine, then those without a state."""
        by_state = by_key(self.visits, lambda visit: states.of(visit.launch, visit.round))
        order = sorted(by_state, key=lambda state: (state is None, state))
        return [(state, SampleGroup(self.name, by_state[state])) for state in order]


def sampled(
    run: Run, operation: str | None, ranks: int | None = None, size: int | None = None
) -> list[Samples]:
    """Visits of the experiment's own operations; None chooses nothing."""
    visits = run.samples.at(
        lambda point: (
            point.operation not in AUXILIARY
            and operation in (None, point.operation)
            and ranks in (None, point.ranks)
            and size in (None, point.bytes)
        )
    )
    return [visit for visit in visits if visit.ns]


def sampled_sizes(run: Run, operation: str | None) -> set[int]:
    """The sizes of the visits of sampled(), in bytes."""
    codes = run.samples.codes[run.samples.counts() > 0]
    points = [run.samples.visited[code] for code in np.unique(codes).tolist()]
    own = (point for point in points if point.operation not in AUXILIARY)
    return {point.bytes for point in own if operation in (None, point.operation)}


def groups_of(visits: Sequence[Samples], texts: Texts = texts_apart) -> list[SampleGroup]:
    """A group for each algorithm and the like, the fastest first. texts: their names."""
    by_axes = grouped(
        sorted(visits, key=lambda visit: (visit.launch, visit.round)), "peers", "level"
    )
    groups = map(SampleGroup, texts(by_axes.values()), by_axes.values())
    return sorted(groups, key=lambda group: float(np.median(group.seconds)))


def distribution(groups: Sequence[SampleGroup]) -> tuple[list[float], list[list[float]]]:
    """The edges of bins in seconds, and the fraction of each group's samples in each; the outermost
    bins hold all beyond."""
    every = np.concatenate([group.seconds for group in groups])
    low, high = np.quantile(every[every > 0.0], (TAIL, 1.0 - TAIL))
    bins = int(np.clip(2.0 * np.sqrt(len(every)), LEAST_BINS, MOST_BINS))
    edges = np.geomspace(0.99 * low, 1.01 * high, bins + 1)
    fractions = []
    for group in groups:
        counts = np.histogram(np.clip(group.seconds, edges[0], edges[-1]), edges)[0]
        fractions.append((counts / len(group.seconds)).tolist())
    return edges.tolist(), fractions

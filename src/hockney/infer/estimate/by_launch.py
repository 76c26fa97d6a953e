"""What is known of each launch of a point: its samples in a few numbers, for all launches at once.

Launches with the same number of samples are the rows of one matrix, so that a file of a hundred
thousand launches is reduced by numpy alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.quantiles import effective_sizes
from hockney.infer.estimate.sketch import samples_needed
from hockney.records.visits import Visits

QUANTILES = (0.05, 0.25, 0.75, 0.95, 0.99)
NEEDED = np.array([samples_needed(quantile) for quantile in QUANTILES])
"""Samples that each of QUANTILES needs."""
MOST_AT_ONCE = 1 << 20
"""Samples in one matrix, unless a launch has more."""


@dataclass(frozen=True)
class Launches:
    """A row for each launch, in the order in which they were measured; times in seconds."""

    numbers: Whole
    counts: Whole
    medians: Array
    quantiles: Array
    """Shape (launches, len(QUANTILES)); NaN where a launch has too few samples for one."""
    means: Array
    variances: Array
    """Mean squares of the deviations from the launch's own mean."""
    lowest: Array
    highest: Array
    effective_sizes: Array

    def __len__(self) -> int:
        return len(self.numbers)

    def where(self, kept: Flags) -> Launches:
        """The launches of these rows."""
        return Launches(**{field.name: getattr(self, field.name)[kept] for field in fields(self)})


def launches_of(numbers: Whole, counts: Whole, seconds: Array) -> Launches:
    """numbers, counts: the number of each launch and of its samples, at least one; seconds: all
    samples, launch after launch."""
    launches = Launches(
        numbers,
        counts,
        *(np.empty(shape) for shape in [(len(counts),), (len(counts), len(QUANTILES))]),
        *(np.empty(len(counts)) for _ in range(5)),
    )
    for rows, samples in _matrices(counts, seconds):
        ordered = np.sort(samples, axis=1)
        launches.medians[rows] = median_of_ordered(ordered)
        launches.quantiles[rows] = quantiles_of_ordered(ordered)
        launches.means[rows] = means = samples.mean(axis=1)
        launches.variances[rows] = ((samples - means[:, None]) ** 2).mean(axis=1)
        launches.lowest[rows], launches.highest[rows] = ordered[:, 0], ordered[:, -1]
        launches.effective_sizes[rows] = effective_sizes(samples, launches.medians[rows])
    return launches


def medians_of(counts: Whole, seconds: Array) -> Array:
    """The median of each launch, as in launches_of()."""
    medians = np.empty(len(counts))
    for rows, samples in _matrices(counts, seconds):
        medians[rows] = median_of_ordered(np.sort(samples, axis=1))
    return medians


def visit_medians_ns(visits: Visits, rows: Whole) -> Array:
    """The median of each of these visits, which ascend and have samples; a part at a time."""
    counts = visits.counts()
    edges = np.flatnonzero(np.diff(np.cumsum(counts[rows]) // MOST_AT_ONCE)) + 1
    parts = np.split(rows, edges) if len(rows) else []
    medians = [medians_of(counts[part], visits.values(part)) for part in parts]
    return np.concatenate([np.empty(0), *medians])


def _matrices(counts: Whole, seconds: Array) -> Iterator[tuple[Whole, Array]]:
    """Launches with the same number of samples, and these samples, a row for each."""
    starts = np.cumsum(counts) - counts
    order = np.argsort(counts, kind="stable")
    sizes, firsts = np.unique(counts[order], return_index=True)
    for size, alike in zip(sizes.tolist(), np.split(order, firsts[1:]), strict=True):
        step = max(MOST_AT_ONCE // size, 1)
        for first in range(0, len(alike), step):
            rows = alike[first : first + step]
            if len(rows) == 1:
                start = int(starts[rows[0]])
                yield rows, seconds[None, start : start + size]
            else:
                yield rows, seconds[starts[rows][:, None] + np.arange(size)]


def median_of_ordered(ordered: Array) -> Array:
    """The median of each ascending row."""
    half = ordered.shape[1] // 2
    middle: Array = ordered[:, (ordered.shape[1] - 1) // 2 : half + 1].mean(axis=1)
    return middle


def quantiles_of_ordered(ordered: Array) -> Array:
    """QUANTILES of each ascending row, linear between neighbours as numpy's; NaN where the row is
    too short: the largest of few values is not their 99 % quantile but far below it."""
    places = np.array(QUANTILES) * (ordered.shape[1] - 1)
    below = np.floor(places).astype(int)
    low, high = ordered[:, below], ordered[:, np.minimum(below + 1, ordered.shape[1] - 1)]
    quantiles: Array = low + (high - low) * (places - below)
    return np.where(ordered.shape[1] >= NEEDED, quantiles, np.nan)

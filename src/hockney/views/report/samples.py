"""Figures of the samples at one size: their distribution, and launch after launch. Millions of them
do not fit into a page that opens from a mail: what is drawn of them is said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hockney.spec.axes import sort_key
from hockney.units import format_size
from hockney.views.report.figure import Choice, Figure, Series, rounded
from hockney.views.report.reported import Group, Reported, group_name, group_of

BINS = 60
TAIL = 0.002
"""Of the samples at either end, counted in the outermost bins: one far outlier would leave all
others in a single bin."""
MOST_CHOICES = 48
"""Points whose samples are in the page."""
MOST_DOTS = 40_000
"""In all of the page: below 2 MB of it."""
LEAST_DOTS, MOST_DOTS_EACH = 30, 1500
"""Of one system at one size."""

Array = NDArray[np.float64]
Key = tuple[Group, int]
"""What the reader chooses: a group of points and a size in bytes."""


def figures(systems: Sequence[Reported]) -> list[Figure]:
    pooled = [_pooled(system) for system in systems]
    keys = sorted({key for cells in pooled for key in cells}, key=_order)
    if not keys:
        return []
    shown = [keys[i] for i in np.unique(np.linspace(0, len(keys) - 1, MOST_CHOICES).astype(int))]
    left_out = [f"{len(keys) - len(shown)} of {len(keys)} points are left out here."] * (
        len(shown) < len(keys)
    )
    return [
        _distribution(systems, pooled, shown, left_out),
        _over_launches(systems, pooled, shown, left_out),
    ]


def _order(key: Key) -> tuple[object, ...]:
    return sort_key(key[0]), key[1]


def _pooled(system: Reported) -> dict[Key, dict[int, Array]]:
    """By point, then by launch; pairs of ranks together."""
    found: dict[Key, dict[int, list[Array]]] = {}
    for (point, _state), launches in system.cells.items():
        pooled = found.setdefault((group_of(point), point.bytes), {})
        for launch, seconds in launches.items():
            pooled.setdefault(launch, []).append(seconds)
    return {
        key: {launch: np.concatenate(parts) for launch, parts in sorted(launches.items())}
        for key, launches in found.items()
    }


def _name(key: Key, keys: Sequence[Key]) -> str:
    alone = len({group for group, _ in keys}) == 1
    return format_size(key[1]) if alone else f"{group_name(key[0])}, {format_size(key[1])}"


def _distribution(
    systems: Sequence[Reported],
    pooled: Sequence[dict[Key, dict[int, Array]]],
    keys: Sequence[Key],
    captions: Sequence[str],
) -> Figure:
    choices = []
    for key in keys:
        samples = [np.concatenate(list(cells[key].values())) if key in cells else np.array([])
                   for cells in pooled]  # fmt: skip
        every = np.concatenate(samples)
        every = every[every > 0.0]
        if not len(every):
            continue
        low, high = np.quantile(every, (TAIL, 1.0 - TAIL))
        edges = np.geomspace(0.99 * low, 1.01 * high, BINS + 1)
        series = [
            _steps(system.label, number, seconds, edges)
            for number, (system, seconds) in enumerate(zip(systems, samples, strict=True))
            if len(seconds)
        ]
        choices.append(Choice(_name(key, keys), series))
    return Figure(
        "distribution", "Distribution at a size", "time", "time", "share", "share of samples",
        choices, "point",
        [f"All samples of the headline state in {BINS} bins of equal ratio; the outermost hold "
         f"what lies beyond, {100.0 * TAIL:.1f} % at either end or less.", *captions],
    )  # fmt: skip


def _steps(label: str, number: int, seconds: Array, edges: Array) -> Series:
    counts = np.histogram(np.clip(seconds, edges[0], edges[-1]), edges)[0]
    shares = rounded((counts / len(seconds)).tolist())
    return Series(f"{label} ({len(seconds)} samples)", number, rounded(edges.tolist()),
                  [*shares, 0.0], draw="steps")  # fmt: skip


def _over_launches(
    systems: Sequence[Reported],
    pooled: Sequence[dict[Key, dict[int, Array]]],
    keys: Sequence[Key],
    captions: Sequence[str],
) -> Figure:
    each = int(np.clip(MOST_DOTS / (len(systems) * len(keys)), LEAST_DOTS, MOST_DOTS_EACH))
    choices = [
        Choice(_name(key, keys), [
            _dots(system.label, number, cells[key], each)
            for number, (system, cells) in enumerate(zip(systems, pooled, strict=True))
            if key in cells
        ])
        for key in keys
    ]  # fmt: skip
    return Figure(
        "launches", "Launch after launch", "count", "launch", "time", "time", choices, "point",
        ["Samples in the order in which they were measured, launch beside launch. Where there are "
         f"more than {each} of a file at a point, a mark is the median of successive samples and "
         "its bar their range.", *captions],
        logarithmic=True,
    )  # fmt: skip


def _dots(label: str, number: int, launches: dict[int, Array], each: int) -> Series:
    """Buckets of successive samples; x is the launch and how far into it."""
    total = sum(len(seconds) for seconds in launches.values())
    x: list[float] = []
    y: list[float] = []
    low: list[float] = []
    high: list[float] = []
    for launch, seconds in launches.items():
        buckets = min(len(seconds), max(each // len(launches), 1))
        for place, bucket in enumerate(np.array_split(seconds, buckets)):
            x.append(launch + (place + 0.5) / buckets)
            y.append(float(np.median(bucket)))
            low.append(float(bucket.min()))
            high.append(float(bucket.max()))
    merged = len(y) < total
    return Series(label, number, rounded(x), rounded(y), rounded(low) if merged else None,
                  rounded(high) if merged else None, draw="dots")  # fmt: skip

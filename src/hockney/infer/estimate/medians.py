"""Medians of values that share a key."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hockney.infer.arrays import Array, Whole


def sorted_by(keys: Whole, values: Array) -> tuple[Whole, Whole, Whole, Whole]:
    """The order of values by key and size, the different keys, and where each one's begin in that
    order and how many they are."""
    order = np.lexsort((values, keys))
    return order, *np.unique(keys[order], return_index=True, return_counts=True)


def medians_by(keys: Whole, values: Array) -> tuple[Whole, Array]:
    """The different keys, ascending, and the median of each one's values."""
    order, known, starts, counts = sorted_by(keys, values)
    values = values[order]
    low, high = starts + (counts - 1) // 2, starts + counts // 2
    return known, (values[low] + values[high]) / 2.0


def values_by(keys: Whole, values: Array) -> Iterator[tuple[int, Array]]:
    """Each of the different keys, ascending, with its values."""
    order = np.argsort(keys, kind="stable")
    known, starts = np.unique(keys[order], return_index=True)
    yield from zip(known.tolist(), np.split(values[order], starts[1:]), strict=len(keys) > 0)


def own_medians(keys: Whole, values: Array, fewest: int = 1) -> Array:
    """The median of all known values with the same key, for each of them, NaN where fewer than
    `fewest` are known. values: NaN where unknown."""
    order, _, starts, counts = sorted_by(keys, values)  # NaN behind all others of its key
    ordered = values[order]
    known = np.add.reduceat((~np.isnan(ordered)).astype(np.int64), starts)
    low, high = starts + (known - 1) // 2, starts + known // 2
    medians = np.where(known >= fewest, (ordered[low] + ordered[high]) / 2.0, np.nan)
    own = np.empty(len(values))
    own[order] = np.repeat(medians, counts)
    return own

"""Profiles of nodes, and the levels of a network that its times show.

A node is compared with the others by its profile: the sorted times to all its partners. Nodes of a
regular network have the same profile although each has near and far partners, so that no level has
to be known; a slow node's is higher everywhere, and that of its partners at one place only.

A level that only the times show is believed if its pairs are spread over the network. Pairs that
have one node, or a few, in common are those of slow nodes.
"""

from __future__ import annotations

import math

import numpy as np

from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.medians import medians_by, sorted_by
from hockney.infer.estimate.states import cluster

LEVEL_FRACTION = 0.1
"""Least fraction of pairs with similar times that are a level of the network."""
LEAST_LEVEL = 3
"""Least number of pairs with similar times that are a level of the network."""
SPREAD_OVER = 0.4
"""Least fraction of the nodes, or of the ranks, that have nearly all pairs of a level. A regular
network's levels have half of the nodes; a switch of four among sixteen nodes a quarter."""
NEARLY_ALL = 0.9


def effects(ends: Whole, kinds: Whole, values: Array, chosen: Flags) -> Array:
    """How far each unit's profile lies above the others', as a logarithm.

    ends: shape (pairs, 2), numbers of units; kinds: shape (pairs,), what is known of each path:
    profiles are compared kind by kind; values: shape (pairs,), log times, NaN where unknown;
    chosen: shape (units,), those that are compared. Returns shape (units,): the median over a
    unit's partners, NaN without any.
    """
    each = ends.T.ravel()
    own = np.flatnonzero(chosen[each] & ~np.isnan(np.tile(values, 2)))
    unit, value, kind = each[own], np.tile(values, 2)[own], np.tile(kinds, 2)[own]
    rest = np.empty(len(unit))
    for path_kind in np.unique(kind):
        alike = np.flatnonzero(kind == path_kind)
        rest[alike] = _above_the_others(unit[alike], value[alike])
    excess = np.full(len(chosen), np.nan)
    if len(unit):
        numbers, medians = medians_by(unit, rest)
        excess[numbers] = medians
    return excess


def _above_the_others(unit: Whole, value: Array) -> Array:
    """Each value less the median profile at its place. Shape (values,)."""
    order, _, starts, counts = sorted_by(unit, value)
    rows = np.split(value[order], starts[1:])
    grid = _places(int(counts.max()))
    table = np.stack([np.interp(grid, _places(len(row)), row) for row in rows])
    usual = np.median(table, axis=0)
    rest = np.empty(len(value))
    rest[order] = np.concatenate([row - np.interp(_places(len(row)), grid, usual) for row in rows])
    return rest


def _places(count: int) -> Array:
    return np.asarray((np.arange(count) + 0.5) / count)


def levels(units: list[Whole], values: Array) -> Array:
    """The log time of each pair's level: the nearest of the levels that the network's times show.

    units: ways to number the ends of the pairs, each of shape (pairs, 2); values: shape (pairs,).
    """
    least = max(LEAST_LEVEL, math.ceil(LEVEL_FRACTION * len(values)))
    labels = cluster(np.exp(values), least=least)
    members = [labels == label for label in range(int(labels.max()) + 1)]
    centres = [
        float(np.median(values[own]))
        for own in members
        if all(_cover(ends[own]) >= SPREAD_OVER * len(np.unique(ends)) for ends in units)
    ]
    known = np.array(centres or [float(np.median(values))])
    return np.asarray(known[np.abs(values[:, None] - known).argmin(axis=1)])


def _cover(ends: Whole) -> int:
    """Number of units, the commonest first, that have nearly all of these pairs."""
    degrees = np.sort(np.bincount(ends.ravel()))[::-1]
    return int(np.searchsorted(np.cumsum(degrees), NEARLY_ALL * len(ends))) + 1

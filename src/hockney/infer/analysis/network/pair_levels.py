"""The level of the switches between the two ranks of each pair, known or found by the times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hockney.infer.analysis.network.groups_of_nodes import connected
from hockney.infer.analysis.network.places import SHARED
from hockney.infer.arrays import Whole
from hockney.infer.estimate.states import cluster
from hockney.plan.topology import LEVELS, SAME_NODE, level_of, switches_of
from hockney.records import Place

Path = tuple[str, ...]
"""The switches above a node, the topmost first."""
MOST_TO_CLUSTER = 100_000
"""Most pairs whose times are clustered to find switches; more are sampled at random."""
CLEAR = 1.15
"""Least ratio of the times of the next level to those on a switch, for switches found by times."""
LEAST_CLUSTER = 3
"""Fewest pairs with similar times that make a cluster."""
CLIQUE = 0.98
"""Least fraction of the pairs on a found switch that have its time."""
SEED = 1
FOUND = "?"
"""Parent of switches that were found by the times alone."""
OTHER_SWITCH = "other switch"
"""The level of nodes on different switches found by the times."""


def known_switches(places: Sequence[Place | None]) -> tuple[list[Path], Whole]:
    """The paths of known switches, and each place's number among them, -1 if unknown."""
    numbers: dict[Path, int] = {}
    switch = np.full(len(places), -1)
    for i, place in enumerate(places):
        path = switches_of(place.topology if place else None)
        if path:
            switch[i] = numbers.setdefault(path, len(numbers))
    return list(numbers), switch


def found_switches(
    places: Sequence[Place | None], ends: Whole, seconds: NDArray[np.float32]
) -> tuple[list[Path], Whole]:
    """Switches by the times of the smallest size: nodes are on one switch where all pairs of them
    have the shortest time, clearly shorter than that of all others. Empty where that is not so."""
    count = len(places)
    unknown: tuple[list[Path], Whole] = [], np.full(count, -1)
    if len(ends) < count * (count - 1) // 2 or len({p.host for p in places if p}) < count:
        return unknown
    chosen = np.random.default_rng(SEED).permutation(len(ends))[:MOST_TO_CLUSTER]
    sample = seconds[chosen].astype(np.float64)
    labels = cluster(sample, least=LEAST_CLUSTER)
    is_shortest = labels == 0
    if is_shortest.all() or not is_shortest.any():
        return unknown
    longest, others = float(sample[is_shortest].max()), float(sample[~is_shortest].min())
    if others < CLEAR * longest:
        return unknown
    is_near = seconds <= (longest + others) / 2.0
    numbers = connected(ends[is_near], count)
    inside = numbers[ends[:, 0]] == numbers[ends[:, 1]]
    with_several = int((np.bincount(numbers) > 1).sum())  # one alone is slow, not on a switch
    if with_several < 2 or is_near[inside].mean() < CLIQUE:
        return unknown
    firsts = [places[i] for i in np.unique(numbers, return_index=True)[1]]
    names = [f"of {place.host if place else '?'}" for place in firsts]
    return [(FOUND, name) for name in names], numbers


def levels_of(
    places: Sequence[Place | None], ends: Whole, paths: Sequence[Path], switch: Whole
) -> tuple[tuple[str, ...], Whole]:
    """Names of the levels, and the number of each pair's level."""
    names = (SAME_NODE, *LEVELS, OTHER_SWITCH, SHARED[-1])
    hosts = {place.host if place else None: i for i, place in enumerate(places)}
    host = np.array([hosts[place.host if place else None] for place in places])
    between = np.full((len(paths) + 1, len(paths) + 1), names.index(SHARED[-1]))  # -1: unknown
    for i, first in enumerate(paths):
        for j, second in enumerate(paths):
            is_other = i != j and first[0] == FOUND
            name = OTHER_SWITCH if is_other else level_of(first, second)
            between[i, j] = names.index(name)
    level = between[switch[ends[:, 0]], switch[ends[:, 1]]]
    level[host[ends[:, 0]] == host[ends[:, 1]]] = names.index(SAME_NODE)
    used, numbers = np.unique(level, return_inverse=True)
    return tuple(names[i] for i in used), numbers

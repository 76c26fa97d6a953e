"""The times of all pairs of a network as arrays, by the level of the switches between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hockney.infer.analysis.conditions.noise import held_by_others
from hockney.infer.analysis.network.places import SHARED, places_of
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.sketch import quantile_of
from hockney.infer.estimate.states import cluster
from hockney.plan.topology import LEVELS, SAME_NODE, level_of, switches_of
from hockney.records import PairBlock, Place, Run, Samples

Path = tuple[str, ...]
"""The switches above a node, the topmost first."""

MOST_BINS = 64
"""Most rows and columns of a matrix that people look at."""
MOST_TO_CLUSTER = 100_000
"""Most pairs whose times are clustered to find switches; more are sampled at random."""
CLEAR = 1.15
"""Least ratio of the times of the next level to those on a switch, for switches found by times."""
LEAST_CLUSTER = 3
"""Fewest pairs with similar times that make a cluster."""
LEAST_PASSES = 0.8
"""Least part of the usual number of passes in which a node has a pair."""
CLIQUE = 0.98
"""Least fraction of the pairs on a found switch that have its time."""
SEED = 1
FOUND = "?"
"""Parent of switches that were found by the times alone."""
OTHER_SWITCH = "other switch"
"""The level of nodes on different switches found by the times."""


@dataclass(frozen=True)
class LevelTimes:
    """Times of one size and level, over the pairs' medians."""

    bytes: int
    level: str
    pairs: int
    median_s: float
    p99_s: float | None
    """99 % quantile; None with too few pairs (samples_needed)."""
    max_s: float


@dataclass(frozen=True)
class Binned:
    """A matrix small enough to be looked at."""

    names: tuple[str, ...]
    """Names of switches, or of the first node of each block."""
    seconds: Array
    """Shape (names, names), NaN where nothing was measured; one way, a row has what it sends."""
    nodes: int
    """Most ranks of a switch or block."""


@dataclass(frozen=True)
class Pairwise:
    """Every pair of ranks that was measured, or each of its directions. Pairs are in order of their
    ranks."""

    ranks: Whole
    """Shape (ranks,), ascending."""
    places: dict[int, Place]
    ends: Whole
    """Shape (pairs, 2): positions in `ranks`; one way, that of the sender first."""
    bytes: tuple[int, ...]
    passes: tuple[int, ...]
    seconds: NDArray[np.float32]
    """Shape (sizes, passes, pairs), NaN where a pass lacks the pair."""
    switch: Whole
    """Shape (ranks,): the number of the switch of each rank's node in `switches`, -1 if unknown."""
    switches: tuple[str, ...]
    are_found: bool
    """Whether switches were found by the times, not known before."""
    levels: tuple[str, ...]
    level: Whole
    """Shape (pairs,): number of each pair's level in `levels`, the nearest first."""
    rounds: Whole
    """Shape (pairs,): pairs that communicated at the same time have the same number."""
    is_one_way: bool = False
    """Whether each direction of a pair was measured by itself."""
    held: float = 0.0
    """The fraction of the time for which other processes held the CPUs of half of the ranks."""

    @property
    def measured(self) -> list[int]:
        """The ranks of pairs that have a time."""
        has_time = ~np.isnan(self.seconds).all(axis=(0, 1))
        return self.ranks[np.unique(self.ends[has_time])].tolist()  # type: ignore[no-any-return]

    @cached_property
    def typical_s(self) -> NDArray[np.float32]:
        """Shape (sizes, pairs): the median over passes."""
        return np.stack([median_of_passes(times) for times in self.seconds])

    @cached_property
    def level_medians_s(self) -> Array:
        """Shape (sizes, levels): the median over pairs."""
        return np.array(
            [
                [np.median(times[self.level == i]) for i in range(len(self.levels))]
                for times in self.typical_s
            ]
        )

    @property
    def wanted(self) -> int:
        """The number of all pairs of ranks, or of their directions if each was measured alone."""
        count = len(self.ranks) * (len(self.ranks) - 1)
        return count if self.is_one_way else count // 2

    @property
    def fraction(self) -> float:
        """The fraction of all pairs that was measured."""
        return len(self.ends) / self.wanted

    def seldom_measured(self) -> list[tuple[str, int]]:
        """The nodes that have no pair in LEAST_PASSES of the median pair's number of passes, with
        the most passes that a pair of theirs has."""
        passes = (~np.isnan(self.seconds)).all(axis=0).sum(axis=0)
        if not len(passes):
            return []
        most = np.zeros(len(self.ranks), np.int64)
        for end in self.ends.T:
            np.maximum.at(most, end, passes)
        of_host: dict[str, int] = {}
        for position, count in enumerate(most.tolist()):
            host = self.host(position)
            of_host[host] = max(of_host.get(host, 0), count)
        least = LEAST_PASSES * float(np.median(passes))
        return [(host, count) for host, count in of_host.items() if 0 < count < least]

    @property
    def both_ways(self) -> Pairwise:
        """The geometric mean of each pair's two directions; of one where the other is unknown."""
        low, high = np.sort(self.ends, axis=1).T
        known, of = np.unique(low * len(self.ranks) + high, return_inverse=True)
        logs = np.full((2, *self.seconds.shape[:2], len(known)), np.nan, np.float32)
        way = (self.ends[:, 0] > self.ends[:, 1]).astype(np.int64)
        logs[way, :, :, of] = np.moveaxis(np.log(self.seconds), 2, 0)
        whole = np.where(np.isnan(logs).any(axis=0), np.nansum(logs, axis=0), logs.mean(axis=0))
        whole[np.isnan(logs).all(axis=0)] = np.nan
        first = np.unique(of, return_index=True)[1]
        return replace(
            self,
            ends=np.stack([known // len(self.ranks), known % len(self.ranks)], axis=1),
            seconds=np.exp(whole),
            level=self.level[first],
            rounds=self.rounds[first] // 2,
            is_one_way=False,
        )

    def host(self, position: int) -> str:
        rank = int(self.ranks[position])
        place = self.places.get(rank)
        return (place.host if place else None) or f"rank {rank}"

    def level_times(self) -> list[LevelTimes]:
        level_times = []
        for size, times in zip(self.bytes, self.typical_s, strict=True):
            for number, level in enumerate(self.levels):
                own = times[self.level == number]
                median, most = float(np.median(own)), float(own.max())
                p99 = quantile_of(own, 0.99)
                level_times.append(LevelTimes(size, level, len(own), median, p99, most))
        return level_times

    def binned(self, size: int) -> Binned:
        """The median of the pairs of every two switches; where there are too many of them, or they
        are unknown, of every two blocks of neighbouring nodes. size: position in `bytes`."""
        count = len(self.ranks)
        if 1 < len(self.switches) <= MOST_BINS and self.switch.min() >= 0:
            names, bins = self.switches, self.switch
        else:
            order = np.argsort(np.argsort(self.switch, kind="stable"), kind="stable")
            step = -(-count // MOST_BINS)
            bins = order // step
            firsts = np.argsort(order)[::step]
            names = tuple(self.host(i) for i in firsts.tolist())
        both = bins[self.ends] if self.is_one_way else np.sort(bins[self.ends], axis=1)
        known, medians = medians_by(
            both[:, 0] * len(names) + both[:, 1], self.typical_s[size].astype(np.float64)
        )
        seconds = np.full((len(names), len(names)), np.nan)
        seconds[known // len(names), known % len(names)] = medians
        if not self.is_one_way:
            seconds[known % len(names), known // len(names)] = medians
        return Binned(names, seconds, -(-count // len(names)))

    def worst(self, size: int, count: int) -> list[tuple[int, float, float]]:
        """The slowest pairs against the median of their level: position in `ends`, time, ratio."""
        times = self.typical_s[size].astype(np.float64)
        ratios = times / self.level_medians_s[size][self.level]
        order = np.argsort(-ratios, kind="stable")[:count]
        return [(int(i), float(times[i]), float(ratios[i])) for i in order]


def medians_by(keys: Whole, values: Array) -> tuple[Whole, Array]:
    """The different keys, ascending, and the median of each one's values."""
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    known, starts, counts = np.unique(keys, return_index=True, return_counts=True)
    low, high = starts + (counts - 1) // 2, starts + counts // 2
    return known, (values[low] + values[high]) / 2.0


def own_medians(keys: Whole, values: Array) -> Array:
    """The median of all values with the same key, for each of them."""
    known, medians = medians_by(keys, values)
    return np.asarray(medians[np.searchsorted(known, keys)])


def median_of_passes(times: NDArray[np.float32]) -> NDArray[np.float32]:
    """The median over passes. times: shape (passes, pairs), each pair in at least one."""
    if len(times) == 1:
        return np.asarray(times[0])
    return np.asarray(np.nanmedian(times, axis=0), dtype=np.float32)


def pairwise_of(run: Run) -> Pairwise | None:
    """The pairs of a run; None if no pass was made."""
    blocks = [block for block in run.pair_times if len(block.peers)]
    if not blocks:
        return None
    ranks = np.unique(np.concatenate([np.unique(block.peers) for block in blocks]))
    passes = tuple(sorted({block.pass_number for block in blocks}))
    sizes = tuple(sorted({size for block in blocks for size in block.bytes}))
    ends, seconds, rounds = _table(blocks, ranks, sizes, passes)
    places = places_of(run)
    own = [places.get(int(rank)) for rank in ranks]
    paths, switch = _known_switches(own)
    if not paths:
        paths, switch = _found_switches(own, ends, median_of_passes(seconds[0]))
    levels, level = _levels(own, ends, paths, switch)
    return Pairwise(
        ranks=ranks.astype(np.int64),
        places=places,
        ends=ends,
        bytes=sizes,
        passes=passes,
        seconds=seconds,
        switch=switch,
        switches=tuple(path[-1] for path in paths),
        are_found=bool(paths) and paths[0][0] == FOUND,
        levels=levels,
        level=level,
        rounds=rounds,
        is_one_way=any(block.is_one_way for block in blocks),
        held=held_by_others(run),
    )


def _table(
    blocks: Sequence[PairBlock],
    ranks: NDArray[np.int32],
    sizes: Sequence[int],
    passes: Sequence[int],
) -> tuple[Whole, NDArray[np.float32], Whole]:
    """`Pairwise.ends`, `seconds` and `rounds`; pairs without all sizes are excluded."""
    keys = [_keys(block, ranks) for block in blocks]
    known = np.unique(np.concatenate(keys))
    seconds = np.full((len(sizes), len(passes), len(known)), np.nan, np.float32)
    rounds = np.full(len(known), -1)
    rounds[np.searchsorted(known, np.concatenate(keys))] = rounds_of(blocks)
    for block, key in zip(blocks, keys, strict=True):
        at = np.searchsorted(known, key)
        for size, ns in zip(block.bytes, block.ns, strict=True):
            known_s = np.where(ns > 0.0, ns * 1e-9, np.nan)  # of 0, the clock was too coarse
            seconds[sizes.index(size), passes.index(block.pass_number), at] = known_s
    has_all = ~np.isnan(seconds).all(axis=1).any(axis=0)
    ends = np.stack([known // len(ranks), known % len(ranks)], axis=1)
    return ends[has_all], seconds[:, :, has_all], rounds[has_all]


def rounds_of(blocks: Sequence[PairBlock]) -> Whole:
    """Shape (pairs of all blocks,): pairs that communicated at the same time have the same number,
    an even one and the next one where the two directions of each pair took turns."""
    each: list[Whole] = []
    begun = 0
    for block in blocks:
        ways = 2 if block.is_one_way else 1
        visits = begun + _visits_of(block.peers[::ways], block.visits)
        begun = int(visits.max()) + 1
        each.append((2 * visits[:, None] + np.arange(ways)).ravel())
    return np.concatenate(each)


def _visits_of(peers: NDArray[np.int32], visits: int) -> Whole:
    """The visit of each pair, from 0 on. Where visits have different numbers of pairs, a new one
    begins where a rank is repeated."""
    count = len(peers)
    if count % visits == 0:
        return np.arange(count) // (count // visits)
    visit_of = np.zeros(count, np.int64)
    seen: set[int] = set()
    for i, pair in enumerate(peers.tolist()):
        again = not seen.isdisjoint(pair)
        seen = set(pair) if again else seen.union(pair)
        visit_of[i] = (visit_of[i - 1] if i else 0) + again
    return visit_of


def _keys(block: PairBlock, ranks: NDArray[np.int32]) -> Whole:
    peers = block.peers if block.is_one_way else np.sort(block.peers, axis=1)
    places = np.searchsorted(ranks, peers).astype(np.int64)
    return np.asarray(places[:, 0] * len(ranks) + places[:, 1])


def _known_switches(places: Sequence[Place | None]) -> tuple[list[Path], Whole]:
    """The paths of known switches, and each place's number among them, -1 if unknown."""
    numbers: dict[Path, int] = {}
    switch = np.full(len(places), -1)
    for i, place in enumerate(places):
        path = switches_of(place.topology if place else None)
        if path:
            switch[i] = numbers.setdefault(path, len(numbers))
    return list(numbers), switch


def _found_switches(
    places: Sequence[Place | None], ends: Whole, seconds: NDArray[np.float32]
) -> tuple[list[Path], Whole]:
    """Switches by the times of the smallest size: nodes are on one switch where all pairs of them
    have the shortest time, clearly shorter than that of all others. Empty where that is not so."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

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
    near = coo_array((np.ones(is_near.sum()), ends[is_near].T), shape=(count, count))
    _, numbers = connected_components(near, directed=False)
    inside = numbers[ends[:, 0]] == numbers[ends[:, 1]]
    with_several = int((np.bincount(numbers) > 1).sum())  # one alone is slow, not on a switch
    if with_several < 2 or is_near[inside].mean() < CLIQUE:
        return unknown
    firsts = [places[i] for i in np.unique(numbers, return_index=True)[1]]
    names = [f"of {place.host if place else '?'}" for place in firsts]
    return [(FOUND, name) for name in names], numbers.astype(np.int64)


def _levels(
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


def level_samples(pairwise: Pairwise, operation: str) -> list[Samples]:
    """The median pair of each level and size in each pass, as samples, which are compared, fitted
    and exported. A pass with fewer pairs than another does not count."""
    made = [int((~np.isnan(pairwise.seconds[0, i])).sum()) for i in range(len(pairwise.passes))]
    whole = [i for i, pairs in enumerate(made) if pairs == max(made)]
    return [
        Samples(
            operation=operation,
            bytes=size,
            ranks=len(pairwise.ranks),
            level=level,
            launch=pairwise.passes[i],
            round=0,
            repetitions=1,
            ns=[float(np.nanmedian(pairwise.seconds[place, i, pairwise.level == number])) * 1e9],
        )
        for i in whole
        for place, size in enumerate(pairwise.bytes)
        for number, level in enumerate(pairwise.levels)
        if not np.isnan(pairwise.seconds[place, i, pairwise.level == number]).all()
    ]

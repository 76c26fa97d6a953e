"""The times of all pairs of a network as arrays, by the level of the switches between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockney.infer.analysis.network.places import host_of
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.medians import medians_by
from hockney.infer.estimate.sketch import quantile_of
from hockney.records import Place

MOST_BINS = 64
"""Most rows and columns of a matrix that people look at."""


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

    @property
    def rate_Bps(self) -> float | None:
        """Of the median pair."""
        return self.bytes / self.median_s if self.bytes else None


class SlowPair(NamedTuple):
    bytes: int
    peers: list[int]
    hosts: list[str]
    level: str
    seconds: float
    ratio: float
    """Its time over the median of its level."""


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
    is_simulated: bool = False
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

    @property
    def passes_of_pairs(self) -> Whole:
        """Shape (pairs,): the number of passes that measured each pair at every size."""
        return np.asarray((~np.isnan(self.seconds)).all(axis=0).sum(axis=0))

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

    @cached_property
    def rank_names(self) -> list[str]:
        """Names of ranks, by default those of their nodes."""
        hosts = [self.host(i) for i in range(len(self.ranks))]
        of_host = Counter(hosts)
        return [
            host if of_host[host] == 1 else f"rank {rank} on {host}"
            for rank, host in zip(self.ranks.tolist(), hosts, strict=True)
        ]

    def host(self, position: int) -> str:
        return host_of(self.places, int(self.ranks[position]))

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

    def worst(self, size: int, count: int) -> list[SlowPair]:
        """The slowest pairs against the median of their level. size: position in `bytes`."""
        times = self.typical_s[size].astype(np.float64)
        ratios = times / self.level_medians_s[size][self.level]
        return [
            SlowPair(
                self.bytes[size],
                self.ranks[self.ends[pair]].tolist(),
                [self.host(end) for end in self.ends[pair].tolist()],
                self.levels[self.level[pair]],
                float(times[pair]),
                float(ratios[pair]),
            )
            for pair in np.argsort(-ratios, kind="stable")[:count]
        ]


def median_of_passes(times: NDArray[np.float32]) -> NDArray[np.float32]:
    """The median over passes. times: shape (passes, pairs), each pair in at least one."""
    if len(times) == 1:
        return np.asarray(times[0])
    return np.asarray(np.nanmedian(times, axis=0), dtype=np.float32)

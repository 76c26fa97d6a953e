"""All pairs of ranks, grouped by the hardware that they share and by their times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockney.base.errors import HockneyError
from hockney.base.grouping import by_key
from hockney.infer.analysis.network.places import SHARED, UNKNOWN, places_of, shared
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import Estimates, Pair, PointEstimate, slower_by_pair
from hockney.infer.estimate.states import cluster
from hockney.infer.fitting.fit import Fit, curve_of_arrays
from hockney.infer.models.hockney import fit as fit_hockney
from hockney.records import Run

DISTURBED = 0.05
"""Relative slowdown of pairs at once, against alone, from which on they disturb each other."""


@dataclass(frozen=True)
class GroupTimes:
    """Times of one group of pairs at one message size, over the pairs' medians."""

    bytes: int
    pairs: int
    mean_s: float
    std_s: float | None
    launch_means_s: dict[int, float]
    """The mean over pairs, by launch."""

    @property
    def rate_Bps(self) -> float | None:
        return self.bytes / self.mean_s if self.bytes else None

    @property
    def ratio(self) -> float | None:
        """Standard deviation of the pairs over their mean."""
        return None if self.std_s is None else self.std_s / self.mean_s


@dataclass(frozen=True)
class PairGroup:
    """Pairs of ranks that share the same level of hardware, or that have similar times."""

    name: str
    pairs: tuple[Pair, ...]
    times: tuple[GroupTimes, ...]
    """Times of each message size, ascending."""

    @cached_property
    def line(self) -> Fit | None:
        """Hockney's line through the group's means; None where two sizes are missing."""
        launches = sorted({n for times in self.times for n in times.launch_means_s})
        seconds = [[times.launch_means_s.get(n, np.nan) for times in self.times] for n in launches]
        try:
            return fit_hockney(curve_of_arrays([times.bytes for times in self.times], seconds))
        except HockneyError:
            return None


@dataclass(frozen=True)
class Matrix:
    """Every pair that was measured; pairs are in order of rank."""

    ranks: tuple[int, ...]
    times: dict[int, dict[Pair, PointEstimate]]
    """The points of all pairs, by message size in bytes; of both directions the slower."""
    by_places: tuple[PairGroup, ...]
    by_times: tuple[PairGroup, ...]
    """Pairs that are in one cluster of times at each of the clustered sizes, the fastest first."""
    clustered_sizes: tuple[int, ...]
    """The smallest and the largest size; the smallest alone where the other lacks pairs."""
    differ_at_largest: bool
    """Whether pairs that are alike at the smallest size differ at the largest."""
    disagreeing: tuple[tuple[Pair, str, str], ...]
    """Pairs with the time of another group: the pair, its group, the other group."""
    not_separated: tuple[tuple[str, ...], ...]
    """Groups by places whose times form one cluster at each of the clustered sizes."""
    parallel_ratio: float | None
    """Time with other pairs at once over time alone, the median of pairs measured both ways."""
    has_directions: bool = False
    """Whether both directions of a pair were measured, as other programs do."""

    def seconds(self, size: int) -> Array:
        """Times between ranks, shape (ranks, ranks), NaN where nothing was measured."""
        index = {rank: i for i, rank in enumerate(self.ranks)}
        seconds = np.full((len(self.ranks), len(self.ranks)), np.nan)
        for (first, second), point in self.times[size].items():
            seconds[index[first], index[second]] = point.typical_s
            seconds[index[second], index[first]] = point.typical_s
        return seconds

    def between(self, size: int, group_of: Mapping[int, int]) -> dict[tuple[int, int], float]:
        """The median time (s) of the pairs between every two groups of ranks, and inside each.
        group_of: each rank's; ranks that it lacks are left out."""
        known = [
            (sorted(group_of[rank] for rank in pair), point.typical_s)
            for pair, point in self.times[size].items()
            if all(rank in group_of for rank in pair)
        ]
        by_groups = by_key(known, lambda entry: (entry[0][0], entry[0][1]))
        return {
            groups: float(np.median([seconds for _, seconds in entries]))
            for groups, entries in by_groups.items()
        }


def matrix_of(run: Run, estimates: Estimates) -> Matrix | None:
    """The matrix of a run; None if no pair was measured."""
    points = [p for p in estimates.headline if p.is_one_pair and p.typical_s > 0.0]
    alone = _by_size([p for p in points if (p.pairs or 1) == 1])
    crowded = _by_size([p for p in points if (p.pairs or 1) > 1])
    times = crowded if _pairs(crowded) >= _pairs(alone) and crowded else alone
    if not times:
        return None
    places = places_of(run)
    smallest = times[min(times)]
    named = {pair: shared(places.get(pair[0]), places.get(pair[1])) for pair in smallest}
    clusters = _clusters(times)
    timed = _alike(list(clusters.values()))
    homes = {
        name: Counter(timed[p] for p in smallest if named[p] == name).most_common(1)[0][0]
        for name in set(named.values())
    }
    order = sorted(homes, key=(*SHARED, UNKNOWN).index)
    alike = sorted(set(timed.values()), key=lambda name: int(name.rpartition(" ")[2]))
    return Matrix(
        ranks=tuple(sorted({rank for pairs in times.values() for pair in pairs for rank in pair})),
        times=times,
        by_places=_groups(order, named, times),
        by_times=_groups(alike, timed, times),
        clustered_sizes=tuple(clusters),
        differ_at_largest=len(set(timed.values())) > len(set(clusters[min(clusters)].values())),
        disagreeing=_disagreeing(named, timed, homes),
        not_separated=_together(order, homes),
        parallel_ratio=_parallel_ratio(alone, crowded),
        has_directions=len({tuple(p.peers) for p in points})
        > len({tuple(sorted(p.peers)) for p in points}),
    )


def _by_size(points: Sequence[PointEstimate]) -> dict[int, dict[Pair, PointEstimate]]:
    return {
        size: slower_by_pair(point for point in points if point.bytes == size)
        for size in sorted({point.bytes for point in points})
    }


def _pairs(times: Mapping[int, Mapping[Pair, PointEstimate]]) -> int:
    return max((len(pairs) for pairs in times.values()), default=0)


def _clusters(
    times: Mapping[int, Mapping[Pair, PointEstimate]],
) -> dict[int, dict[Pair, int]]:
    """The cluster of every pair by size, at the smallest size and, if it has all these pairs, the
    largest. A pair may be alone in a cluster: few pairs of a node share a core."""
    smallest, largest = min(times), max(times)
    is_whole = times[largest].keys() >= times[smallest].keys()
    clusters = {}
    for size in dict.fromkeys((smallest, largest if is_whole else smallest)):
        points = [times[size][pair] for pair in times[smallest]]
        labels = cluster(np.array([point.typical_s for point in points]), least=1)
        clusters[size] = dict(zip(times[smallest], labels.tolist(), strict=True))
    return clusters


def _alike(clusters: Sequence[Mapping[Pair, int]]) -> dict[Pair, str]:
    """Names for pairs that are in one cluster at each size."""
    labels = {pair: tuple(of[pair] for of in clusters) for pair in clusters[0]}
    order = sorted(set(labels.values()))
    return {pair: f"cluster {order.index(label)}" for pair, label in labels.items()}


def _groups(
    names: Sequence[str], of: Mapping[Pair, str], times: Mapping[int, Mapping[Pair, PointEstimate]]
) -> tuple[PairGroup, ...]:
    groups = []
    for name in names:
        members = tuple(pair for pair, group in of.items() if group == name)
        rows = (
            _times(size, [pairs[p] for p in members if p in pairs]) for size, pairs in times.items()
        )
        groups.append(PairGroup(name, members, tuple(row for row in rows if row)))
    return tuple(groups)


def _times(size: int, points: Sequence[PointEstimate]) -> GroupTimes | None:
    if not points:
        return None
    medians = np.array([point.typical_s for point in points])
    launches: dict[int, list[float]] = {}
    for point in points:
        for launch, median in point.by_launch.items():
            launches.setdefault(launch, []).append(median)
    return GroupTimes(
        bytes=size,
        pairs=len(points),
        mean_s=float(medians.mean()),
        std_s=float(medians.std(ddof=1)) if len(medians) > 1 else None,
        launch_means_s={n: float(np.mean(v)) for n, v in launches.items() if len(v) == len(points)},
    )


def _disagreeing(
    named: Mapping[Pair, str], timed: Mapping[Pair, str], homes: Mapping[str, str]
) -> tuple[tuple[Pair, str, str], ...]:
    """Pairs outside the cluster of most of their group, with the groups in their cluster."""
    disagreeing = []
    for pair, group in named.items():
        if timed[pair] != homes[group]:
            like = [name for name, home in homes.items() if home == timed[pair]]
            disagreeing.append((pair, group, " or ".join(like) or timed[pair]))
    return tuple(disagreeing)


def _together(order: Sequence[str], homes: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    by_home: dict[str, list[str]] = {}
    for name in order:
        by_home.setdefault(homes[name], []).append(name)
    return tuple(tuple(names) for names in by_home.values() if len(names) > 1)


def _parallel_ratio(
    alone: Mapping[int, Mapping[Pair, PointEstimate]],
    crowded: Mapping[int, Mapping[Pair, PointEstimate]],
) -> float | None:
    ratios = [
        crowded[size][pair].typical_s / point.typical_s
        for size, pairs in alone.items()
        for pair, point in pairs.items()
        if pair in crowded.get(size, {})
    ]
    return float(np.median(ratios)) if ratios else None

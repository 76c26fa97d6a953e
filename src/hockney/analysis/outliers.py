"""Outliers: nodes, places and pairs that are slower than their group.

Every pair is compared with the pairs whose ranks share as much (analysis/places.py) and that are
timed alike. A node is what its pairs with other nodes have in common, a place what all its pairs
have; who is named as a whole is not named once more for each pair.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hockney.analysis.places import places_of, shared
from hockney.estimate.differences import holm
from hockney.estimate.launches import MAD_TO_SIGMA
from hockney.estimate.points import Estimates, PointEstimate
from hockney.estimate.states import cluster
from hockney.lazy import lazy_imports
from hockney.records import Place, Run
from hockney.spec.axes import Key, key_without

with lazy_imports():
    from scipy.special import stdtr

LEAST_RATIO = 1.10
"""Smaller differences are normal: cables, distances and counters cause as much."""
SIGNIFICANCE = 0.01
LEAST_SPREAD = 0.01
"""Least spread of log times that is assumed; simulated times have no spread at all."""
MAD_EFFICIENCY = 0.37
"""So many independent values is each worth to the median absolute deviation (Rousseeuw & Croux
1993, JASA 88, doi 10.1080/01621459.1993.10476408)."""
LEAST_MEMBERS = 5
"""Members of a group that are needed to find an outlier among them."""
LEAST_PAIRS = 3
"""Pairs with different partners that are needed to name a place or a node."""
LEVEL_FRACTION = 0.1
"""Pairs of a group with similar times are a level of the network from this fraction on ..."""
STAR_FRACTION = 0.5
"""... unless more than this of them have one place in common."""
AGREEING = 0.8
"""Fraction of launches that must show it, too."""
RULE = (
    "an outlier is more than 10 % above the median of its group, by a robust z score (Iglewicz & "
    "Hoaglin 1993: distance from the median in median absolute deviations) with p < 1 % after "
    "Holm's correction (1979) for all that were looked at, in 4 of 5 launches; pairs of one group "
    "are those whose places share as much and that are timed alike"
)

Array = NDArray[np.float64]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Outlier:
    """One node, place or pair that is slower than its group."""

    what: str
    """node, place or pair."""
    ranks: tuple[int, ...]
    group: str
    """The hardware that the ranks of its pairs share (places.SHARED)."""
    operation: str
    bytes: int
    pairs: int
    """Number of pairs at once."""
    ratio: float
    """Time over that of its group, at the size where the ratio is largest."""
    p: float
    """p, corrected for the number of candidates."""
    launches_agreeing: int
    launches: int


@dataclass(frozen=True)
class _Board:
    """All pairs of one size and number at once: log times against each one's level."""

    point: PointEstimate
    pairs: tuple[Pair, ...]
    groups: tuple[str, ...]
    residuals: Array
    """Shape (pairs,)."""
    launch_residuals: Array
    """Shape (launches, pairs)."""


@dataclass(frozen=True)
class _Suspect:
    board: _Board
    ranks: tuple[int, ...]
    members: list[int]
    """Indices of its pairs in the board."""
    residual: float
    p: float = 1.0


def find_outliers(run: Run, estimates: Estimates) -> list[Outlier] | None:
    """Outliers by RULE in the headline state, nodes first; None where there are too few pairs to
    judge."""
    places = places_of(run)
    boards = _boards(estimates, places)
    if not boards:
        return None
    nodes = _significant("node", [_nodes(board, places) for board in boards])
    named = {rank for one in nodes for rank in one.ranks}
    found_places = _significant("place", [_single_ranks(board, places, named) for board in boards])
    named |= {rank for one in found_places for rank in one.ranks}
    pairs = _significant("pair", [_pairs(board, named) for board in boards])
    return [*nodes, *found_places, *pairs]


def _boards(estimates: Estimates, places: Mapping[int, Place]) -> list[_Board]:
    by_point: dict[Key, dict[Pair, PointEstimate]] = {}
    for point in estimates.own():
        if not point.is_one_pair or not min(point.medians_s) > 0.0:
            continue
        key = key_without(point, "peers", "level")
        pair = (min(point.peers), max(point.peers))
        other = by_point.setdefault(key, {}).get(pair)
        if other is None or point.typical_s > other.typical_s:  # each rank may have timed it
            by_point[key][pair] = point
    return [_board(points, places) for points in by_point.values() if len(points) >= LEAST_MEMBERS]


def _board(points: Mapping[Pair, PointEstimate], places: Mapping[int, Place]) -> _Board:
    pairs = tuple(points)
    groups = tuple(shared(places.get(a), places.get(b)) for a, b in pairs)
    logs = np.log([point.typical_s for point in points.values()])
    levels = np.empty(len(pairs))
    for group in set(groups):
        members = np.flatnonzero([name == group for name in groups])
        levels[members] = _levels(logs[members], [pairs[i] for i in members], places)
    launches = sorted({n for point in points.values() for n in point.launch_numbers})
    each = np.full((len(launches), len(pairs)), np.nan)
    for column, point in enumerate(points.values()):
        for launch, median in zip(point.launch_numbers, point.medians_s, strict=True):
            each[launches.index(launch), column] = math.log(median) - levels[column]
    each -= np.nanmedian(each, axis=1, keepdims=True)
    return _Board(next(iter(points.values())), pairs, groups, logs - levels, each)


def _levels(logs: Array, pairs: Sequence[Pair], places: Mapping[int, Place]) -> Array:
    """The log time of each pair's level: the nearest of those that the network itself has."""
    labels = cluster(np.exp(logs), least=max(LEAST_PAIRS, math.ceil(LEVEL_FRACTION * len(logs))))
    centres = [
        float(np.median(logs[labels == label]))
        for label in range(int(labels.max()) + 1)
        if not _is_star([pairs[i] for i in np.flatnonzero(labels == label).tolist()], places)
    ]
    known = np.array(centres or [float(np.median(logs))])
    return np.asarray(known[np.abs(logs[:, None] - known).argmin(axis=1)])


def _is_star(pairs: Sequence[Pair], places: Mapping[int, Place]) -> bool:
    """True if the pairs have one rank, or between nodes one node, in common."""
    ends: Counter[object] = Counter()
    for pair in pairs:
        hosts = {places[rank].host for rank in pair if rank in places}
        ends.update(pair)
        ends.update(hosts if len(hosts) == 2 else ())
    return max(ends.values()) > STAR_FRACTION * len(pairs)


def _nodes(board: _Board, places: Mapping[int, Place]) -> list[_Suspect]:
    """Nodes by their pairs with at least LEAST_PAIRS others."""
    members: dict[str, list[int]] = {}
    others: dict[str, set[str]] = {}
    for i, (first, second) in enumerate(board.pairs):
        a, b = (places[r].host if r in places else None for r in (first, second))
        if a is None or b is None or a == b:
            continue
        for host, other in ((a, b), (b, a)):
            members.setdefault(host, []).append(i)
            others.setdefault(host, set()).add(other)
    measured = {rank for pair in board.pairs for rank in pair}
    return _judged(
        _Suspect(
            board,
            tuple(sorted(r for r in measured if r in places and places[r].host == host)),
            pairs,
            float(np.median(board.residuals[pairs])),
        )
        for host, pairs in members.items()
        if len(others[host]) >= LEAST_PAIRS
    )


def _single_ranks(
    board: _Board, places: Mapping[int, Place], named: Iterable[int]
) -> list[_Suspect]:
    """Ranks by all their pairs; the only one of its node was judged as a node."""
    members: dict[int, list[int]] = {}
    for i, pair in enumerate(board.pairs):
        for rank in pair:
            members.setdefault(rank, []).append(i)
    company = Counter(places[rank].host for rank in members if rank in places)
    left_out = set(named)
    return _judged(
        _Suspect(board, (rank,), pairs, float(np.median(board.residuals[pairs])))
        for rank, pairs in members.items()
        if len(pairs) >= LEAST_PAIRS
        and rank not in left_out
        and not (rank in places and company[places[rank].host] == 1 and len(company) > 1)
    )


def _pairs(board: _Board, named: Iterable[int]) -> list[_Suspect]:
    """Pairs against those of their group, where neither end was named."""
    left_out = set(named)
    suspects = []
    for group in set(board.groups):
        suspects += _judged(
            _Suspect(board, pair, [i], float(board.residuals[i]))
            for i, pair in enumerate(board.pairs)
            if board.groups[i] == group and not left_out.intersection(pair)
        )
    return suspects


def _judged(each: Iterable[_Suspect]) -> list[_Suspect]:
    """Adds the p value of each one among the others."""
    suspects = list(each)
    if len(suspects) < LEAST_MEMBERS:
        return []
    residuals, p = robust_p(np.array([suspect.residual for suspect in suspects]))
    return [
        replace(one, residual=residual, p=value)
        for one, residual, value in zip(suspects, residuals.tolist(), p.tolist(), strict=True)
    ]


def robust_p(logs: Array) -> tuple[Array, Array]:
    """Distances of log times from their median, and the one-sided p of each one's robust z score:
    by Student's t with the freedom that the median absolute deviation has."""
    residuals = logs - np.median(logs)
    spread = max(MAD_TO_SIGMA * float(np.median(np.abs(residuals))), LEAST_SPREAD)
    freedom = max(MAD_EFFICIENCY * (len(logs) - 1), 1.0)
    return residuals, np.asarray(stdtr(freedom, -residuals / spread))


def _significant(what: str, boards: Iterable[Sequence[_Suspect]]) -> list[Outlier]:
    """Applies RULE and returns each outlier once, at the point where its ratio is largest."""
    suspects = [suspect for board in boards for suspect in board]
    corrected = holm(np.array([suspect.p for suspect in suspects]))
    worst: dict[tuple[int, ...], Outlier] = {}
    for suspect, p in zip(suspects, corrected.tolist(), strict=True):
        if suspect.residual <= math.log(LEAST_RATIO) or p >= SIGNIFICANCE:
            continue
        found = _outlier(what, suspect, p)
        known = worst.get(found.ranks)
        enough = found.launches_agreeing >= AGREEING * found.launches
        if enough and (known is None or found.ratio > known.ratio):
            worst[found.ranks] = found
    return sorted(worst.values(), key=lambda one: -one.ratio)


def _outlier(what: str, suspect: _Suspect, p: float) -> Outlier:
    board = suspect.board
    residuals = board.launch_residuals[:, suspect.members]
    took_part = ~np.isnan(residuals).all(axis=1)
    each = np.nanmedian(residuals[took_part], axis=1)
    groups = Counter(board.groups[i] for i in suspect.members)
    return Outlier(
        what=what,
        ranks=suspect.ranks,
        group=groups.most_common(1)[0][0],
        operation=board.point.operation,
        bytes=board.point.bytes,
        pairs=board.point.pairs or 1,
        ratio=math.exp(suspect.residual),
        p=p,
        launches_agreeing=int((each > math.log(LEAST_RATIO) / 2.0).sum()),
        launches=len(each),
    )

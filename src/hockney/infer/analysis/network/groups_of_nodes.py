"""Slow nodes with one cause: nodes behind the same links, and two halves of a network."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hockney.infer.analysis.network.boards import Fault
from hockney.infer.analysis.network.candidates import SearchedBoard
from hockney.infer.analysis.network.outlier_rule import LEAST_RATIO
from hockney.infer.arrays import Whole
from hockney.infer.estimate.states import cluster

NEAREST = 0.05
"""Quantile of the times of pairs without slow nodes, taken as the time of the nearest pairs."""
LEAST_NEAR = 3
"""Fewest pairs with similar times that make the nearest level."""


@dataclass(frozen=True)
class SlowGroup:
    """Slow nodes that one cause explains."""

    nodes: tuple[int, ...]
    switch: int | None
    """The known switch that has exactly these nodes; None without one."""
    like: int
    """Number of groups of near nodes by the times if these nodes are one of them; else 0."""


def parts_of(
    slow: Mapping[int, Fault],
    switch_of: Whole,
    board: SearchedBoard,
    groups: list[set[int]],
) -> list[SlowGroup]:
    """Slow nodes by their cause. slow: faults by node; switch_of: shape (nodes,); board: the one
    that shows them best; groups: of near nodes."""
    rest, slow_groups = set(slow), []
    for switch, count in Counter(switch_of[switch_of >= 0].tolist()).items():
        own = set(np.flatnonzero(switch_of == switch).tolist())
        if count > 1 and own <= rest:
            slow_groups.append(SlowGroup(tuple(sorted(own)), switch, 0))
            rest -= own
    nodes = np.array(sorted(rest), np.int64)
    numbers = connected(_near_each_other(rest, slow, board), len(switch_of))[nodes]
    for number in np.unique(numbers):
        group = nodes[numbers == number].tolist()
        alike = sum(len(other) > 1 for other in groups) if set(group) in groups else 0
        slow_groups.append(SlowGroup(tuple(group), None, alike))
    return slow_groups


def _near_each_other(rest: set[int], slow: Mapping[int, Fault], board: SearchedBoard) -> Whole:
    """Shape (pairs, 2): slow nodes that are not slow to each other."""
    hosts = board.hosts
    is_usual = board.open & ~np.isin(hosts, list(slow)).any(axis=1)
    both = np.flatnonzero(board.open & np.isin(hosts, list(rest)).all(axis=1))
    nearest = {
        kind: np.quantile(usual, NEAREST)
        for kind in np.unique(board.kinds[both]).tolist()
        if len(usual := board.logs[is_usual & (board.kinds == kind)])
    }

    def are_near(i: int) -> bool:
        least = math.log(min(slow[node].ratio for node in hosts[i].tolist()))
        return bool(board.logs[i] <= nearest.get(board.kinds[i].item(), -math.inf) + least / 2.0)

    return hosts[[i for i in both.tolist() if are_near(i)]]


def near_groups(board: SearchedBoard, count: int) -> list[set[int]]:
    """Groups of nodes that pairs of the nearest level connect; empty if there is one level."""
    logs, ends = board.logs[board.open], board.hosts[board.open]
    if len(logs) < LEAST_NEAR:
        return []
    labels = cluster(np.exp(logs), least=LEAST_NEAR)
    farther = logs[labels > 0]
    if not len(farther):
        return []
    border = (logs[labels == 0].max() + farther.min()) / 2.0
    if farther.min() - logs[labels == 0].max() < math.log(LEAST_RATIO):
        return []
    numbers = connected(ends[logs <= border], count)
    return [
        set(np.flatnonzero(numbers == number).tolist()) & set(ends.ravel().tolist())
        for number in range(numbers.max() + 1)
    ]


def connected(ends: Whole, count: int) -> Whole:
    """Shape (count,): the number of each one's group, which pairs connect. ends: shape (pairs,
    2)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(ends)), ends.T), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)

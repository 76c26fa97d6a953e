"""Slow nodes, switches and cables of a network, from the times of all pairs.

Every time is compared with the median of its level. A cable stands for the pairs of nodes of two
switches. A node is judged by how much slower its pairs are than others of the same cables, so that
a slow switch makes none of its nodes an outlier; a switch by the median of its cables; and a cable
where neither of its switches is slow. What is named takes no part in later tests.

A narrow cable delays only pairs that met in it in the same round, which may be fewer than half of
its pairs: it is judged by their upper quartile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockney.analysis.outliers import AGREEING, LEAST_MEMBERS, LEAST_PAIRS, LEAST_RATIO, robust_p
from hockney.analysis.pairwise import Array, Pairwise, Whole, median_of_passes, medians_by
from hockney.estimate.differences import holm

SIGNIFICANCE = 0.01 / 3.0
"""Nodes, switches and cables are tested one after the other, each kind with a third of 1 %."""
NODE, UPLINK, INSIDE, CABLE = "node", "uplink", "switch", "cable"
RULE = (
    "a node, a switch or a cable (the pairs of nodes of two switches) is an outlier if it is more "
    "than 10 % above the median of its kind, by a robust z score (Iglewicz & Hoaglin 1993) with "
    "p < 1 % after Holm's correction (1979) for all of its kind and Bonferroni's for the kinds, in "
    "4 of 5 passes; times are compared with the median of their level; a cable has the upper "
    "quartile of its pairs, a node or a switch the median"
)

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Suspect:
    """One node, switch or cable that is an outlier."""

    what: str
    """node; uplink, for the links from a switch to others; switch, for what is inside of it; or
    cable, for two switches."""
    names: tuple[str, ...]
    """The node, or one or two switches."""
    bytes: int
    pairs: int
    """Pairs of ranks that show it."""
    typical_s: float
    """The median of these pairs; of a cable their upper quartile."""
    usual_s: float
    """The median of pairs of the same levels."""
    ratio: float
    """Its time over that of its kind, at the size where it is largest."""
    p: float
    """Corrected for all candidates of its kind."""
    passes_agreeing: int
    passes: int


@dataclass(frozen=True)
class Verdict:
    """What is slow in a network."""

    suspects: tuple[Suspect, ...]
    nodes: int
    """How many nodes, switches and cables were judged."""
    switches: int
    cables: int


@dataclass(frozen=True)
class _Candidate:
    size: int
    """Position in `Pairwise.bytes`."""
    names: tuple[int, ...]
    """Numbers of the node or the switches."""
    excess: float
    p: float = 1.0


class _Board:
    """The pairs of one size between different nodes, and what is left of them."""

    def __init__(self, pairwise: Pairwise, size: int) -> None:
        self.size = size
        self.first, self.second = _hosts(pairwise)[pairwise.ends].T
        count = len(pairwise.switches)
        ends = np.sort(pairwise.switch[pairwise.ends], axis=1)
        self.count = count
        self.cable: Whole = ends[:, 0] * max(count, 1) + ends[:, 1]
        self.is_known: Flags = ends[:, 0] >= 0
        self.inside: Flags = ends[:, 0] == ends[:, 1]
        self.left: Flags = self.first != self.second
        self.excess: Array = np.log(
            pairwise.typical_s[size] / pairwise.level_medians_s[size][pairwise.level]
        )

    def cables(self) -> tuple[Whole, Array]:
        """The cables with pairs that are left, and the median of each one's pairs."""
        chosen = self.left & self.is_known
        return medians_by(self.cable[chosen], self.excess[chosen])

    def loaded(self) -> tuple[Whole, Array]:
        """The cables between switches, and the upper quartile of each one's pairs."""
        chosen = self.left & self.is_known & ~self.inside
        order = np.argsort(self.cable[chosen], kind="stable")
        cables, starts = np.unique(self.cable[chosen][order], return_index=True)
        each = np.split(self.excess[chosen][order], starts[1:]) if len(cables) else []
        return cables, np.array([_upper_quartile(values) for values in each])


def verdict_of(pairwise: Pairwise) -> Verdict:
    """Outliers by RULE: nodes first, then switches, then cables."""
    boards = [_Board(pairwise, size) for size in range(len(pairwise.bytes))]
    names = _host_names(pairwise)
    suspects: list[Suspect] = []

    found, nodes = _named([_nodes(board, pairwise) for board in boards])
    for one in found:
        suspects += _suspect(NODE, one, boards, pairwise, (names[one.names[0]],))
    for board in boards:
        slow = [one.names[0] for one in found]
        board.left &= ~(np.isin(board.first, slow) | np.isin(board.second, slow))

    inside, _ = _named([_inside(board) for board in boards])
    for one in inside:
        suspects += _suspect(INSIDE, one, boards, pairwise, _switch_names(one, pairwise))
    uplinks, switches = _named([_uplinks(board) for board in boards])
    for one in uplinks:
        suspects += _suspect(UPLINK, one, boards, pairwise, _switch_names(one, pairwise))

    slow_switches = {one.names[0] for one in uplinks}
    cables, count = _named([_cables(board, slow_switches) for board in boards])
    for one in cables:
        suspects += _suspect(CABLE, one, boards, pairwise, _switch_names(one, pairwise))
    return Verdict(tuple(suspects), nodes, switches, count)


def _hosts(pairwise: Pairwise) -> Whole:
    """Shape (ranks,): the number of each one's node among `_host_names`."""
    numbers = {name: i for i, name in enumerate(_host_names(pairwise))}
    return np.array([numbers[pairwise.host(i)] for i in range(len(pairwise.ranks))])


def _host_names(pairwise: Pairwise) -> list[str]:
    return list(dict.fromkeys(pairwise.host(i) for i in range(len(pairwise.ranks))))


def _nodes(board: _Board, pairwise: Pairwise) -> list[_Candidate]:
    """Nodes against the medians of their cables; of a switch with too few nodes none can be told
    from its switch."""
    known, medians = board.cables()
    usual = np.zeros(len(board.excess))
    chosen = board.left & board.is_known
    usual[chosen] = medians[np.searchsorted(known, board.cable[chosen])]
    rest = (board.excess - usual)[board.left]
    ends = np.concatenate([board.first[board.left], board.second[board.left]])
    nodes, excess = medians_by(ends, np.concatenate([rest, rest]))
    pairs = np.bincount(ends)
    hosts = _hosts(pairwise)
    home = np.full(hosts.max() + 1, -1)
    home[hosts] = pairwise.switch
    company = np.bincount(home[home >= 0], minlength=1)
    judged = [
        _Candidate(board.size, (node,), value)
        for node, value in zip(nodes.tolist(), excess.tolist(), strict=True)
        if pairs[node] >= LEAST_PAIRS and (home[node] < 0 or company[home[node]] >= LEAST_PAIRS)
    ]
    return _judged(judged)


def _inside(board: _Board) -> list[_Candidate]:
    known, medians = board.cables()
    return _judged(
        _Candidate(board.size, (cable // board.count,), excess)
        for cable, excess in zip(known.tolist(), medians.tolist(), strict=True)
        if cable // board.count == cable % board.count
    )


def _uplinks(board: _Board) -> list[_Candidate]:
    """Switches by the median of their cables."""
    cables, medians = _between(board)
    switches = np.concatenate([cables // board.count, cables % board.count])
    known, excess = medians_by(switches, np.concatenate([medians, medians]))
    counts = np.bincount(switches, minlength=board.count)
    return _judged(
        _Candidate(board.size, (switch,), value)
        for switch, value in zip(known.tolist(), excess.tolist(), strict=True)
        if counts[switch] >= LEAST_PAIRS
    )


def _cables(board: _Board, slow: set[int]) -> list[_Candidate]:
    """Cables of which neither switch is slow as a whole."""
    cables, quartiles = board.loaded()
    return _judged(
        _Candidate(board.size, ends, excess)
        for cable, excess in zip(cables.tolist(), quartiles.tolist(), strict=True)
        if slow.isdisjoint(ends := divmod(cable, board.count))
    )


def _upper_quartile(values: NDArray[Any]) -> float:
    """The largest of the known values that a quarter of them reaches: one slow pair of three is no
    slow cable."""
    return float(np.nanquantile(values, 0.75, method="lower"))


def _between(board: _Board) -> tuple[Whole, Array]:
    if not board.count:
        return np.empty(0, np.int64), np.empty(0)
    cables, medians = board.cables()
    between = cables // board.count != cables % board.count
    return cables[between], medians[between]


def _judged(each: Iterable[_Candidate]) -> list[_Candidate]:
    """Adds the p value of each one among the others."""
    candidates = list(each)
    if len(candidates) < LEAST_MEMBERS:
        return []
    excess, p = robust_p(np.array([one.excess for one in candidates]))
    return [
        _Candidate(one.size, one.names, *values)
        for one, *values in zip(candidates, excess.tolist(), p.tolist(), strict=True)
    ]


def _named(boards: Sequence[Sequence[_Candidate]]) -> tuple[list[_Candidate], int]:
    """Outliers of one kind, each at the size of its largest ratio; and how many were judged."""
    every = [one for board in boards for one in board]
    corrected = holm(np.array([one.p for one in every]))
    worst: dict[tuple[int, ...], _Candidate] = {}
    for one, p in zip(every, corrected.tolist(), strict=True):
        if one.excess > math.log(LEAST_RATIO) and p < SIGNIFICANCE:
            known = worst.get(one.names)
            if known is None or one.excess > known.excess:
                worst[one.names] = _Candidate(one.size, one.names, one.excess, p)
    found = sorted(worst.values(), key=lambda one: -one.excess)
    return found, max((len(board) for board in boards), default=0)


def _suspect(
    what: str,
    one: _Candidate,
    boards: Sequence[_Board],
    pairwise: Pairwise,
    names: tuple[str, ...],
) -> list[Suspect]:
    """The suspect, unless too few of the passes show it."""
    members = _members(what, one, boards[one.size])
    levels = pairwise.level[members]
    usual = pairwise.level_medians_s[one.size][levels]
    each = pairwise.seconds[one.size][:, members]
    made = ~np.isnan(each).all(axis=1)
    typical = _upper_quartile if what == CABLE else np.nanmedian
    excess = np.array([typical(np.log(times / usual)) for times in each[made]])
    agreeing = int((excess > math.log(LEAST_RATIO) / 2.0).sum())
    if agreeing < AGREEING * len(excess):
        return []
    return [
        Suspect(
            what=what,
            names=names,
            bytes=pairwise.bytes[one.size],
            pairs=len(members),
            typical_s=float(typical(median_of_passes(each))),
            usual_s=float(np.median(usual)),
            ratio=math.exp(one.excess),
            p=one.p,
            passes_agreeing=agreeing,
            passes=len(excess),
        )
    ]


def _members(what: str, one: _Candidate, board: _Board) -> Whole:
    """The pairs that show a suspect."""
    if what == NODE:
        chosen = (board.first == one.names[0]) | (board.second == one.names[0])
        return np.flatnonzero(chosen & board.left)
    first, second = board.cable // max(board.count, 1), board.cable % max(board.count, 1)
    if what == CABLE:
        chosen = (first == one.names[0]) & (second == one.names[1])
    else:
        own = (first == one.names[0]) | (second == one.names[0])
        chosen = own & (board.inside if what == INSIDE else ~board.inside)
    return np.flatnonzero(chosen & board.left & board.is_known)


def _switch_names(one: _Candidate, pairwise: Pairwise) -> tuple[str, ...]:
    return tuple(pairwise.switches[number] for number in one.names)

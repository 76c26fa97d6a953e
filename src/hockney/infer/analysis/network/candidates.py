"""Candidates of one kind at every size, and which of them are slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockney.base.units import format_ratio
from hockney.infer.analysis.network.boards import (
    MORE,
    PAIR,
    Board,
    Fault,
    Judgement,
    Network,
)
from hockney.infer.analysis.network.outlier_rule import (
    LEAST_RATIO,
    MOST_FRACTION,
    SURE,
    Tested,
    effective,
    slower_kind,
    tested,
)
from hockney.infer.arrays import Array, Flags, Whole

AGREEING = 0.8
"""Fraction of launches that must agree that a candidate is slow."""
OTHERS = "more of them to compare, or --topology with the switches that account for it"

Units = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class SearchedBoard(Board):
    """A board, and which of its pairs are still to be tested."""

    number: int
    hosts: Whole
    """Shape (pairs, 2): the nodes of its pairs."""
    apart: Flags
    """Shape (pairs,): those between two nodes."""
    left: Flags
    """Shape (pairs,): those that take part in the next tests."""

    @property
    def open(self) -> Flags:
        """Those between two nodes that take part in the next tests."""
        return self.apart & self.left


@dataclass(frozen=True)
class Peers:
    """Candidates of one kind and size, compared with each other."""

    what: str
    """Name of the kind, in the plural."""
    board: SearchedBoard
    units: Sequence[Units]
    values: Array
    """Shape (units,): log times relative to the usual one."""
    members: Callable[[Units], Whole]
    """The pairs of a candidate."""
    beside_others: Tested | None = None
    """The test of candidates that are too few for one of their own."""

    @cached_property
    def test(self) -> Tested:
        return self.beside_others or tested(self.values)


@dataclass(frozen=True)
class CandidateFamily:
    """All candidates of one kind, which share an error rate."""

    kind: str
    sets: Sequence[Peers]
    level: float
    network: Network

    @cached_property
    def tests(self) -> float:
        """Candidates times independent looks: sizes that show the same are one."""
        looks: dict[tuple[Units, ...], list[Array]] = {}
        for peers in self.sets:
            looks.setdefault(tuple(peers.units), []).append(peers.values)
        return sum(len(units) * effective(np.stack(each)) for units, each in looks.items())

    @property
    def most(self) -> int:
        """Most candidates compared at one size."""
        counts: dict[int, int] = {}
        for peers in self.sets:
            counts[peers.board.number] = counts.get(peers.board.number, 0) + len(peers.units)
        return max(counts.values(), default=0)


def slow_ones(
    family: CandidateFamily, judgement: Judgement
) -> tuple[dict[Units, Fault], set[Units]]:
    """Slow candidates, each at the size where its ratio is largest; and those of sets in which so
    many differ that none can be named, which is a doubt."""
    worst: dict[Units, Fault] = {}
    many: set[Units] = set()
    for peers in family.sets:
        p = np.minimum(peers.test.p * family.tests, 1.0)
        excess = np.where(p < family.level, peers.test.excess, 0.0)
        slow = np.flatnonzero(excess > math.log(family.network.least_ratio)).tolist()
        judgement.hides |= int((excess > math.log(LEAST_RATIO)).sum()) > len(slow)
        slow = _without_met(family.kind, peers, slow, judgement)
        if len(slow) > max(MOST_FRACTION * len(peers.units), 1.0):
            many.update(peers.units[i] for i in slow)
            judgement.doubt(_too_many(len(slow), peers), OTHERS)
            continue
        for i in slow:
            fault = _fault(family, peers, i, float(p[i]))
            if fault.agreeing < AGREEING * fault.launches:
                judgement.doubt(_changing(fault, peers), MORE)
            elif fault.units not in worst or fault.ratio > worst[fault.units].ratio:
                worst[fault.units] = fault
    return {units: worst[units] for units in worst if units not in many}, many


def of_slower_kind(sets: Sequence[Peers], many: set[Units], judgement: Judgement) -> set[Units]:
    """The slower ones of sets that are of two kinds, either of which may be the normal one: a
    doubt. many: those of which too many are slow; the rest of their kind belongs to them."""
    slower_units: set[Units] = set()
    for peers in sets:
        least = 0.0 if many & {*peers.units} else math.log(LEAST_RATIO)
        slower = {peers.units[i] for i in slower_kind(peers.values, least).tolist()}
        if slower and not slower & many:
            judgement.doubt(_too_many(len(slower), peers), OTHERS)
        slower_units |= slower
    return slower_units


def without_fast_partners(sets: Sequence[Peers], judgement: Judgement) -> set[Units]:
    """Those that have no partner as fast as others have, where known switches account for the
    paths: a doubt. Where half of the nodes are slow, three quarters of the pairs are, and only the
    fastest quarter of a node's pairs shows which."""
    without_partner: set[Units] = set()
    for peers in sets:
        delays = peers.board.delays
        each = [np.quantile(delays[peers.members(unit)], MOST_FRACTION) for unit in peers.units]
        slower = slower_kind(np.array(each)).tolist()
        if slower and not without_partner:
            judgement.doubt(
                f"{len(slower)} of {len(peers.units)} {peers.what} have no partner as fast as the "
                f"others have at {peers.board.name}: either kind may be the normal one",
                "compare with an earlier run",
            )
        without_partner |= {peers.units[i] for i in slower}
    return without_partner


def check_sight(family: CandidateFamily, judgement: Judgement, at_any_size: bool) -> None:
    """Adds a doubt where a candidate slower by SURE could stay unseen: at any size, or at all."""
    unseen: dict[tuple[Units, ...], list[tuple[float, Peers]]] = {}
    for peers in family.sets:
        least = peers.test.least_found(family.tests, family.level)
        unseen.setdefault(tuple(peers.units), []).append((least, peers))
    for each in unseen.values():
        chosen = [min(each, key=lambda look: look[0])] if at_any_size else each
        for least, peers in chosen:
            if least > SURE:
                judgement.unsure(peers.what, peers.board.name, least)


def _without_met(kind: str, peers: Peers, slow: list[int], judgement: Judgement) -> list[int]:
    """The slow candidates that links shared with other pairs of their round do not explain."""
    board = peers.board
    each = [peers.members(peers.units[i]) for i in slow]
    together = np.concatenate(each) if each else np.empty(0, np.int64)
    own = each if kind == PAIR else [together] * len(each)
    met = [
        board.met_others(members, rest, board.left) for members, rest in zip(each, own, strict=True)
    ]
    if any(met):
        judgement.doubt(
            f"{sum(met)} of {len(peers.units)} {peers.what} were slow at {board.name} in rounds in "
            "which others were slow, too: they may have shared a link",
            "--serial measures one pair at a time",
        )
    return [i for i, has_met in zip(slow, met, strict=True) if not has_met]


def _fault(family: CandidateFamily, peers: Peers, i: int, p: float) -> Fault:
    members, excess = peers.members(peers.units[i]), float(peers.test.excess[i])
    each = excess + peers.board.shifts(members)
    return Fault(
        kind=family.kind,
        units=peers.units[i],
        board=peers.board.number,
        members=members,
        ratio=math.exp(excess),
        p=None if family.network.is_simulated else p,
        agreeing=int((each > math.log(LEAST_RATIO) / 2.0).sum()),
        launches=len(each),
    )


def _too_many(count: int, peers: Peers) -> str:
    return (
        f"{count} of {len(peers.units)} {peers.what} take longer than the rest at "
        f"{peers.board.name}: too many to say which kind is normal"
    )


def _changing(fault: Fault, peers: Peers) -> str:
    return (
        f"one of the {peers.what} is {format_ratio(fault.ratio)} times as slow at "
        f"{peers.board.name}, but only in {fault.agreeing} of {fault.launches} launches"
    )

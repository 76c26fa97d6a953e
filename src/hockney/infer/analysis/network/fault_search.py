"""The search for slow components among the times of pairs: what is left, and what was found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields

import numpy as np

from hockney.infer.analysis.network.boards import (
    CABLE,
    INSIDE,
    NODE,
    PAIR,
    PLACE,
    Board,
    Fault,
    Judgement,
    Network,
)
from hockney.infer.analysis.network.candidates import (
    CandidateFamily,
    Peers,
    SearchedBoard,
    Units,
    check_sight,
    slow_ones,
)
from hockney.infer.analysis.network.outlier_rule import SIGNIFICANCE, SOUGHT
from hockney.infer.arrays import Whole

LEAST_PARTNERS = 3
"""Fewest partners by which a node or place is judged."""
MOST_STEP = 1.75
"""Ratio of times between two halves of a network to those within above which there is a doubt: more
than one more tier of switches costs. With two halves there is no third to compare with."""
MOST_FOR_NOISE = 64
"""Most units whose variation over launches is computed."""


class FaultSearch:
    """Tests candidates of one kind after another; what is named takes no part in later tests."""

    def __init__(self, boards: Sequence[Board], network: Network) -> None:
        self.network = network
        self.boards = [self._searched(*of) for of in enumerate(boards)]
        self.outcome = Judgement()
        self.level = SIGNIFICANCE / len(self._kinds())
        """Significance of each kind, which are tested one after the other: a part of
        SIGNIFICANCE."""

    def _searched(self, number: int, board: Board) -> SearchedBoard:
        hosts = self.network.host[board.ends]
        return SearchedBoard(
            **{field.name: getattr(board, field.name) for field in fields(board)},
            number=number,
            hosts=hosts,
            apart=(hosts >= 0).all(axis=1) & (hosts[:, 0] != hosts[:, 1]),
            left=np.ones(len(hosts), np.bool_),
        )

    def _kinds(self) -> set[str]:
        """The kinds of components that can be compared."""
        several = any(
            (partners(board.ends, len(self.network.host)) >= LEAST_PARTNERS).any()
            for board in self.boards
        )
        kinds = {PAIR, *((NODE, PLACE) if several else ())}
        return kinds | ({INSIDE, CABLE} if self.network.knows_switches else set())

    def tested(
        self, kind: str, sets: Sequence[Peers]
    ) -> tuple[CandidateFamily, dict[Units, Fault], set[Units]]:
        """Slow ones of one kind, and those that cannot be named."""
        family = CandidateFamily(kind, sets, self.level, self.network)
        slow, many = slow_ones(family, self.outcome)
        self.outcome.judged[kind] = family.most
        # Lines of a regular network differ in latency by nature, in bandwidth hardly.
        check_sight(family, self.outcome, at_any_size=kind in (CABLE, PAIR))
        return family, slow, many

    def add(self, faults: Iterable[Fault]) -> None:
        self.outcome.faults += sorted(faults, key=lambda fault: -fault.ratio)

    def leave_out(self, units: Sequence[Whole], named: Iterable[int]) -> None:
        chosen = list(named)
        for board, ends in zip(self.boards, units, strict=True):
            board.left[np.isin(ends, chosen).any(axis=1)] = False

    def check_noise(self, family: CandidateFamily) -> None:
        """A doubt where noise hides a node, or a pair if no nodes are judged, that is slower by
        SOUGHT. Differences by nature may hide as much, which cannot be known."""
        if self.network.is_simulated:
            return
        for peers in family.sets:
            noise = self._noise(peers)
            least = peers.test.least_found(family.tests, family.level, noise)
            if least > SOUGHT:
                self.outcome.unsure(peers.what, peers.board.name, least)

    def _noise(self, peers: Peers) -> float | None:
        """The standard deviation of a unit's value by chance; None where launches do not show
        it."""
        board = peers.board
        if len(board.launches) < 2:
            return None
        shifts = [board.shifts(peers.members(unit)) for unit in peers.units[:MOST_FOR_NOISE]]
        each = [float(np.var(shift, ddof=1)) / len(shift) for shift in shifts if len(shift) > 1]
        return math.sqrt(math.pi / 2.0 * float(np.mean(each))) if each else None


def partners(ends: Whole, count: int) -> Whole:
    """How many different partners each unit has."""
    both = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    return np.asarray(np.bincount(both[both[:, 0] != both[:, 1], 0], minlength=count))

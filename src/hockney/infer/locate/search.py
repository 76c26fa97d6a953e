"""Which rounds to make next, until one explanation is far likelier than all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.locate.candidates import Routes
from hockney.infer.locate.design import all_rounds, drawn, separating
from hockney.infer.locate.explanations import Explanations
from hockney.infer.locate.odds import SURE, RoundTimes

FIRST, NEXT = 16, 12
"""Rounds of the first step and of each other one."""
LEAST, PART = 40, 0.02
"""At most so many rounds are made, or this part of those of all pairs, whichever is more; of few
ranks all pairs CONFIRMED times."""
SEED = 1
CONFIRMED = 2
"""Steps that must have shown a fault: a start of all processes may slow one of them."""
OPEN, UNCLEAR = 1.0, 0.05
"""How much is to be learnt about a part that may be slow, and about one of which too little is
known."""


def most_rounds(ranks: int) -> int:
    every = all_rounds(ranks)
    return min(max(LEAST, int(PART * every)), CONFIRMED * every)


@dataclass
class RoundSearch:
    """The rounds of each step. Ranks that do the same search choose the same rounds."""

    ranks: int
    most: int
    """Most rounds altogether."""
    made: list[int] = field(default_factory=list)
    steps: int = 0

    def first(self) -> list[int]:
        return self._taken(drawn(self.ranks, min(FIRST, self.most), (), self._random()))

    def next(self, network: Routes, times: RoundTimes, judged: Explanations) -> list[int]:
        """The rounds of the next step; empty where all is known, or no more may be made."""
        count = min(NEXT, self.most - len(self.made))
        need = needs(judged, len(network.parts))
        is_known = is_decided(judged) and (not judged.slow_parts or self.steps >= CONFIRMED)
        if count <= 0 or is_known:
            return []
        chosen = separating(
            network, self.ranks, count, self.made, times.weights, need, self._random()
        )
        return self._taken(chosen)

    def _taken(self, rounds: Sequence[int]) -> list[int]:
        self.made += rounds
        self.steps += 1
        return list(rounds)

    def _random(self) -> np.random.Generator:
        return np.random.default_rng([SEED, self.steps])


def is_decided(judged: Explanations) -> bool:
    """Whether nothing is left to be learnt: every fault is separated from all other explanations,
    and all other parts are sound."""
    separated = all(fault.odds_log >= SURE for fault in judged.slow_parts)
    return separated and not len(judged.open) and not len(judged.unclear)


def needs(judged: Explanations, parts: int) -> Array:
    """Shape (parts,): how much is to be learnt about each part."""
    need = np.zeros(parts)
    need[judged.unclear] = UNCLEAR
    need[judged.open] = OPEN
    for fault in judged.slow_parts:
        need[[fault.part, *fault.like]] = OPEN
    return need

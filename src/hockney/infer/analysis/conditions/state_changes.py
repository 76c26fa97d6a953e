"""Rounds in which the machine's state changed, where few rounds of one state are left, or none."""

from __future__ import annotations

from dataclasses import dataclass

from hockney.infer.estimate.states import States

FEW_LEFT = 0.5
"""Fraction of the rounds below which those that are left are few."""


@dataclass(frozen=True)
class StateChanges:
    """The state changed in so many rounds that numbers are of few rounds, or of several states."""

    changed: int
    rounds: int
    mixed: int
    """Number of states that every number mixes; 0 where rounds of one state are left."""

    @classmethod
    def of(cls, states: States) -> StateChanges | None:
        """The changes of a run; None where enough rounds are each of one state."""
        left = len(states.rounds)
        rounds = left + states.changed
        if not states.mixed and left >= FEW_LEFT * rounds:
            return None
        return cls(states.changed, rounds, len(states.mixed))

    @property
    def fact(self) -> str:
        is_all = self.changed == self.rounds
        count = "all" if is_all else f"{self.changed} of"
        changed = f"the state changed in {count} {self.rounds} rounds"
        if not self.mixed:
            return f"{changed}, which are excluded: numbers are of the others"
        others = "" if is_all else ", and too few others are of one state"
        return f"{changed}{others}: numbers mix {self.mixed} states"

    @property
    def text(self) -> str:
        return (
            f"states: {self.fact}. Measure fewer points at once, which makes rounds shorter, or "
            "on a quieter machine"
        )

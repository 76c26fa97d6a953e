"""The order of launches where variants are compared: blocks of one launch of each variant.

Within a block the order is random, and balanced over blocks: in as many blocks as there are
variants, each variant is once in every place (rows of a Latin square). What drifts slowly then
meets all of them alike. The order follows from the run's identity, so that a resumed run continues
it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol, TypeVar

from hockney.estimate.blocks import BlockTimes, block_times, variant_ratios
from hockney.estimate.conditions import conditions_of
from hockney.records import Finish, Probe, Round, Run, Samples
from hockney.spec import Case
from hockney.spec.variants import LEAST_BLOCKS, Comparison

LOOK_EVERY = 1.0 / 8.0
"""Fraction of the budget between two looks at whether the variants are told apart."""
T = TypeVar("T")
R = TypeVar("R", Samples, Probe, Round)


class Launched(Protocol):
    """A case and how far it was measured."""

    case: Case
    run: Run
    launches: int
    is_done: bool
    problem: str | None


A = TypeVar("A", bound=Launched)


class Blocks:
    """What a run that compares variants launches next, and when it may end."""

    def __init__(self, comparison: Comparison, run: Run, budget_s: float) -> None:
        self._comparison = comparison
        self._seed = run.header.id
        self._times: BlockTimes = block_times(run)
        self.looks = _earlier_looks(run.finish, budget_s)
        """Fractions of the budget at which it was judged whether the variants are told apart."""

    def next(self, answers: Sequence[A]) -> A | None:
        """The case of the next launch; None where none is left, or nothing to compare."""
        if not self.can_compare(answers):
            return None
        left = [answer for answer in answers if not answer.is_done]
        if not left:
            return None
        first = min(left, key=lambda answer: answer.launches)
        block = first.launches
        place, alike = _alike(answers, first)
        ordered = order(f"{self._seed}, {place}", block, alike)
        return next(a for a in ordered if a.launches == block and not a.is_done)

    def can_compare(self, answers: Sequence[Launched]) -> bool:
        """True if the first variant and another one can be measured."""
        working = {answer.case.variant for answer in answers if answer.problem is None}
        return self._comparison.names[0] in working and len(working) > 1

    def add(self, answer: Launched) -> None:
        """Adds the last launch of a case, which ended by itself."""
        assert answer.case.variant is not None
        run, last = answer.run, answer.run.launches[-1].launch
        conditions = conditions_of(_newest(run.probes, last), _newest(run.rounds, last))
        samples = _newest(run.samples, last)
        self._times.add(answer.case.variant, answer.launches - 1, samples, conditions)

    def is_decided(self, answers: Sequence[Launched], fraction: float) -> bool:
        """True if a look is due between two blocks, with `fraction` of the budget spent, and it
        shows what is to be decided."""
        launches = {answer.launches for answer in answers if not answer.is_done}
        last = self.looks[-1] if self.looks else 0.0
        is_due = fraction >= last + LOOK_EVERY and fraction < 1.0
        if not is_due or len(launches) != 1 or launches.pop() < LEAST_BLOCKS:
            return False
        self.looks.append(fraction)
        ratios = variant_ratios(self._times, self._comparison, self.looks)
        return bool(ratios) and all(one.is_decided(self._comparison.gate) for one in ratios)


def _newest(records: Sequence[R], launch: int) -> list[R]:
    """Those of the launch, which are the last ones."""
    return list(takewhile(lambda one: one.launch == launch, reversed(records)))


def _alike(answers: Sequence[A], one: A) -> tuple[int, list[A]]:
    """Which of its variant's cases one is, and the same case of every variant: a block of them.
    Titles may differ, as where the algorithm is varied."""
    by_variant: dict[str | None, list[A]] = {}
    for answer in answers:
        by_variant.setdefault(answer.case.variant, []).append(answer)
    own = by_variant[one.case.variant]
    place = next(number for number, answer in enumerate(own) if answer is one)
    return place, [cases[place] for cases in by_variant.values() if place < len(cases)]


def _earlier_looks(finish: Finish | None, budget_s: float) -> list[float]:
    """The looks of a run that is resumed, as fractions of its new budget."""
    if finish is None or not finish.looks:
        return []
    before_s = finish.sampling.get("budget_s", budget_s)
    return [min(look * before_s / budget_s, 1.0) for look in finish.looks]


def order(seed: str, block: int, members: Sequence[T]) -> list[T]:
    """The members in the order of a block (0, 1, ...)."""
    count = len(members)
    square = random.Random(f"{seed}, {block // count}")
    shuffled = square.sample(list(members), count)
    shift = square.sample(range(count), count)[block % count]
    return [*shuffled[shift:], *shuffled[:shift]]

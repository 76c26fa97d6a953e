"""The order of launches where variants are compared: blocks of one launch of each variant.

Within a block the order is random, and balanced over blocks: in as many blocks as there are
variants, each variant takes every place once (rows of a Latin square). Slow drift then affects all
of them alike. The run's identity seeds the order, so that a resumed run continues it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from hockney.infer.estimate.blocks import (
    BlockTimes,
    VariantRatio,
    block_times,
    blocks_needed,
    variant_ratios,
)
from hockney.infer.estimate.conditions import conditions_of
from hockney.plan.variants import LEAST_BLOCKS, Comparison
from hockney.plan.workloads.collective import Collective
from hockney.records import Finish, Run
from hockney.run.measure.sessions.answer import Answer
from hockney.run.measure.sessions.last_launch import of_last_launch

LOOK_EVERY = 1.0 / 8.0
"""Fraction of the budget between two looks at whether the comparison is conclusive."""
FIRST_LOOK, NARROW_EVERY = 0.5, 0.25
"""Fractions of the budget before the first look, and between looks, where the comparison narrows:
the significance level is spent evenly, so that few looks serve."""
T = TypeVar("T")


class Blocks:
    """Chooses the next launch of a run that compares variants, and decides when it may end."""

    def __init__(self, comparison: Comparison, run: Run, budget_s: float) -> None:
        self._comparison = comparison
        self._seed = run.header.id
        self.times: BlockTimes = block_times(run)
        self.looks = _earlier_looks(run.finish, budget_s)
        """Fractions of the budget at which the comparison was tested for a conclusion."""
        self.look_blocks = list(run.finish.look_blocks) if self.looks and run.finish else []
        """The number of blocks made before each look, where the comparison narrows."""
        finish = run.finish
        self.continued = finish.continued if finish else 0
        """How often the run went on after a look that used the whole error rate."""
        self._ended = bool(finish and finish.looks and finish.looks[-1] >= 1.0)
        self._needed = 0

    def next(self, answers: Sequence[Answer]) -> Answer | None:
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

    def can_compare(self, answers: Sequence[Answer]) -> bool:
        """True if the first variant and another one can be measured."""
        working = {answer.case.variant for answer in answers if answer.problem is None}
        return self._comparison.names[0] in working and len(working) > 1

    def add(self, answer: Answer) -> None:
        """Adds the last launch of a case, which ended by itself."""
        assert answer.case.variant is not None
        if self._ended:
            self.continued, self._ended = self.continued + 1, False
        run, last = answer.run, answer.run.launches[-1].launch
        probes, rounds = of_last_launch(run.probes, last), of_last_launch(run.rounds, last)
        conditions, samples = conditions_of(probes, rounds), of_last_launch(run.samples, last)
        self.times.add(answer.case.variant, answer.launches - 1, samples, conditions)

    def is_decided(self, answers: Sequence[Answer], fraction: float) -> bool:
        """True if a look is due between two blocks, with `fraction` of the budget spent, and the
        comparison is conclusive."""
        launches = {answer.launches for answer in answers if not answer.is_done}
        if not self._is_due(fraction) or len(launches) != 1 or min(launches) < self._least(answers):
            return False
        self.looks.append(fraction)
        if self._comparison.narrows:
            self.look_blocks.append(min(launches))
        ratios = variant_ratios(self.times, self._comparison, self.looks, self.look_blocks)
        if self._comparison.narrows:
            self._narrow(answers, ratios)
            return all(answer.is_done for answer in answers)
        return bool(ratios) and all(ratio.is_decided(self._comparison.gate) for ratio in ratios)

    def _is_due(self, fraction: float) -> bool:
        last = self.looks[-1] if self.looks else 0.0
        if self._comparison.narrows:
            due = last + NARROW_EVERY if last else FIRST_LOOK
        else:
            due = last + LOOK_EVERY
        return due <= fraction < 1.0

    def _least(self, answers: Sequence[Answer]) -> int:
        """The fewest blocks with which a look can show something."""
        if not self._comparison.narrows:
            return LEAST_BLOCKS
        if not self._needed:
            first = self._comparison.names[0]
            of_first = [answer.case for answer in answers if answer.case.variant == first]
            self._needed = blocks_needed(sum(len(case.workload.sizes) for case in of_first))
        return self._needed

    def _narrow(self, answers: Sequence[Answer], ratios: Sequence[VariantRatio]) -> None:
        """Stops measuring cells that are decided or do not look slower: this can only miss a
        difference, not show one that does not exist."""
        gate, least = self._comparison.gate or 0.0, self._least(answers)
        settled = {
            (ratio.point.operation, ratio.point.ranks, ratio.point.bytes)
            for ratio in ratios
            if ratio.point is not None and not ratio.may_fail(gate, least)
        }
        for answer in answers:
            workload, ranks = answer.case.workload, answer.case.placement.ranks
            if not isinstance(workload, Collective):
                continue
            left = tuple(
                size for size in workload.sizes if (workload.row, ranks, size.bytes) not in settled
            )
            answer.is_done = answer.is_done or not left
            if left:
                answer.case = replace(answer.case, workload=replace(workload, sizes=left))


def _alike(answers: Sequence[Answer], sought: Answer) -> tuple[int, list[Answer]]:
    """The place of a case among its variant's cases, and the case at that place of every variant: a
    block. Titles may differ, for instance where the algorithm is varied."""
    by_variant: dict[str | None, list[Answer]] = {}
    for answer in answers:
        by_variant.setdefault(answer.case.variant, []).append(answer)
    own = by_variant[sought.case.variant]
    place = next(number for number, answer in enumerate(own) if answer is sought)
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

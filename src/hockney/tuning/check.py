"""Default and tuned side by side: launches with and without the rules in turn, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hockney.estimate import Estimates
from hockney.estimate.best import DEFAULT, Cell, Contender, cells_of
from hockney.measure.question import Question, Size
from hockney.tuning import Format
from hockney.tuning.rules import Rule

TUNED = "tuned"
"""The label of what was measured with the rules."""


@dataclass(frozen=True)
class Checked:
    cell: Cell
    tuned: Contender
    rule: Rule | None
    """That holds in this cell."""

    @property
    def is_slower(self) -> bool:
        """Surely."""
        return self.tuned.difference is not None and self.tuned.difference.verdict == "slower"


def questions_of(
    cells: Sequence[Cell], base: Question, form: Format, rules: Path
) -> list[Question]:
    """With and without rules for each collective and number of ranks, at all measured sizes.
    What the launches with rules were told is read back from the library."""
    questions = []
    for collective, ranks in dict.fromkeys((cell.collective, cell.ranks) for cell in cells):
        of_it = [cell for cell in cells if (cell.collective, cell.ranks) == (collective, ranks)]
        sizes = tuple(Size(cell.bytes) for cell in of_it)
        plain = replace(base, experiment="collective", sizes=sizes, ranks=ranks)
        for label in (DEFAULT, TUNED):
            question = replace(
                plain,
                title=f"{collective} {label}, {ranks} ranks",
                arguments=(collective, f"--algorithm={label}"),
            )
            if label == TUNED:
                env, controls = form.environment(rules), form.controls(rules)
                question = replace(
                    question, env=tuple(env.items()), controls=tuple(controls.items())
                )
            questions.append(question)
    return questions


def checked_cells(estimates: Estimates, rules: Sequence[Rule]) -> list[Checked]:
    """Every cell that was measured both ways."""
    return [
        Checked(cell, contender, _rule_of(cell, rules))
        for cell in cells_of(estimates.headline)
        for contender in cell.contenders
        if contender.name == TUNED and contender.difference is not None
    ]


def _rule_of(cell: Cell, rules: Sequence[Rule]) -> Rule | None:
    return next((rule for rule in rules if rule.holds_in(cell)), None)


def mean_ratio(checked: Sequence[Checked]) -> float | None:
    """Geometric, of tuned over default; None where there is no cell."""
    logs = [math.log(one.tuned.difference.ratio) for one in checked if one.tuned.difference]
    return math.exp(sum(logs) / len(logs)) if logs else None

"""Compares default and tuned: alternates launches with and without the rules, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hockney.analysis import Analysis
from hockney.analysis.best import Cell, Contender
from hockney.mpis import Rule, RulesFormat
from hockney.spec import Case, Placement, sizes_of
from hockney.spec.workloads.collective import DEFAULT, Collective

TUNED = "tuned"
"""The algorithm's name in samples that were measured with the rules."""


@dataclass(frozen=True)
class Checked:
    cell: Cell
    tuned: Contender
    rule: Rule | None
    """The rule for this cell."""

    @property
    def is_slower(self) -> bool:
        """Whether the rules are significantly slower than the default, and not surely by less than
        the tolerance."""
        found = self.tuned.difference
        return found is not None and found.matters and found.verdict == "slower"


def cases_of(
    cells: Sequence[Cell], base: Placement, form: RulesFormat, rules: Path
) -> tuple[Case, ...]:
    """Cases with and without rules for each collective and number of ranks, at all measured sizes.
    Launches with rules read the settings back from the library."""
    cases = []
    for collective, ranks in dict.fromkeys((cell.collective, cell.ranks) for cell in cells):
        of_it = [cell for cell in cells if (cell.collective, cell.ranks) == (collective, ranks)]
        sizes = sizes_of(cell.bytes for cell in of_it)
        plain = msgspec.structs.replace(base, ranks=ranks)
        tuned = msgspec.structs.replace(
            plain, env=form.environment(rules), controls=form.controls(rules)
        )
        for label, placement in ((DEFAULT, plain), (TUNED, tuned)):
            workload = Collective(collective=collective, sizes=sizes, algorithm=label)
            title = f"{collective} {label}, {ranks} ranks"
            cases.append(Case(workload=workload, placement=placement, title=title))
    return tuple(cases)


def checked_cells(analysis: Analysis, rules: Sequence[Rule]) -> list[Checked]:
    """All cells that were measured with and without rules."""
    return [
        Checked(cell, contender, _rule_of(cell, rules))
        for cell in analysis.best
        for contender in cell.contenders
        if contender.name == TUNED and contender.difference is not None
    ]


def _rule_of(cell: Cell, rules: Sequence[Rule]) -> Rule | None:
    which = (cell.collective, cell.ranks, cell.bytes)
    return next((rule for rule in rules if rule.holds_for(*which)), None)


def mean_ratio(checked: Sequence[Checked]) -> float | None:
    """Geometric mean of tuned time over default time; None without cells."""
    logs = [math.log(one.tuned.difference.ratio) for one in checked if one.tuned.difference]
    return math.exp(sum(logs) / len(logs)) if logs else None

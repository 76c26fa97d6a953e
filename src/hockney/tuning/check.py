"""Compares default and tuned: alternates launches with and without the rules, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

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
        """True if the rules are significantly slower than the default, and not surely by less than
        the tolerance."""
        found = self.tuned.difference
        return found is not None and found.matters and found.verdict == "slower"


@dataclass(frozen=True)
class Check:
    """All cells that were measured with and without rules."""

    cells: tuple[Checked, ...]

    @property
    def ruled(self) -> list[Checked]:
        """Those in which a rule holds."""
        return [one for one in self.cells if one.rule]

    @property
    def mean_ratio(self) -> float | None:
        """Tuned time over default time, the geometric mean where a rule holds; None without."""
        ratios = [one.tuned.difference.ratio for one in self.ruled if one.tuned.difference]
        return geometric_mean(ratios) if ratios else None

    @property
    def slower(self) -> int:
        """The number of cells that the rules make significantly slower."""
        return sum(one.is_slower for one in self.cells)


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


def check_of(analysis: Analysis, rules: Sequence[Rule]) -> Check:
    """What a run with and without rules shows."""
    return Check(
        tuple(
            Checked(cell, contender, _rule_of(cell, rules))
            for cell in analysis.best
            for contender in cell.contenders
            if contender.name == TUNED and contender.difference is not None
        )
    )


def _rule_of(cell: Cell, rules: Sequence[Rule]) -> Rule | None:
    which = (cell.collective, cell.ranks, cell.bytes)
    return next((rule for rule in rules if rule.holds_for(*which)), None)

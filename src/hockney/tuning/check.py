"""Compares default and tuned: blocks of one launch with the rules and one without, cell by cell.

The rules may be anybody's. Sizes are those that were measured, those between, and both sides of
every limit of a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

from msgspec.structs import replace

from hockney.base.units import format_size, how_many
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.analysis.gate import Gate, not_judged
from hockney.infer.estimate.blocks import VariantRatio, blocks_needed
from hockney.plan import Case, Placement, Sampling, sizes_of
from hockney.plan.held_rules import HeldRule, rule_for
from hockney.plan.variants import ENVIRONMENT, Comparison, Variant
from hockney.plan.workloads.collective import DEFAULT, Collective
from hockney.records import Run
from hockney.run.mpis import RulesFormat
from hockney.tuning.layouts import NodeLayout, layouts_in
from hockney.tuning.sizes import middles_of, step_of

TUNED = "tuned"
"""The variant with the rules."""
TOLERANCE = 0.02
"""Relative tolerance; the check ends when each cell is surely slower by more, or by less."""
SPARE = 2
"""Multiple of the fewest blocks that can show a difference: a cell that looks slower after half of
them, and is not decided, is measured further."""
LONGEST = 8.0
"""Longest check, as a multiple of the wall time expected from a first launch: launches of more
ranks take longer."""


@dataclass(frozen=True)
class CheckedSizes:
    """A collective and number of ranks, with the sizes at which rules are checked."""

    collective: str
    ranks: int
    measured: tuple[int, ...]
    """Sizes in the result files."""
    others: tuple[int, ...]
    """Sizes between them, and at the limits of rules."""

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({*self.measured, *self.others}))


@dataclass(frozen=True)
class Checked:
    collective: str
    ranks: int
    bytes: int
    ratio: VariantRatio
    """Tuned time over default time."""
    rule: HeldRule | None
    """The rule for this cell; None where the rules leave it to the library."""
    was_measured: bool
    """True if the result files have this size; else it lies between theirs or at a limit of a
    rule."""

    @property
    def key(self) -> tuple[str, int, int]:
        return self.collective, self.ranks, self.bytes

    @property
    def is_slower(self) -> bool:
        """True if the rules are significantly slower than the default, and not surely by less than
        the tolerance."""
        return self.ratio.judged.is_slower


@dataclass(frozen=True)
class Check:
    """All cells that were measured with and without rules."""

    cells: tuple[Checked, ...]
    blocks: int
    needed: int
    """The fewest blocks that can show a difference."""
    missing: tuple[tuple[str, int, int], ...] = ()
    """Collective, ranks and bytes of cells without a block."""
    idle: int = 0
    """How many rules the file has, where none is for any of the cells."""

    @property
    def ruled(self) -> list[Checked]:
        """The cells in which a rule holds."""
        return [cell for cell in self.cells if cell.rule]

    @property
    def mean_ratio(self) -> float | None:
        """Tuned time over default time, the geometric mean where a rule holds; None without."""
        ratios = [cell.ratio.judged.ratio for cell in self.ruled]
        return geometric_mean(ratios) if ratios else None

    @property
    def slower(self) -> list[Checked]:
        """The cells that the rules make significantly slower."""
        return [cell for cell in self.cells if cell.is_slower]

    @property
    def cost_without_rule_s(self) -> float | None:
        """What the presence of the rules alone costs a call: the median over the slower cells that
        they leave to the library; None without such cells."""
        costs = [cell.ratio.time_s - cell.ratio.base_s for cell in self.slower if cell.rule is None]
        return median(costs) if costs else None

    @property
    def can_tell(self) -> bool:
        """False if too few blocks were made to show any difference."""
        return bool(self.cells) and self.blocks >= self.needed


def targets_of(
    cells: Sequence[tuple[str, int, int]], rules: Sequence[HeldRule]
) -> tuple[CheckedSizes, ...]:
    """The sizes to check; cells: collective, ranks and bytes of each measured point."""
    targets = []
    for collective, ranks in dict.fromkeys(cell[:2] for cell in cells):
        sizes = sorted({cell[2] for cell in cells if cell[:2] == (collective, ranks)})
        step = step_of(collective)
        edges = {
            size
            for rule in rules
            if rule.collective == collective and rule.holds_for_ranks(ranks)
            for size in rule.edges(ranks, step)
            if sizes[0] // 2 <= size <= 2 * sizes[-1]
        }
        others = sorted({*middles_of(collective, sizes), *edges} - set(sizes))
        targets.append(CheckedSizes(collective, ranks, tuple(sizes), tuple(others)))
    return tuple(targets)


def cases_of(
    targets: Sequence[CheckedSizes], base: Placement, form: RulesFormat, rules: Path
) -> tuple[tuple[Case, ...], Comparison]:
    """Cases of both variants. Launches with rules read the settings back from the library."""
    env = form.environment(rules)
    named = {f"{ENVIRONMENT}{name}": value for name, value in env.items()}
    variants = (Variant(name=DEFAULT, values={}), Variant(name=TUNED, values=named))
    cases = []
    for variant in variants:
        for target in targets:
            controls = dict.fromkeys(form.controls(rules))
            placement = replace(base, ranks=target.ranks, controls=controls)
            if variant.name == TUNED:
                placement = replace(placement, env=env, controls=form.controls(rules))
            workload = Collective(
                collective=target.collective, sizes=sizes_of(target.sizes), algorithm=DEFAULT
            )
            title = f"{target.collective}, {target.ranks} ranks"
            cases.append(
                Case(workload=workload, placement=placement, title=title, variant=variant.name)
            )
    comparison = Comparison(variants=variants, tolerance=TOLERANCE, gate=TOLERANCE, narrows=True)
    return tuple(cases), comparison


def needed_for(targets: Sequence[CheckedSizes]) -> int:
    return blocks_needed(sum(len(target.sizes) for target in targets))


def sampling_of(
    targets: Sequence[CheckedSizes],
    launches: tuple[int, int | None],
    budget_s: float | None,
    launch_s: Callable[[], float],
) -> Sampling:
    """The sampling of a check. Without a budget, blocks are limited and not their time: how long
    launches take depends on the ranks and on the machine's load. launch_s: the wall time of one
    launch."""
    least, most = launches
    if budget_s is not None:
        return Sampling(least_launches=least, most_launches=most, budget_s=budget_s)
    most = most or SPARE * needed_for(targets)
    expected_s = launch_s() * 2 * len(targets) * most
    return Sampling(
        least_launches=min(least, most), most_launches=most, budget_s=LONGEST * expected_s
    )


def check_of(
    study: VariantStudy,
    run: Run,
    targets: Sequence[CheckedSizes],
    rules: Sequence[HeldRule],
    own: Sequence[HeldRule] = (),
) -> Check:
    """The check that a run with and without rules makes. own: the library's own rules, where these
    are known: an equal rule changes nothing."""
    layouts = layouts_in(run)
    measured = {
        (target.collective, target.ranks, size) for target in targets for size in target.measured
    }
    cells, is_idle = [], True
    for ratio in study.ratios:
        if ratio.point is None:
            continue
        point = ratio.point
        assert point.ranks is not None
        cell = (point.operation, point.ranks, point.bytes)
        here, usual = (_held_on(layouts.get(point.ranks), each) for each in (rules, own))
        cells.append(Checked(*cell, ratio, changing(here, usual, cell), cell in measured))
        is_idle = is_idle and not any(rule.holds_for(*cell) for rule in here)
    cells.sort(key=lambda checked: checked.key)
    blocks = min((checked.ratio.blocks for checked in cells), default=0)
    known = {checked.key for checked in cells}
    every = ((target.collective, target.ranks, size) for target in targets for size in target.sizes)
    missing = tuple(cell for cell in every if cell not in known)
    idle = len(rules) if is_idle else 0
    return Check(tuple(cells), blocks, needed_for(targets), missing, idle)


def _held_on(layout: NodeLayout | None, rules: Sequence[HeldRule]) -> list[HeldRule]:
    """The rules that hold for a layout; all of them for one that is not known."""
    if layout is None:
        return list(rules)
    return [rule for rule in rules if rule.holds_on(layout.nodes, layout.per_node)]


def changing(
    rules: Sequence[HeldRule], own: Sequence[HeldRule], cell: tuple[str, int, int]
) -> HeldRule | None:
    """The first rule that chooses differently for a cell than the library's own rules in the same
    file."""
    for suffix in dict.fromkeys(rule.suffix for rule in rules):
        rule, usual = (
            rule_for([rule for rule in every if rule.suffix == suffix], *cell)
            for every in (rules, own)
        )
        if rule and not rule.is_own and not (usual and rule.choice == usual.choice):
            return rule
    return None


def unjudged(check: Check) -> Gate | None:
    """Why a check that found nothing slower could not have; None where it could, or did."""
    if check.slower:
        return None
    if not check.can_tell:
        return not_judged(
            f"{how_many(check.blocks, 'block')} of launches cannot show a difference in "
            f"{how_many(len(check.cells), 'cell')}: {check.needed} are needed",
            "give a larger --budget, or check fewer collectives and numbers of ranks",
        )
    if check.missing:
        collective, ranks, size = check.missing[0]
        were = "was" if len(check.missing) == 1 else "were"
        return not_judged(
            f"{how_many(len(check.missing), 'cell')} {were} not measured both with and without the "
            f"rules, the first of them {collective} with {ranks} ranks and {format_size(size)}",
            "see the notes on what was left out; leave out those rules, or give a larger --budget",
        )
    if check.idle:
        are = "is" if check.idle == 1 else "are"
        return not_judged(
            f"the file's {how_many(check.idle, 'rule')} {are} for other collectives, "
            "numbers of ranks, layouts or sizes than those of the result files",
            "check with result files of what the rules are for",
        )
    return None

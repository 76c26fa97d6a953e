"""Reduces the best algorithm of each cell to few rules with most of the gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import geometric_mean
from typing import NamedTuple

from hockney.infer.analysis.algorithms.best import UNKNOWN, CollectiveCell, Contender
from hockney.plan.workloads.collective import DEFAULT
from hockney.run.mpis import ONE_FOR_ALL_SIZES, Rule
from hockney.tuning.groups import CellGroup
from hockney.tuning.layouts import NodeLayout
from hockney.tuning.sizes import measured_text

SHARE = 0.99
"""Fraction of the possible gain that rules must keep; more rules would only make the file
longer."""
MOST_GAP = 8.0
"""Largest ratio of neighbouring measured sizes for a rule to hold in between: three doublings are
a usual step of measured sizes; across a wider gap another algorithm may be the best."""
Settings = Mapping[str, str]
"""Environment variables that forced an algorithm in its measurement."""


class UnmeasuredGap(NamedTuple):
    """Sizes between two rules of one algorithm, without a measured one."""

    collective: str
    ranks: int
    from_bytes: int
    to_bytes: int


@dataclass(frozen=True)
class Reduction:
    rules: tuple[Rule, ...]
    gain: float
    """Sum of ln(default time / time with rules) over cells with a significant difference."""
    possible: float
    """The gain of the best algorithm in each cell."""
    cells: tuple[CollectiveCell, ...]
    """All measured cells."""
    layouts: tuple[NodeLayout, ...] = ()
    """The layouts for which the rules hold; empty for any."""
    conditions: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """The patterns of arrival, files and layouts in which each rule must hold, by collective and
    ranks; 1 for others."""
    confirmed: float | None = 1.0
    """The fraction of the seeming gain that launches which did not choose the rules confirm
    (tuning/crossfit.py); None where that is unknown, and 1 where nothing was left to chance."""

    @property
    def share(self) -> float:
        return self.gain / self.possible if self.possible else 1.0

    @property
    def gaps(self) -> list[UnmeasuredGap]:
        """The gaps between neighbouring sizes that were measured too far apart, with a rule of the
        same algorithm on either side."""
        rules = sorted(self.rules, key=lambda rule: (rule.collective, rule.ranks, rule.from_bytes))
        return [
            UnmeasuredGap(below.collective, below.ranks, below.to_bytes, above.from_bytes)
            for below, above in pairwise(rules)
            if below.to_bytes is not None and self._joins_across_gap(below, above)
        ]

    def _joins_across_gap(self, below: Rule, above: Rule) -> bool:
        """Whether two rules are of one algorithm, with nothing but a gap between them."""
        whose = below.collective, below.ranks
        if (*whose, below.name) != (above.collective, above.ranks, above.name):
            return False
        cells = [cell for cell in self.cells if (cell.collective, cell.ranks) == whose]
        cells.sort(key=lambda cell: cell.bytes)
        limits = below.to_bytes, above.from_bytes
        return any((a.bytes, b.bytes) == limits and _is_gap(a, b) for a, b in pairwise(cells))

    def conditions_of(self, rule: Rule) -> int:
        return self.conditions.get((rule.collective, rule.ranks), 1)

    def covered(self, rule: Rule) -> list[CollectiveCell]:
        """The cells in which a rule holds."""
        return [c for c in self.cells if rule.holds_for(c.collective, c.ranks, c.bytes)]

    def evidence(self, rule: Rule) -> list[CollectiveCell]:
        """The measured cells in which a rule holds; predicted ones where there are no others."""
        covered = self.covered(rule)
        return [cell for cell in covered if cell.launches > 0] or covered

    def measured_text(self, rule: Rule) -> str:
        """The sizes of a rule that were measured, in words."""
        sizes = [cell.bytes for cell in self.covered(rule) if cell.launches > 0]
        return measured_text(sizes) if sizes else "not measured"

    def times_faster(self, rule: Rule) -> float | None:
        """The library's own time over the rule's: the geometric mean over the cells that show it,
        as far as it is confirmed; None where that is not known."""
        ratios = [
            contender.difference.ratio
            for cell in self.evidence(rule)
            for contender in cell.contenders
            if contender.name == rule.name and contender.difference is not None
        ]
        return self.gain_of(geometric_mean(ratios))

    def gain_of(self, ratio: float) -> float | None:
        """Times faster by a rule of this ratio to the library's own time in the launches that chose
        it, as far as the gain is confirmed; None where that is unknown."""
        return None if self.confirmed is None else ratio**-self.confirmed


@dataclass(frozen=True)
class Tuned:
    """The rules of all groups."""

    reductions: tuple[Reduction, ...]

    @property
    def rules(self) -> list[Rule]:
        return [rule for reduction in self.reductions for rule in reduction.rules]

    @property
    def cells(self) -> list[CollectiveCell]:
        return [cell for reduction in self.reductions for cell in reduction.cells]

    @property
    def undecided(self) -> int:
        """The number of cells in which the launches do not show whether an algorithm is faster."""
        return sum(cell.launches > 0 and cell.verdict == UNKNOWN for cell in self.cells)

    def with_confirmed(self, fraction: float | None) -> Tuned:
        """These rules with the confirmed fraction of their gain."""
        return Tuned(tuple(replace(reduction, confirmed=fraction) for reduction in self.reductions))

    @property
    def confirmed(self) -> float | None:
        """The confirmed fraction, one for all reductions."""
        return self.reductions[0].confirmed if self.reductions else None

    @property
    def share(self) -> float:
        """The fraction of the possible gain that all rules keep."""
        possible = sum(reduction.possible for reduction in self.reductions)
        return sum(reduction.gain for reduction in self.reductions) / possible if possible else 1.0


@dataclass(frozen=True)
class _Stretch:
    """One algorithm over neighbouring sizes of a group, by their index, the last inclusive."""

    first: int
    last: int
    name: str


@dataclass(frozen=True)
class _Plan:
    gain: float
    runs: tuple[_Stretch, ...]


def reduce_to_rules(
    cells: Sequence[CollectiveCell],
    settings_of: Callable[[str, int, str], Settings],
    share: float = SHARE,
) -> Reduction:
    """The fewest rules with at least the fraction `share` of the possible gain. A rule covers only
    cells in which its algorithm is not measurably slower than the library's own decision, and its
    first and last cells are significantly faster. All other cells keep that decision. Cells whose
    ranks did not arrive together are left out.

    settings_of: the variables that force an algorithm, by collective, ranks and algorithm.
    """
    groups: dict[tuple[str, int], list[CollectiveCell]] = {}
    cells = [cell for cell in cells if cell.arrived.is_together]
    for cell in cells:
        if cell.default is not None:
            groups.setdefault((cell.collective, cell.ranks), []).append(cell)
    plans = {
        key: _plans(sorted(group, key=lambda cell: cell.bytes)) for key, group in groups.items()
    }
    possible = sum(max(plan.gain for plan in options) for options in plans.values())
    chosen = _combine(list(plans.values()), share * possible)
    rules = [
        _rule(key, sorted(groups[key], key=lambda cell: cell.bytes), plan.runs, number, settings_of)
        for key, plan in zip(plans, chosen, strict=True)
        for number in range(len(plan.runs))
    ]
    return Reduction(tuple(rules), sum(plan.gain for plan in chosen), possible, tuple(cells))


def for_group(
    group: CellGroup,
    settings_of: Callable[[str, int, str], Settings],
    predicted: Sequence[CollectiveCell] = (),
) -> Reduction:
    """The rules of a group, with its layout. Rules that cover some of the predicted cells are
    marked."""
    reduction = reduce_to_rules([*group.cells, *predicted], settings_of)
    guessed = {(cell.collective, cell.ranks, cell.bytes) for cell in predicted}
    layouts = {layout.ranks: layout for layout in reversed(group.layouts)}
    rules = tuple(
        replace(
            rule,
            nodes=layouts[rule.ranks].nodes if rule.ranks in layouts else None,
            per_node=layouts[rule.ranks].per_node if rule.ranks in layouts else None,
            predicted=any(rule.holds_for(*cell) for cell in guessed),
        )
        for rule in reduction.rules
    )
    return replace(reduction, rules=rules, layouts=group.layouts, conditions=group.conditions)


def _by_name(cell: CollectiveCell) -> dict[str, Contender]:
    return {
        contender.name: contender
        for contender in cell.contenders
        if contender.is_harmless and not contender.point.overlap
    }


def _gain(contender: Contender) -> float:
    if not contender.is_faster or contender.difference is None:
        return 0.0
    return -math.log(contender.difference.ratio)


def _candidates(cells: Sequence[CollectiveCell]) -> list[tuple[_Stretch, float]]:
    """All runs of an algorithm that is nowhere slower, and faster at both ends. No run spans a gap,
    except a rule for all sizes."""
    candidates = []
    at = [_by_name(cell) for cell in cells]
    one_for_all = bool(cells) and cells[0].collective in ONE_FOR_ALL_SIZES
    for first in range(1 if one_for_all else len(cells)):
        for name in at[first]:
            gain = 0.0
            for last in range(first, len(cells)):
                contender = at[last].get(name)
                is_beyond = (
                    last > first and not one_for_all and _is_gap(*cells[last - 1 : last + 1])
                )
                if contender is None or is_beyond:
                    break
                gain += _gain(contender)
                ends_gain = min(_gain(at[first][name]), _gain(contender)) > 0.0
                whole = last == len(cells) - 1 and gain > 0.0
                if whole if one_for_all else ends_gain:
                    candidates.append((_Stretch(first, last, name), gain))
    return candidates


def _is_gap(below: CollectiveCell, above: CollectiveCell) -> bool:
    """Whether a rule may not hold between neighbouring cells because too many sizes between them
    were not measured. A predicted cell between measured ones shows what holds on either side of it;
    at a number of ranks that is predicted itself there is none between."""
    is_bridged = (below.launches > 0) != (above.launches > 0)
    return not is_bridged and above.bytes > MOST_GAP * max(below.bytes, 1)


def _plans(cells: Sequence[CollectiveCell]) -> list[_Plan]:
    """The best plans of 0, 1, 2 ... runs, as long as more runs gain more. best[n] is the best plan
    of at most that many runs in the first n cells."""
    candidates = _candidates(cells)
    best = [_Plan(0.0, ())] * (len(cells) + 1)
    plans = [best[-1]]
    for _ in cells:
        more = list(best)
        for end in range(1, len(cells) + 1):
            options = [more[end - 1], best[end]]
            options += [
                _Plan(best[run.first].gain + gain, (*best[run.first].runs, run))
                for run, gain in candidates
                if run.last == end - 1
            ]
            more[end] = max(options, key=lambda plan: (plan.gain, -len(plan.runs)))
        best = more
        if best[-1].gain > plans[-1].gain:
            plans.append(best[-1])
    return plans


def _combine(groups: Sequence[Sequence[_Plan]], least: float) -> list[_Plan]:
    """One plan of each group, with the least total number of runs whose gain suffices."""
    best: dict[int, tuple[float, tuple[_Plan, ...]]] = {0: (0.0, ())}
    for options in groups:
        wider: dict[int, tuple[float, tuple[_Plan, ...]]] = {}
        for count, (gain, plans) in best.items():
            for plan in options:
                total = count + len(plan.runs)
                if total not in wider or gain + plan.gain > wider[total][0]:
                    wider[total] = (gain + plan.gain, (*plans, plan))
        best = wider
    enough = [count for count, (gain, _) in best.items() if gain >= least * (1.0 - 1e-12)]
    return list(best[min(enough)][1])


def _limits(
    cells: Sequence[CollectiveCell], runs: Sequence[_Stretch], number: int
) -> tuple[int, int]:
    """The limits of a rule: the first and last measured size of a run, extended into the gaps
    beside it where its algorithm may hold up to the next measured size. Of two runs next to each
    other the one of the smaller sizes goes first."""
    run = runs[number]
    first, to = cells[run.first].bytes, cells[run.last].bytes
    after = [other for other in runs if other.first == run.last + 1]
    before = [other for other in runs if other.last == run.first - 1]
    is_last = run.last + 1 == len(cells) or _is_gap(*cells[run.last : run.last + 2])
    is_first = run.first == 0 or _is_gap(*cells[run.first - 1 : run.first + 1])
    if not is_last and _may_reach(cells[run.last + 1], run.name, after):
        to = cells[run.last + 1].bytes - 1
    if not is_first and _may_reach(cells[run.first - 1], run.name, before):
        is_free = not any(_may_reach(cells[run.first], other.name, [run]) for other in before)
        first = cells[run.first - 1].bytes + 1 if is_free else first
    return first, to


def _may_reach(cell: CollectiveCell, name: str, neighbours: Sequence[_Stretch]) -> bool:
    """Whether an algorithm that gains on the other side of a gap may hold up to a measured cell.
    The library decides anew somewhere in the gap, and nobody knows where: so the algorithm must be
    as good here as well. Where another rule begins, harmless is enough, because one of the two
    holds in between; where the library decides, the launches must show that it is as fast."""
    contender = _by_name(cell).get(name)
    if contender is None or contender.difference is None:
        return False
    is_as_fast = contender.is_faster or contender.difference.within_tolerance
    return is_as_fast or bool(neighbours)


def _rule(
    key: tuple[str, int],
    cells: Sequence[CollectiveCell],
    runs: Sequence[_Stretch],
    number: int,
    settings_of: Callable[[str, int, str], Settings],
) -> Rule:
    collective, ranks = key
    run = runs[number]
    first, to = (0, None) if collective in ONE_FOR_ALL_SIZES else _limits(cells, runs, number)
    settings = tuple(sorted(settings_of(collective, ranks, run.name).items()))
    point = _by_name(cells[run.first])[run.name].point
    name = point.algorithm or DEFAULT
    parameters = (point.segment_bytes, point.radix, point.requests)
    return Rule(collective, ranks, first, to, name, settings, *parameters)

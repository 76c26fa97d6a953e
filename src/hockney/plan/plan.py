"""The plan of a run: cases (each a workload and its placement) and their common sampling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import asdict

from hockney.base.errors import HockneyError
from hockney.base.units import how_many
from hockney.plan.command_lines import workload_in_command
from hockney.plan.placement import Placement
from hockney.plan.sampling import Sampling
from hockney.plan.variants import Comparison
from hockney.plan.workloads import CaseAxes, Workload, workload_from


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One launch's workload and placement."""

    workload: Workload
    placement: Placement
    title: str | None = None
    """The difference from the plan's other cases, for display."""
    variant: str | None = None
    """The name of the case's variant; None without variants."""

    @property
    def name(self) -> str | None:
        """The title with the variant."""
        return ", ".join(filter(None, (self.title, self.variant))) or None

    def is_measured_by(self, samples: CaseAxes) -> bool:
        """True if samples of a run with several cases can be of this one."""
        return (
            samples.variant == self.variant
            and samples.ranks == self.placement.ranks
            and self.workload.is_measured_by(samples)
        )


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of a run, whose cases are launched in turn."""

    cases: tuple[Case, ...]
    sampling: Sampling
    left_out: tuple[str, ...] = ()
    """A line with the reason for each combination that is not measured."""
    comparison: Comparison | None = None
    """Comparison of the variants; None without variants."""
    race: bool = False
    """Whether points of a case are abandoned where they would gain next to nothing."""
    searched: tuple[str, ...] = ()
    """Workload fields with coarse values, around the best of which a search continues."""

    @property
    def first(self) -> Case:
        """The first case, for what all cases share: experiment, MPI and machine."""
        return self.cases[0]

    @property
    def experiment(self) -> str:
        return self.first.workload.experiment

    @property
    def has_gate(self) -> bool:
        """Whether the plan has a limit: of variants, or of a workload."""
        varies = self.comparison is not None and self.comparison.gate is not None
        return varies or any(case.workload.has_gate for case in self.cases)


def single(workload: Workload, placement: Placement, sampling: Sampling) -> Plan:
    """A plan of one case."""
    return Plan(cases=(Case(workload=workload, placement=placement),), sampling=sampling)


def stored(plan: Plan) -> dict[str, Any]:
    """The plan as stored in a run record."""
    options = msgspec.to_builtins(plan)
    assert isinstance(options, dict)
    return options


class _StoredCase(msgspec.Struct):
    """A case whose workload is not decoded, as its class depends on the experiment."""

    workload: dict[str, Any]
    placement: Placement
    title: str | None = None
    variant: str | None = None


class _StoredPlan(msgspec.Struct):
    cases: tuple[_StoredCase, ...]
    sampling: Sampling
    left_out: tuple[str, ...] = ()
    comparison: Comparison | None = None
    race: bool = False
    searched: tuple[str, ...] = ()


def plan_of(options: Mapping[str, Any]) -> Plan | None:
    """The plan of a run record; None if its options are damaged or from another program."""
    try:
        stored_plan = msgspec.convert(options, _StoredPlan)
        cases = tuple(
            Case(**{**asdict(case), "workload": workload_from(case.workload)})
            for case in stored_plan.cases
        )
    except (msgspec.ValidationError, LookupError, TypeError, ValueError, HockneyError):
        return None
    if not cases:
        return None
    return Plan(**{**asdict(stored_plan), "cases": cases})


def workload_of(options: Mapping[str, Any]) -> Workload | None:
    """The workload of the first case of a run record, or that of an engine which was started by
    hand; None if unknown."""
    plan = plan_of(options)
    return plan.first.workload if plan else workload_in_command(options)


def plan_facts(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a run record's plan as text, with all values where cases differ. Options of
    other programs are returned unchanged."""
    plan = plan_of(options)
    if plan is None:
        return dict(options)
    facts: dict[str, Any] = asdict(plan.sampling)
    for part in ("workload", "placement"):
        objects = [getattr(case, part) for case in plan.cases]
        for field in objects[0].__struct_fields__:
            values = dict.fromkeys(_words(getattr(each, field)) for each in objects)
            facts[field] = "; ".join(values)
    return facts


MAY_CHANGE = frozenset(
    {
        *("broadcast", "engine", "mpicc", "network", "oversubscribe", "refine", "trains"),
        "without_bad_nodes",
    }
)
"""Fields that do not change the measurement. Sampling may change as well."""
SEEN_BESIDES = frozenset({"floor", "most_factor", "stragglers", "tails", "verify"})
"""Fields of extra checks and records, which leave the times as they are."""


def difference(before: Plan, now: Plan) -> str | None:
    """Describes the first difference between the measurements of two plans; None if they are the
    same, whatever the sampling."""
    if len(before.cases) != len(now.cases):
        return f"it had {how_many(len(before.cases), 'combination')}, and has {len(now.cases)} now"
    if _variants(before) != _variants(now):
        return f"its variants were {_variants(before)}, and are {_variants(now)} now"
    for old, new in zip(before.cases, now.cases, strict=True):
        if old.workload.experiment != new.workload.experiment:
            return f"it was {old.workload.experiment}, and is {new.workload.experiment} now"
        for part, other in ((old.workload, new.workload), (old.placement, new.placement)):
            for field, a, b in _fields_apart(part, other):
                return f"{field} was {_words(a)}, and is {_words(b)} now"
    return None


def _fields_apart(part: msgspec.Struct, other: msgspec.Struct) -> Iterator[tuple[str, Any, Any]]:
    """The fields of the measurement in which two workloads or placements differ, with their
    values."""
    for field in part.__struct_fields__:
        a, b = getattr(part, field), getattr(other, field, None)
        if a != b and field not in MAY_CHANGE:
            yield field, a, b


def lacking(planned: Plan, made: Plan, with_ranks: bool) -> str | None:
    """What a plan asks for that another did not measure; None if it measured all of that, and
    perhaps more. with_ranks: whether the number of ranks is part of the question."""
    for case in planned.cases:
        lacks = [list(_lacking(case, other, with_ranks)) for other in made.cases]
        if all(lacks):
            return min(lacks, key=len)[0]  # of the case that is most like it
    return None


def _lacking(planned: Case, made: Case, with_ranks: bool) -> Iterator[str]:
    """The differences of a case from the planned one; additional sizes do not count."""
    if planned.workload.experiment != made.workload.experiment:
        yield f"it measured {made.workload.experiment}, not {planned.workload.experiment}"
    if planned.placement.platform != made.placement.platform:
        machines = (case.placement.platform or "a real machine" for case in (made, planned))
        yield "it was measured on {}, not on {}".format(*machines)
    if with_ranks and planned.placement.ranks != made.placement.ranks:
        yield f"it has no {planned.placement.ranks} ranks"
    for field, value, other in _fields_apart(planned.workload, made.workload):
        if field in SEEN_BESIDES:
            continue
        if field != "sizes":
            yield f"{field} is {_words(other)} in it, not {_words(value)}"
        elif not set(map(str, value)) <= set(map(str, other or ())):
            yield f"it has sizes {_words(other)}, not {_words(value)}"


def _variants(plan: Plan) -> str:
    return "; ".join(plan.comparison.names) if plan.comparison else "none"


def _words(value: object) -> str:
    return ",".join(map(str, value)) or "-" if isinstance(value, tuple) else str(value)

"""Plans of B's run in which some settings are as they were in A's."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.factor import DifferingFactor
from hockney.plan import Plan
from hockney.plan.variants import ENVIRONMENT, Comparison, Variant
from hockney.run.measure.machine.checks import check_plan
from hockney.run.measure.studies.joined_variants import joined

BASE = "as B"
TOLERANCE = 0.03


def check_at_hand(second: Analysis) -> Plan:
    """B's plan; raises UsageError unless it can be measured on this machine."""
    plan, path = second.plan, second.run.path
    if plan is None:
        raise UsageError(f"--try: {path} has no plan that could be measured again")
    host = second.run.header.environment.get("host")
    if plan.first.placement.platform is None and host != platform.node():
        raise UsageError(
            f"--try: {path} was measured on {host}, and this is {platform.node()}",
            "run it there, where B's settings can be measured again",
        )
    return plan


def with_as_before(
    plan: Plan,
    factors: Sequence[DifferingFactor],
    changed: Iterable[DifferingFactor],
    budget_s: float,
) -> Plan:
    """B's plan beside the same with some factors changed to what they were in A. factors: all that
    differ; their variables are taken from the environment, so that both have them as recorded."""
    variables = [factor for factor in factors if factor.change and factor.change.part == "variable"]
    names = [variable.name for variable in variables]
    own = {
        variable.name: variable.change.now
        for variable in variables
        if variable.change is not None and variable.change.now is not None
    }
    for name in names:
        os.environ.pop(name, None)
    plain = _without_variables(plan, names)
    before = tuple(changed)
    other, values = plain, dict(own)
    for factor in before:
        assert factor.change is not None
        if factor.change.part == "variable":
            values.pop(factor.name, None)
            if factor.change.value is not None:
                values[factor.name] = factor.change.value
        else:
            other = _with_field(other, factor.change.part, factor.change.name, factor.change.value)
    name = ", ".join(f"{factor.name} as A" for factor in before)
    variants = (Variant(name=BASE, values=_keys(own)), Variant(name=name, values=_keys(values)))
    comparison = Comparison(variants=variants, tolerance=TOLERANCE)
    plans = list(zip(variants, (plain, other), strict=True))
    joint_plan = joined(plans, comparison, budget_s)
    exact = plan.first.placement.platform is not None
    sampling = replace(
        joint_plan.sampling,
        least_launches=1 if exact else joint_plan.sampling.least_launches,
        most_launches=1 if exact else None,
        over_s=None,
    )
    joint_plan = replace(joint_plan, sampling=sampling)
    check_plan(joint_plan)
    return joint_plan


def _keys(values: dict[str, str]) -> dict[str, str]:
    return {f"{ENVIRONMENT}{name}": value for name, value in values.items()}


def _without_variables(plan: Plan, names: Sequence[str]) -> Plan:
    cases = []
    for case in plan.cases:
        env = {name: value for name, value in case.placement.env.items() if name not in names}
        cases.append(replace(case, placement=replace(case.placement, env=env), variant=None))
    return replace(plan, cases=tuple(cases), comparison=None)


def _with_field(plan: Plan, part: str, name: str, value: object) -> Plan:
    cases = [
        replace(case, **{part: replace(getattr(case, part), **{name: value})})
        for case in plan.cases
    ]
    return replace(plan, cases=tuple(cases))

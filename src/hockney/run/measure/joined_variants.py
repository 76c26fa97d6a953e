"""Joins the plans of variants into one plan that measures them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from hockney.base.errors import HockneyError, UsageError
from hockney.base.units import format_seconds
from hockney.plan import Case, Plan
from hockney.plan.variants import ENVIRONMENT, LEAST_BLOCKS, Comparison, Variant
from hockney.run.measure.setup import mpi_of
from hockney.run.measure.steps import has_steps
from hockney.run.measure.trial import SHORTEST_LAUNCH_S
from hockney.run.mpis import family_of


def joined(plans: Sequence[tuple[Variant, Plan]], comparison: Comparison, budget_s: float) -> Plan:
    """One plan of all variants; raises UsageError where they cannot be compared."""
    first = plans[0][1]
    if has_steps(first):
        raise UsageError(
            f"--vary: {first.experiment} decides after each launch what to measure next",
            "measure each variant in a run of its own, or leave out --refine and auto",
        )
    cases = [
        replace(_with_variables(case, variant), variant=variant.name)
        for variant, plan in plans
        for case in plan.cases
    ]
    simulated = first.first.placement.platform is not None
    least_s = LEAST_BLOCKS * len(cases) * SHORTEST_LAUNCH_S
    if not simulated and budget_s < least_s and first.sampling.most_launches is None:
        raise UsageError(
            f"--vary: {len(cases)} combinations need {LEAST_BLOCKS} launches each, which takes "
            f"longer than the budget of {format_seconds(budget_s)}",
            f"give --budget {least_s:.0f}s or more, or fewer variants",
        )
    left_out = tuple(dict.fromkeys(line for _, plan in plans for line in plan.left_out))
    return Plan(
        cases=tuple(cases),
        sampling=replace(first.sampling, budget_s=budget_s),
        left_out=left_out,
        comparison=comparison,
    )


def _with_variables(case: Case, variant: Variant) -> Case:
    """The case with the variant's environment variables, whose control variables are read back
    where the library has them."""
    asked = {
        key.removeprefix(ENVIRONMENT): value
        for key, value in variant.values.items()
        if key.startswith(ENVIRONMENT)
    }
    placement = case.placement
    for name, value in asked.items():
        if placement.env.get(name, value) != value:
            raise UsageError(
                f"--vary: {name}={value} contradicts {name}={placement.env[name]}, which forces "
                f"{case.title or 'an algorithm'}",
                "vary --algorithm instead",
            )
    controls = dict(placement.controls)
    if asked and placement.platform is None:
        with suppress(HockneyError):  # what is wrong with its MPI is reported where it is started
            family = family_of(mpi_of(placement)[0])
            named = (family.control_of(name) for name in asked)
            controls |= {name: None for name in named if name is not None and name not in controls}
    placed = replace(placement, env=placement.env | asked, controls=controls)
    return replace(case, placement=placed)

"""Joins the plans of variants into one plan that measures them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches

from msgspec.structs import replace

from hockney.base.errors import HockneyError, UsageError
from hockney.base.units import format_seconds
from hockney.plan import Case, Placement, Plan
from hockney.plan.variants import ENVIRONMENT, LEAST_BLOCKS, Comparison, Variant
from hockney.run.measure.launches.trial import SHORTEST_LAUNCH_S
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.measure.studies.steps import has_steps
from hockney.run.mpis import FAMILIES, Mpi, family_of, names_here


def joined(plans: Sequence[tuple[Variant, Plan]], comparison: Comparison, budget_s: float) -> Plan:
    """One plan of all variants; raises UsageError where they cannot be compared."""
    first = plans[0][1]
    if has_steps(first):
        raise UsageError(
            f"--vary: {first.experiment} decides after each launch what to measure next",
            "measure each variant in a run of its own, or leave out --refine and auto",
        )
    varied = dict.fromkeys(
        key.removeprefix(ENVIRONMENT)
        for variant, _ in plans
        for key in variant.values
        if key.startswith(ENVIRONMENT)
    )
    cases = [
        replace(_with_variables(case, variant, list(varied)), variant=variant.name)
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


def _listed(placement: Placement) -> tuple[Mpi | None, tuple[str, ...]]:
    """The MPI of a placement, or None, and the control variables that its library lists; empty if
    they cannot be read: errors of an MPI are reported where it is started."""
    mpi = None
    with suppress(HockneyError):
        mpi, engine = mpi_of(placement)
        return mpi, tuple(family_of(mpi).all_controls(engine, {}))
    return mpi, ()


ALIKE = 0.85
"""Least likeness (difflib) of a name that was meant: one letter wrong, left out or twice."""


def _check_spelling(variable: str, control: str, listed: Sequence[str], mpi: Mpi) -> None:
    """Raises UsageError where the library lists a variable of nearly the same name, or one that
    has this name in other versions, but not this one: the variants would all be the same. The
    launcher may read other variables."""
    if control in listed:
        return
    near = names_here(family_of(mpi), control, listed)
    near += get_close_matches(control, listed, 1, ALIKE)
    if near:
        meant = variable.removesuffix(control) + near[0]
        raise UsageError(
            f"--vary env:{variable}: this library has no such control variable (MPI_T)",
            f"did you mean env:{meant}?",
        )


def _check_reader(variable: str, mpi: Mpi) -> None:
    """Raises UsageError for a setting of another MPI's library, where this one's are known."""
    families = FAMILIES.all()
    own = family_of(mpi)
    if own.control_of is families["other"].control_of or own.control_of(variable) is not None:
        return
    readers = [name for name, family in families.items() if family.control_of(variable) is not None]
    if readers:
        raise UsageError(
            f"--vary env:{variable}: a setting of {' or '.join(readers)}, which {mpi.family} does "
            "not read",
            "name one of its own",
        )


def _with_variables(case: Case, variant: Variant, varied: Sequence[str]) -> Case:
    """The case with the variant's environment variables. The control variables of all that are
    varied are read back where the library has them: what one leaves unset is compared, too."""
    variables = {
        name: variant.values[key]
        for name in varied
        if (key := ENVIRONMENT + name) in variant.values
    }
    placement = case.placement
    for name, value in variables.items():
        if placement.env.get(name, value) != value:
            raise UsageError(
                f"--vary: {name}={value} contradicts {name}={placement.env[name]}, which forces "
                f"{case.title or 'an algorithm'}",
                "vary --algorithm instead",
            )
    controls = dict(placement.controls)
    mpi, listed = _listed(placement) if varied and placement.platform is None else (None, ())
    if mpi is not None:
        for variable in varied:
            if variable in variables:
                _check_reader(variable, mpi)
            control = family_of(mpi).control_of(variable)
            if control is not None and variable in variables:
                _check_spelling(variable, control, listed, mpi)
            if control is not None and (variable in variables or control in listed):
                controls.setdefault(control, None)
    placed = replace(placement, env=placement.env | variables, controls=controls)
    return replace(case, placement=placed)

"""Plans that are measured step by step, where results decide the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockney.lazy import lazy
from hockney.spec import Plan
from hockney.spec.workloads.overheads import Overheads
from hockney.spec.workloads.pingpong import Pingpong

if TYPE_CHECKING:
    from hockney.measure import refine, trains
    from hockney.measure.session import Steps
else:  # they load libraries of numbers
    refine, trains = lazy("hockney.measure.refine"), lazy("hockney.measure.trains")


def has_steps(plan: Plan) -> bool:
    workload = plan.first.workload
    return isinstance(workload, Overheads) or (isinstance(workload, Pingpong) and workload.refine)


def steps_of(plan: Plan) -> Steps | None:
    """The steps of a plan; None if the plan is measured as it is."""
    if not has_steps(plan):
        return None
    if isinstance(plan.first.workload, Overheads):
        return trains.Trains(plan)
    return refine.Refinement(plan)

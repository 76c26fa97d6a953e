"""Plans that are measured step by step, where results decide the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockney.plan import Plan
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.overheads import Overheads
from hockney.plan.workloads.pingpong import Pingpong

if TYPE_CHECKING:
    from hockney.run.measure.sessions.session import Steps


def has_steps(plan: Plan) -> bool:
    workload = plan.first.workload
    if plan.searched:
        return True
    if isinstance(workload, Fabric):
        return workload.locate
    return isinstance(workload, Overheads) or (isinstance(workload, Pingpong) and workload.refine)


def steps_of(plan: Plan) -> Steps | None:
    """The steps of a plan; None if the plan is measured as it is."""
    from hockney.run.measure.studies.around import Around
    from hockney.run.measure.studies.locating import Locating
    from hockney.run.measure.studies.refine import Refinement
    from hockney.run.measure.studies.trains import Trains

    if not has_steps(plan):
        return None
    if plan.searched:
        return Around(plan)
    if isinstance(plan.first.workload, Fabric):
        return Locating(plan)
    if isinstance(plan.first.workload, Overheads):
        return Trains(plan)
    return Refinement(plan)

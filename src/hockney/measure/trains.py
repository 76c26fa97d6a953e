"""The steps of `hockney overheads`: round trips, then trains with delays that fit them."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from hockney.estimate import estimate
from hockney.fitting.fit import Array, curve_of
from hockney.fitting.line import line
from hockney.measure.session import Session
from hockney.models.loggp import trains_with
from hockney.spec import Plan
from hockney.spec.axes import Delay
from hockney.spec.workloads.overheads import Overheads

FIRST_SHARE = 0.1
"""Of the budget, for the round trips."""
LONGER = 1.2
"""A delay against the round trip of its size: whoever waits must decide how fast a train goes."""

ROUNDS, VISIT_S = 15, 0.6e-3
"""That a launch should make, and what a visit of one train takes."""


@dataclass
class Trains:
    """Trains once the round trips are known, then nothing."""

    plan: Plan
    is_asked: bool = False

    def first(self) -> Plan:
        sampling = msgspec.structs.replace(
            self.plan.sampling,
            least_launches=1,
            most_launches=1,
            budget_s=FIRST_SHARE * self.plan.sampling.budget_s,
            over_s=None,
        )
        return msgspec.structs.replace(self.plan, sampling=sampling)

    def next(self, session: Session) -> Plan | None:
        if self.is_asked:
            return None
        self.is_asked = True
        case, sampling = self.plan.first, self.plan.sampling
        workload = case.workload
        assert isinstance(workload, Overheads)
        curve = curve_of(estimate(session.run).headline)
        trains = trains_with(workload.messages, delay_for(curve.bytes, curve.median_s))
        workload = msgspec.structs.replace(workload, trains=trains)
        sampling = msgspec.structs.replace(
            sampling,
            budget_s=(1.0 - FIRST_SHARE) * sampling.budget_s,
            usual_launch_s=ROUNDS * VISIT_S * len(workload.sizes) * len(trains),
        )
        return Plan(cases=(msgspec.structs.replace(case, workload=workload),), sampling=sampling)

    def notes(self) -> list[str]:
        return []


def delay_for(bytes_: Array, seconds: Array) -> Delay:
    """A line no lower than LONGER times each of the times, to a nanosecond."""
    alpha, beta = (float(value[0]) for value in line(bytes_, seconds[None, :]))
    most = LONGER * float((seconds / (alpha + beta * bytes_)).max())
    return float(np.ceil(most * alpha * 1e9)), float(np.ceil(most * beta * 1e12)) * 1e-3

"""The steps of `hockney overheads`: round trips, then trains with delays that exceed them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from hockney.base.errors import HockneyError
from hockney.base.units import format_seconds
from hockney.infer.arrays import Array
from hockney.infer.estimate import estimate
from hockney.infer.fitting.fit import Curve, curve_of
from hockney.infer.fitting.line import line
from hockney.infer.models.loggp import trains_with
from hockney.plan import Plan
from hockney.plan.trains import Delay, Train, delay_s
from hockney.plan.workloads.overheads import Overheads
from hockney.records import Run, Visits
from hockney.run.measure.sessions.budget import of_one_launch
from hockney.run.measure.sessions.session import Session

FIRST_FRACTION = 0.1
"""Fraction of the budget for the round trips."""
LONGER = 1.2
"""Ratio of a delay to the round trip of its size: the delay must decide the pace of a train."""

ROUNDS, VISIT_S = 15, 0.6e-3
"""Rounds that a launch should make, and the time of a visit of one train."""
SILENT_ROUNDS, VISIT_REPETITIONS, DELAYS_ALONE = 4, 2, 64
"""A launch makes so many rounds until its first record, and each visit repeats a train at least so
often; a train without messages is so many delays (engine/rounds.c, operations/train.c)."""


@dataclass
class Trains:
    """Measures the round trips first, then all trains."""

    plan: Plan
    is_planned: bool = False

    def first(self) -> Plan:
        budget_s = FIRST_FRACTION * self.plan.sampling.budget_s
        sampling = of_one_launch(self.plan.sampling, budget_s, over_s=None)
        return structs.replace(self.plan, sampling=sampling)

    def next(self, session: Session) -> Plan | None:
        if self.is_planned:
            return None
        self.is_planned = True
        case, sampling = self.plan.first, self.plan.sampling
        workload = case.workload
        assert isinstance(workload, Overheads)
        curve = round_trips(session.run)
        delay = delay_for(curve.bytes, curve.median_s)
        trains = trains_with(workload.messages, delay)
        _check_delay(delay, trains, curve, sampling.timeout_s, case.placement.platform is not None)
        workload = structs.replace(workload, trains=trains)
        sampling = structs.replace(
            sampling,
            budget_s=(1.0 - FIRST_FRACTION) * sampling.budget_s,
            usual_launch_s=ROUNDS * VISIT_S * len(workload.sizes) * len(trains),
        )
        return Plan(cases=(structs.replace(case, workload=workload),), sampling=sampling)

    def notes(self) -> list[str]:
        return []


def _check_delay(
    delay: Delay, trains: Sequence[Train], curve: Curve, timeout_s: float, is_simulated: bool
) -> None:
    """Raises HockneyError where a launch of these trains reports nothing for longer than it may: it
    would be ended as one that hangs. Simulated delays take no time."""
    delayed = [train for train in trains if any((*train.send_delay, *train.receive_delay))]
    delays = sum(train.messages or DELAYS_ALONE for train in delayed)
    each_s = [delay_s(delay, size) for size in curve.bytes]
    silent_s = SILENT_ROUNDS * VISIT_REPETITIONS * delays * sum(each_s)
    if silent_s > timeout_s and not is_simulated:
        raise HockneyError(
            f"round trips took up to {format_seconds(curve.median_s.max())}: trains with longer "
            f"delays would report nothing for {format_seconds(silent_s, 2)}, and --timeout is "
            f"{format_seconds(timeout_s, 2)}",
            "measure again into another file when nothing else runs on these CPUs and hosts, or "
            "with a longer --timeout",
        )


def round_trips(run: Run) -> Curve:
    """The curve of the launches that measured only round trips; a resumed run has others too."""
    others = {
        sample.launch
        for sample in run.samples
        if sample.train and sample.train != Train(messages=1)
    }
    own = Visits(sample for sample in run.samples if sample.launch not in others)
    return curve_of(estimate(replace(run, samples=own)).headline)


def delay_for(bytes_: Array, seconds: Array) -> Delay:
    """Delays by size: a line that is at least LONGER times each time, in whole nanoseconds."""
    alpha, beta = (float(value[0]) for value in line(bytes_, seconds[None, :]))
    most = LONGER * float((seconds / (alpha + beta * bytes_)).max())
    return float(np.ceil(most * alpha * 1e9)), float(np.ceil(most * beta * 1e12)) * 1e-3

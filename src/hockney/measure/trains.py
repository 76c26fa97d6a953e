"""The steps of `hockney overheads`: round trips, then trains with delays that fit them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from hockney.estimate import estimate
from hockney.fitting.fit import Array, Curve, curve_of
from hockney.fitting.line import line
from hockney.fitting.trains import NO_DELAY, Delay, Train, train_of
from hockney.measure.session import Session
from hockney.records import Run
from hockney.spec import Plan
from hockney.spec.workloads import overheads
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
        trains = trains_for(round_trips(session.run), workload.messages)
        workload = msgspec.structs.replace(workload, trains=tuple(map(as_sent, trains)))
        sampling = msgspec.structs.replace(
            sampling,
            budget_s=(1.0 - FIRST_SHARE) * sampling.budget_s,
            usual_launch_s=ROUNDS * VISIT_S * len(workload.sizes) * len(trains),
        )
        return Plan(cases=(msgspec.structs.replace(case, workload=workload),), sampling=sampling)

    def notes(self) -> list[str]:
        return []


def as_sent(train: Train) -> overheads.Train:
    """The train as a launch sends it, its delays in nanoseconds."""
    delays = (train.send.seconds, train.send.s_per_B, train.receive.seconds, train.receive.s_per_B)
    return overheads.Train(train.messages, *(1e9 * delay for delay in delays))


def round_trips(run: Run) -> Curve:
    """The curve of the launches that measured nothing else: a run that is resumed has others."""
    others = {one.launch for one in run.samples if one.train and train_of(one.train) != Train(1)}
    own = [one for one in run.samples if one.launch not in others]
    return curve_of(estimate(replace(run, samples=own)).headline)


def trains_for(round_trips: Curve, messages: int) -> tuple[Train, ...]:
    """All that LogGP needs, with one delay that grows with the size as the round trips do."""
    delay = delay_for(round_trips.bytes, round_trips.median_s)
    return (
        Train(0, delay),
        Train(1),
        Train(messages),
        Train(1, delay),
        Train(messages, delay),
        Train(1, NO_DELAY, delay),
        Train(messages, NO_DELAY, delay),
    )


def delay_for(bytes_: Array, seconds: Array) -> Delay:
    """A line no lower than LONGER times each of the times, to a nanosecond."""
    alpha, beta = (float(value[0]) for value in line(bytes_, seconds[None, :]))
    most = LONGER * float((seconds / (alpha + beta * bytes_)).max())
    return Delay(np.ceil(most * alpha * 1e9) * 1e-9, np.ceil(most * beta * 1e12) * 1e-12)

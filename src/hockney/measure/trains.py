"""The questions of `hockney overheads`: round trips, then trains with delays that fit them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hockney.estimate import estimate
from hockney.measure.question import Question
from hockney.measure.session import Session
from hockney.models._trains import NO_DELAY, Delay, Train
from hockney.models.fit import Array, Curve, curve_of
from hockney.models.hockney import line
from hockney.records import Run

FIRST_SHARE = 0.1
"""Of the budget, for the round trips."""
LONGER = 1.2
"""A delay against the round trip of its size: whoever waits must decide how fast a train goes."""

ROUNDS, VISIT_S = 15, 0.6e-3
"""That a launch should make, and what a visit of one train takes."""


@dataclass
class Trains:
    """What to ask next: trains once the round trips are known, then nothing."""

    question: Question
    messages: int
    asked: bool = False

    def first_question(self) -> Question:
        return replace(
            self._asking((Train(1),)),
            least_launches=1,
            most_launches=1,
            budget_s=FIRST_SHARE * self.question.budget_s,
            over_s=None,
        )

    def follow_up(self, session: Session) -> Question | None:
        if self.asked:
            return None
        self.asked = True
        trains = trains_for(round_trips(session.run), self.messages)
        return replace(
            self._asking(trains),
            budget_s=(1.0 - FIRST_SHARE) * self.question.budget_s,
            usual_launch_s=ROUNDS * VISIT_S * len(self.question.sizes) * len(trains),
        )

    def _asking(self, trains: tuple[Train, ...]) -> Question:
        words = ",".join(train.words for train in trains)
        return replace(self.question, arguments=(*self.question.arguments, f"--trains={words}"))


def round_trips(run: Run) -> Curve:
    return curve_of(estimate(run).headline)


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

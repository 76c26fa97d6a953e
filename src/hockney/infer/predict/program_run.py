"""Predicts a program's run from the order of its calls on a measured machine, and how much latency
it tolerates (LLAMP's question: Shen et al., SC'24, arXiv 2404.14193).

Every rank has a clock that its steps move: computing by what it took in the profile, a message by
LogGP's o, L, G and g, a collective to the last arrival plus its own time. A rank's port sends one
message after the other, and takes in one after the other. All clocks are kept for several added
latencies at once, shape (latencies,): the run time is a convex function of these, as long as
messages arrive in the same order, whose slope is the number of messages on the critical path. A
sender does not wait for its receiver.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import Parameter, parameter
from hockney.infer.predict.channel import MOST_RESAMPLES, Channel, Unchanged
from hockney.infer.predict.costs import CostsOf
from hockney.infer.predict.program_collectives import CompletionTime, ProgramCollectives
from hockney.profiling.order import (
    COMPLETE,
    RECEIVE,
    SEND,
    START_RECEIVE,
    START_SEND,
    START_TOGETHER,
    TOGETHER,
    Order,
    TraceStep,
)

NONE = np.zeros(1)
SLOPE_S = 1e-9
"""Latency that is added to count the messages that the run waits for."""
ADDED_S = np.concatenate([[0.0, SLOPE_S], np.geomspace(1e-8, 10.0, 73)])
TOLERATED = (0.01, 0.02, 0.05)
"""Longer run times, as fractions, for which the tolerated latency is computed."""
MOST_STUCK = 4
"""Most ranks that the words of an order without an end name."""
MOST_STEPS = 3_000_000
"""Most steps simulated for the interval; a million takes some seconds."""


@dataclass(frozen=True)
class OrderPrediction:
    seconds: Parameter
    """Time until the last rank ends the recorded steps, computing included; without an interval
    from too few launches or of too many steps."""
    computing_s: float
    """Computing time of the rank that computes most."""
    latencies: float
    """Messages on the critical path: seconds of run time per second of latency."""
    tolerated_s: dict[float, float | None]
    """Added latency by fraction of longer run time; None if it is above 10 s."""
    before: Parameter | None = None
    """`seconds` without --what-if; None if nothing was changed."""

    @property
    def unchanged(self) -> Unchanged | None:
        return Unchanged.of(self.seconds, self.before)


def predict_order(
    order: Order, channel: Channel, collectives: Sequence[PointEstimate] = ()
) -> OrderPrediction:
    """Predicts a run by its order of calls. collectives: measured ones, preferred to simulated
    schedules."""
    timed = ProgramCollectives(collectives)
    unchanged = channel.before or channel
    of_best = timed.with_latencies(channel.best, unchanged.best)
    times = walk(order, channel.best, of_best, ADDED_S).max(axis=0)
    predicted = Parameter(float(times[0]))
    most = min(MOST_RESAMPLES, MOST_STEPS // max(order.steps, 1))
    resampled = list(zip(channel.resampled, unchanged.resampled, strict=True))[:most]
    if len(resampled) == MOST_RESAMPLES:
        each = [
            float(walk(order, costs[0], timed.with_latencies(*costs, draw), NONE).max())
            for draw, costs in enumerate(resampled)
        ]
        launches = min(channel.fit.launches, timed.launches or channel.fit.launches)
        predicted = parameter(float(times[0]), np.array(each), launches)
    before = None
    if channel.before is not None:
        before = predict_order(order, channel.before, collectives).seconds
        predicted = channel.changed(before, predicted)
    return OrderPrediction(
        seconds=predicted,
        computing_s=max((sum(step.before_s for step in of) for of in order.ranks), default=0.0),
        latencies=float(times[1] - times[0]) / SLOPE_S,
        tolerated_s={part: _tolerated(times, part) for part in TOLERATED},
        before=before,
    )


def _tolerated(times: Array, part: float) -> float | None:
    """The added latency at which the run takes longer by that fraction; linear between two of
    ADDED_S."""
    limit = times[0] * (1.0 + part)
    above = np.flatnonzero(times > limit)
    if not len(above):
        return None
    place = int(above[0])
    run, step = times[place] - times[place - 1], ADDED_S[place] - ADDED_S[place - 1]
    return float(ADDED_S[place - 1] + step * (limit - times[place - 1]) / run)


def walk(order: Order, costs_of: CostsOf, collective_of: CompletionTime, added: Array) -> Array:
    """The time when each rank ends its steps; shape (ranks, latencies)."""
    run = _RankClocks(order, costs_of, collective_of, added)
    ready = deque(range(len(order.ranks)))
    while ready:
        ready += run.advance(ready.popleft())
    if stuck := run.stuck():
        raise UsageError(
            f"the order of calls does not come to its end: {'; '.join(stuck[:MOST_STUCK])}",
            "these wait for each other: the program would hang, or a part of its order is missing",
        )
    return np.array(run.now)


class _RankClocks:
    """Clocks of all ranks, and the matches of messages or collectives that they wait for."""

    def __init__(
        self, order: Order, costs_of: CostsOf, collective_of: CompletionTime, added: Array
    ) -> None:
        self.order, self.costs_of, self.added = order, costs_of, added
        self.collective_of = collective_of
        ranks = len(order.ranks)
        self.next = [0] * ranks
        self.now = [np.zeros(len(added)) for _ in range(ranks)]
        self._free = [np.zeros(len(added)) for _ in range(ranks)]
        """Time from which on each rank's port can send the next message."""
        self._taken = [(np.zeros(len(added)), np.zeros(len(added))) for _ in range(ranks)]
        """Begin and end of the last message that each rank's port took in."""
        self._arrived: dict[int, Array] = {}
        self._met: dict[int, Array] = {}
        self._came: dict[int, list[Array]] = defaultdict(list)
        self._waiting: dict[tuple[str, int], list[int]] = defaultdict(list)
        self._started: list[dict[int, TraceStep]] = [{} for _ in range(ranks)]
        self._entered: list[bool] = [False] * ranks

    def advance(self, rank: int) -> list[int]:
        """Advances a rank until it waits; returns the ranks that need no longer wait."""
        woken: list[int] = []
        steps = self.order.ranks[rank]
        while self.next[rank] < len(steps):
            step = steps[self.next[rank]]
            if not self._entered[rank]:
                self._entered[rank] = True
                self.now[rank] = self.now[rank] + step.before_s
                woken += self._enter(rank, step)
            needs = self._needs(rank, step)
            if needs is not None:
                self._waiting[needs].append(rank)
                return woken
            self._leave(rank, step)
            self.next[rank] += 1
            self._entered[rank] = False
        return woken

    def stuck(self) -> list[str]:
        """What each rank waits for that has not come to its end."""
        waits = []
        for rank, steps in enumerate(self.order.ranks):
            if self.next[rank] == len(steps):
                continue
            step = steps[self.next[rank]]
            of = self._started[rank].get(step.request, step) if step.what == COMPLETE else step
            if of.what in (TOGETHER, START_TOGETHER):
                what = f"for others in {of.name}"
            else:
                what = f"for a message from rank {of.peer}"
            waits.append(f"rank {rank} waits {what} (call {self.next[rank] + 1})")
        return waits

    def _enter(self, rank: int, step: TraceStep) -> list[int]:
        if step.what in (SEND, START_SEND):
            return self._send(rank, step)
        if step.what in (START_RECEIVE, START_TOGETHER):
            self._started[rank][step.request] = step
        if step.what in (TOGETHER, START_TOGETHER):
            return self._come(rank, step)
        return []

    def _send(self, rank: int, step: TraceStep) -> list[int]:
        costs = self.costs_of(step.bytes, 1)
        begins = np.maximum(self.now[rank] + costs.overhead_s / 2.0, self._free[rank])
        gone = begins + step.bytes * costs.s_per_B
        self._free[rank] = begins + costs.port_s(step.bytes)
        self._arrived[step.match] = gone + costs.latency_s + self.added
        self.now[rank] = gone if step.what == SEND else self.now[rank] + costs.overhead_s / 2.0
        return self._waiting.pop(("message", step.match), [])

    def _come(self, rank: int, step: TraceStep) -> list[int]:
        came = self._came[step.match]
        came.append(self.now[rank])
        ranks = len(self.order.groups[step.match])
        if len(came) < ranks:
            return []
        seconds, latencies = self.collective_of(step.name, ranks, step.bytes)
        last = np.maximum.reduce(self._came.pop(step.match))
        self._met[step.match] = last + seconds + latencies * self.added
        return self._waiting.pop(("collective", step.match), [])

    def _needs(self, rank: int, step: TraceStep) -> tuple[str, int] | None:
        """The match that the rank must wait for; None if it need not."""
        of = self._awaited(rank, step)
        if of is None:
            return None
        if of.what in (RECEIVE, START_RECEIVE):
            return None if of.match in self._arrived else ("message", of.match)
        return None if of.match in self._met else ("collective", of.match)

    def _awaited(self, rank: int, step: TraceStep) -> TraceStep | None:
        """The receive or collective whose end a step waits for; None for other steps."""
        if step.what == COMPLETE:
            return self._started[rank].get(step.request)
        return step if step.what in (RECEIVE, TOGETHER) else None

    def _leave(self, rank: int, step: TraceStep) -> None:
        of = self._awaited(rank, step)
        if of is None:
            return
        if step.what == COMPLETE:
            del self._started[rank][step.request]
        if of.what in (RECEIVE, START_RECEIVE):
            overhead = self.costs_of(of.bytes, 1).overhead_s / 2.0
            self.now[rank] = np.maximum(self.now[rank], self._taken_in(rank, of)) + overhead
        else:
            self.now[rank] = np.maximum(self.now[rank], self._met[of.match])

    def _taken_in(self, rank: int, step: TraceStep) -> Array:
        """When a message is whole at its receiver, whose port takes in one after the other. One
        that was there before the last one began is not delayed by it."""
        arrived = self._arrived.pop(step.match)
        taken = self.costs_of(step.bytes, 1).port_s(step.bytes)
        begun, free = self._taken[rank]
        was_there = arrived <= begun
        whole = np.where(was_there, arrived, np.maximum(arrived, free + taken))
        self._taken[rank] = (
            np.where(was_there, begun, whole - taken),
            np.where(was_there, free, whole),
        )
        return np.asarray(whole)

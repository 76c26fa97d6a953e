"""Predicts how long the mix of a program's messages and collectives takes on a measured machine.

Every rank has a clock, and links that messages occupy one after the other. A message leaves when
its sender's clock and link allow it, a large one when its receiver is ready too, and arrives T(b)
later, the receiver's clock moving on to that. In a collective each rank is done when the messages
that it depends on are, by the starts of those ranks: a root leaves its broadcast before the others.
What the program computes between its calls is not in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hockney.base.units import format_size
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import Parameter, parameter
from hockney.infer.predict.channel import MOST_RESAMPLES, Channel, Unchanged
from hockney.infer.predict.costs import Costs, CostsOf, scaled, slower
from hockney.infer.predict.patterns import MESSAGE
from hockney.infer.predict.program_collectives import (
    LATENCY_S,
    RENDEZVOUS_BYTES,
    CollectiveTime,
    ProgramCollectives,
)
from hockney.plan.words import RETURNED
from hockney.profiling.mix import Item, Mix

MOST_STEPS = 20_000
"""Most steps that are simulated of a mix; of longer ones a part, evenly."""
LEAST_TURNS = 10
"""Fewest turns of an item in that part; rarer ones are added separately, as they would count too
much there, or not at all."""
FROM_ROOT = frozenset({"bcast", "scatter"})
"""Collectives whose root sends, and may continue before the others have received."""
TO_ROOT = frozenset({"reduce", "gather"})
"""Collectives whose root receives; the others may continue before it has received."""


@dataclass(frozen=True)
class MixPrediction:
    seconds: Parameter
    """Time until the last rank has finished all of the mix."""
    more_latency_s: float
    """Time of the mix with LATENCY_S more for each message."""
    half_bandwidth_s: float
    """Time of the mix with half the bandwidth."""
    collectives: str
    """Source of the collectives' times: "measured", "schedules", "both" or "none"."""
    assumed: tuple[tuple[str, str], ...] = ()
    """The collectives whose time is that of a schedule, or changes as it does, and its algorithm,
    which the library is assumed to choose."""
    are_overheads_known: bool = True
    """Whether the costs of a message for its ranks, which those schedules need, were measured."""
    before: Parameter | None = None
    """The time without --what-if; None if nothing was changed."""

    @property
    def unchanged(self) -> Unchanged | None:
        return Unchanged.of(self.seconds, self.before)


def predict_mix(
    mix: Mix, channel: Channel, collectives: Sequence[PointEstimate] = ()
) -> MixPrediction:
    """Predicts the time of a mix. `collectives`: measured ones, preferred to simulated
    schedules."""
    timed = ProgramCollectives(collectives)
    unchanged = channel.before or channel

    def seconds(
        costs_of: CostsOf, measured_with: CostsOf, added_s: float = 0.0, draw: int | None = None
    ) -> float:
        times = timed.times(costs_of, measured_with, added_s, draw)
        return _walk(mix, slower(costs_of, added_s), times.between_ranks)

    best = seconds(channel.best, unchanged.best)
    resampled = list(zip(channel.resampled, unchanged.resampled, strict=True))[:MOST_RESAMPLES]
    sampled = [seconds(*costs, draw=draw) for draw, costs in enumerate(resampled)]
    launches = [len(seconds_) for seconds_ in unchanged.measured.values()]
    launches += [] if timed.launches is None else [timed.launches]
    predicted = parameter(best, np.array(sampled), min(launches, default=0))
    before = None
    if channel.before is not None:
        before = predict_mix(mix, channel.before, collectives).seconds
        predicted = channel.changed(before, predicted)
    return MixPrediction(
        predicted,
        seconds(channel.best, unchanged.best, LATENCY_S),
        seconds(scaled(channel.best, {"bandwidth": 0.5}), unchanged.best),
        "both" if len(timed.sources) > 1 else next(iter(timed.sources), "none"),
        tuple(sorted(timed.assumed)),
        channel.model == "loggp",
        before,
    )


def has_warmer_buffers(mix: Mix, messages: Sequence[PointEstimate]) -> bool:
    """True if most bytes of the program are from several buffers in turn, but all messages used for
    its prediction from one, which stays in a cache."""
    return mix.several_buffers > 0.5 and all(point.buffers == RETURNED for point in messages)


def beyond_measured(
    mix: Mix, channel: Channel, collectives: Sequence[PointEstimate] = ()
) -> list[str]:
    """A sentence for each kind of messages and measured collectives that are larger, or smaller,
    than any whose time is known."""
    measured = ProgramCollectives(collectives).measured
    beyond: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for item in mix.items:
        times = measured.get((item.operation, len(item.ranks)))
        smallest, largest = (min(times), max(times)) if times else (0, item.bytes)
        if item.operation == MESSAGE:
            largest = channel.largest_bytes
        if item.bytes > largest:
            beyond[item.operation, "larger", largest].append(item.bytes)
        elif item.bytes < smallest:
            beyond[item.operation, "smaller", smallest].append(item.bytes)
    return [
        f"--on has no {operation} {than} than {format_size(known)}: the time of those of "
        f"{format_size(max(sizes) if than == 'larger' else min(sizes))} is extrapolated; "
        "measure them (--sizes)"
        for (operation, than, known), sizes in beyond.items()
    ]


def _walk(mix: Mix, costs_of: CostsOf, collective_s: CollectiveTime) -> float:
    """The time of the whole mix; for one with many steps extrapolated from a part of its turns,
    with items that are too rare for it added."""
    steps = sum(item.count for item in mix.items)
    turns = min(mix.turns, max(1, MOST_STEPS * mix.turns // steps))
    clocks, rare = _Clocks(mix.ranks), _Clocks(mix.ranks)
    times = [
        costs_of(item.bytes, 1).message_s(item.bytes)
        if item.operation == MESSAGE
        else collective_s(item)
        for item in mix.items
    ]
    wires = [_wire(item, costs_of(item.bytes, 1)) for item in mix.items]
    shares = np.array([item.count / mix.turns for item in mix.items])
    due = np.array(mix.phases)
    if turns < mix.turns:
        is_rare = shares * turns < LEAST_TURNS
        for number in np.flatnonzero(is_rare):
            item = mix.items[number]
            rare.exchange(item, times[number] * item.count, wires[number] * item.count)
        rare.finish()
        shares[is_rare] = 0.0
    for _ in range(turns):
        due += shares
        for number in np.flatnonzero(due >= 1.0):
            due[number] -= 1.0
            clocks.exchange(mix.items[number], times[number], wires[number])
        clocks.finish()
    return max(clocks.now) * mix.turns / turns + max(rare.now)


def _wire(item: Item, costs: Costs) -> float:
    """How long a message occupies the links of its sender and receiver, or each of both, which
    sends and receives as many. For a collective, the messages of its root in a tree, or (scatter,
    gather) all blocks."""
    bytes_ = item.bytes
    if item.operation == MESSAGE:
        return costs.period_s(bytes_)
    if item.operation in ("scatter", "gather"):
        bytes_ *= len(item.ranks) - 1
    else:
        bytes_ *= (len(item.ranks) - 1).bit_length()
    return bytes_ * costs.wire_s_per_B


def _ends(begun: Array, seconds: Array) -> Array:
    """The end of each rank, given how long after each start it may end."""
    ends: Array = np.maximum(begun, (begun[:, None] + seconds).max(axis=0))
    return ends


class _Clocks:
    """Per rank: its clock, when its links are free again, and when its last message in flight is
    done."""

    def __init__(self, ranks: int) -> None:
        self.now = [0.0] * ranks
        self._done = [0.0] * ranks
        self._out_free = [0.0] * ranks
        self._in_free = [0.0] * ranks

    def exchange(self, item: Item, seconds: float | Array, wire: float) -> None:
        if isinstance(seconds, float):
            self._message(item, seconds, wire)
        else:
            self._together(item, seconds, wire)

    def _together(self, item: Item, seconds: Array, wire: float) -> None:
        """Advances all ranks of a collective. seconds: from each rank's start to each one's end."""
        self._finish(item.ranks)
        begun = np.array([self.now[rank] for rank in item.ranks])
        if item.operation in FROM_ROOT:
            ended = self._sent_by_root(item, begun, seconds, wire)
        else:
            ended = _ends(begun, seconds)
        if item.operation in TO_ROOT:
            self._received_by_root(item, begun, ended, wire)
        for rank, end in zip(item.ranks, ended, strict=True):
            self.now[rank] = float(end)

    def _sent_by_root(self, item: Item, begun: Array, seconds: Array, wire: float) -> Array:
        """Ends of a collective from a root, whose messages leave after those of collectives before;
        it does not wait for that itself."""
        root = item.ranks[item.root]
        leaves = begun.copy()
        leaves[item.root] = max(begun[item.root], self._out_free[root])
        self._out_free[root] = float(leaves[item.root]) + wire
        ended = _ends(leaves, seconds)
        ended[item.root] = _ends(begun, seconds)[item.root]
        return ended

    def _received_by_root(self, item: Item, begun: Array, ended: Array, wire: float) -> None:
        """Delays the root's end until messages arrive, after those of collectives before."""
        root = item.ranks[item.root]
        self._in_free[root] = max(self._in_free[root], float(begun[item.root])) + wire
        ended[item.root] += max(0.0, self._in_free[root] - float(ended.max()))

    def _message(self, item: Item, seconds: float, wire: float) -> None:
        source, target = item.ranks
        if item.is_blocking:
            self._finish(item.ranks)
        waits = item.bytes >= RENDEZVOUS_BYTES
        start = max(self.now[source], self._out_free[source])
        if waits:
            start = max(start, self.now[target])
        arrives = max(start + seconds, self._in_free[target] + wire)
        self._out_free[source] = start + wire
        self._in_free[target] = arrives
        self._done[target] = max(self._done[target], arrives)
        if waits:
            self._done[source] = max(self._done[source], arrives)
        if item.is_blocking:
            self._finish(item.ranks if waits else (target,))

    def finish(self) -> None:
        """Completes all messages in flight."""
        self._finish(range(len(self.now)))

    def _finish(self, ranks: Sequence[int]) -> None:
        for rank in ranks:
            self.now[rank] = max(self.now[rank], self._done[rank])

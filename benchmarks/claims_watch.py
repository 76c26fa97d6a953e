"""What the pages state about watching: years without a false alarm, and how soon a loss is seen.

A look every half hour. Noise has a deviation of 1 %: half of its variance wanders (an
autoregression with the correlation named, from look to look), half scatters with heavy tails
(Student's t with 4 degrees of freedom); without correlation all of it scatters. Machines have two
states 35 % apart, a week (1 % by day and night, 1 % on working days), or a wild look in a hundred.
The hardest have what the detector knows no model of: shocks with heavy tails that fade over hours,
or states that are hardly further apart than the loss. A look every half hour is a duty of 0.5 %
where it takes nine seconds.

The detector was tuned on noise of the seeds 2026 and 31. The rates are of noise of the seed PROOF,
which nothing was tuned on: whoever changes the detector tunes it on another one, and measures
all rates again with a new PROOF.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from claim import Claim
from numpy.typing import NDArray

from hockney.infer.estimate.alarm import Alarm
from hockney.infer.estimate.detector import Detector, changed_of

Array = NDArray[np.float64]

A_DAY, LOOK_S = 48, 1800.0
YEAR, BEFORE, AFTER = 365 * A_DAY, 42 * A_DAY, 4 * A_DAY
"""Looks of a year; before a loss, and after it."""
LIMIT = 20.0 * YEAR
"""Looks to a false alarm that the verb asks for at this pace."""
TOLERANCE = 0.01
AT_ONCE = 60
"""Machines that are simulated together."""
NETWORKS_AT_ONCE = 15
PROOF = 47
"""Seed of the noise, beside that of all claims."""
WHERE = "docs/method.md, Watching"


@dataclass(frozen=True)
class Network:
    """Nodes that are followed each beside its peers, and the time of each size."""

    nodes: int
    sizes: int
    look_s: float

    @property
    def series(self) -> int:
        return self.sizes * (1 + self.nodes)

    def looks(self, days: float) -> int:
        return round(days * 86400.0 / self.look_s)

    @property
    def limit(self) -> float:
        return 20.0 * self.looks(365)

    def parts(self, n: int, at_once: int) -> list[range]:
        """Divides n networks among those that are simulated together. at_once: of 16 nodes."""
        each = max(at_once * SMALL.series // self.series, 1)
        return [range(first, min(first + each, n)) for first in range(0, n, each)]


SMALL, LARGE = Network(16, 2, LOOK_S), Network(1024, 1, 7200.0)
"""Three launches on a thousand nodes take a minute or so: 1 % of the time is a look every two
hours."""


@dataclass(frozen=True)
class Machine:
    correlation: float = 0.0
    states: float = 0.0
    """Logarithm of the ratio of two states, the slower one 30 % of the time, half a day each."""
    week: float = 0.0
    wild: float = 0.0
    """Fraction of looks that are wild."""
    deviation: float = 0.01
    has_shocks: bool = False
    """Whether the noise that wanders has heavy tails."""

    def random(self, seed: int) -> np.random.Generator:
        """Noise of its own for each machine."""
        return np.random.default_rng([PROOF, seed, zlib.crc32(repr(self).encode())])

    def looks(self, rng: np.random.Generator, count: int, machines: int) -> Array:
        """Logarithms, shape (count, machines)."""
        values = self.deviation * self._noise(rng, count, machines)
        if self.states:
            values += self.states * _coming_and_going(rng, count, machines)
        if self.week:
            days = np.arange(count) / A_DAY
            values += self.week * np.sin(2.0 * math.pi * days)[:, None]
            values += self.week * (days % 7 < 5)[:, None]
        wild = rng.random(values.shape) < self.wild
        return np.asarray(values + wild * rng.exponential(0.2, values.shape))

    def _noise(self, rng: np.random.Generator, count: int, machines: int) -> Array:
        scatter = rng.standard_t(4, (count, machines)) / math.sqrt(2.0)
        if not self.correlation:
            return np.asarray(scatter)
        shape = (count, machines)
        heavy = rng.standard_t(4, shape) / math.sqrt(2.0) if self.has_shocks else None
        wander = rng.standard_normal(shape) if heavy is None else heavy
        fresh = math.sqrt(1.0 - self.correlation**2)
        for at in range(1, count):
            wander[at] = self.correlation * wander[at - 1] + fresh * wander[at]
        return np.asarray(math.sqrt(0.5) * (wander + scatter))


def _coming_and_going(rng: np.random.Generator, count: int, machines: int) -> Array:
    leave = 1.0 / 24.0
    enter = leave * 0.3 / 0.7
    slow, states = np.zeros(machines, dtype=bool), np.zeros((count, machines))
    for at in range(count):
        draw = rng.random(machines)
        slow = np.where(slow, draw > leave, draw < enter)
        states[at] = slow
    return states


def first_alarms(values: Array) -> dict[int, tuple[int, Alarm]]:
    """The first alarm of each machine, judged for itself, with the look that showed it."""
    return {
        machine: (at, alarms[0])
        for machine, (at, alarms) in networks_alarms(values[:, :, None], LIMIT, LOOK_S).items()
    }


def networks_alarms(
    values: Array, limit: float, look_s: float
) -> dict[int, tuple[int, dict[int, Alarm]]]:
    """The first alarm of each network: the look that showed it, and that of each series that it
    names. values: shape (looks, networks, series)."""
    looks, networks, series = values.shape
    detector = Detector(networks * series, limit, math.log1p(TOLERANCE), look_s)
    first: dict[int, tuple[int, dict[int, Alarm]]] = {}
    for at, row in enumerate(values.reshape(looks, -1)):
        detector.look(at * look_s, row)
        evidence = detector.evidence.reshape(networks, series)
        for network in np.flatnonzero(evidence.mean(axis=1) >= limit).tolist():
            if network in first:
                continue
            possible = {
                changed: detector.alarm(
                    network * series + changed, float(evidence[network, changed])
                )
                for changed in changed_of(evidence[network], limit)
            }
            alarms = {changed: alarm for changed, alarm in possible.items() if alarm is not None}
            if alarms:
                first[network] = at, alarms
        for network, alarms in _hidden(detector, networks, series).items():
            first.setdefault(network, (at, alarms))
    return first


def _hidden(detector: Detector, networks: int, series: int) -> dict[int, dict[int, Alarm]]:
    """What a look back at each network shows, as Course has it."""
    steps = detector.hidden()
    if steps is None:
        return {}
    shown = {}
    for network, evidence in enumerate(steps.evidence.reshape(networks, series)):
        changed = changed_of(evidence, detector.limit)
        if changed:
            shown[network] = {which: steps.alarm(network * series + which) for which in changed}
    return shown


def false_years_of(network: Network) -> Callable[[int, int], tuple[int, int]]:
    def run(n: int, seed: int) -> tuple[int, int]:
        parts = network.parts(n, NETWORKS_AT_ONCE)
        return sum(len(years_of(network, part, seed)) for part in parts), n

    return run


def years_of(network: Network, which: range, seed: int) -> dict[int, tuple[int, dict[int, Alarm]]]:
    """The first alarm of each of these networks in a year, whose noise is their own."""
    machine, looks = MACHINES["correlation 0.5"], network.looks(365)
    rng = machine.random(seed + 1 + 1000 * which.start)
    values = machine.looks(rng, looks, len(which) * network.series)
    shape = looks, len(which), network.series
    return networks_alarms(values.reshape(shape), network.limit, network.look_s)


@cache
def slow_nodes(network: Network, n: int, seed: int) -> list[tuple[int, list[int]] | None]:
    """Networks of which the last node becomes 10 % slower: its first alarm, after so many looks,
    and what it names."""
    machine, nodes = MACHINES["correlation 0.5"], []
    rng, before = machine.random(seed + 2), network.looks(42)
    for count in map(len, network.parts(n, AT_ONCE)):
        values = machine.looks(rng, network.looks(46), count * network.series)
        values = values.reshape(-1, count, network.series)
        values[before:, :, -1] += math.log1p(0.1)
        alarms = networks_alarms(values, network.limit, network.look_s)
        first = [alarms.get(number) for number in range(count)]
        nodes += [(alarm[0] - before, [*alarm[1]]) if alarm else None for alarm in first]
    return nodes


def slow_nodes_seen(network: Network) -> Callable[[int, int], tuple[int, int]]:
    def run(n: int, seed: int) -> tuple[int, int]:
        every = slow_nodes(network, n, seed)
        return sum(alarm is not None and 0 <= alarm[0] < 6 for alarm in every), n

    return run


def slow_nodes_named(network: Network) -> Callable[[int, int], tuple[int, int]]:
    """Of the alarms, counts those that name the slow node and no other one."""

    def run(n: int, seed: int) -> tuple[int, int]:
        every = [node for node in slow_nodes(network, n, seed) if node]
        return sum(alarm[1] == [network.series - 1] for alarm in every), len(every)

    return run


def false_years(machine: Machine) -> Callable[[int, int], tuple[int, int]]:
    def run(n: int, seed: int) -> tuple[int, int]:
        rng = machine.random(seed)
        parts = [min(AT_ONCE, n - done) for done in range(0, n, AT_ONCE)]
        return sum(len(first_alarms(machine.looks(rng, YEAR, part))) for part in parts), n

    return run


@cache
def losses(machine: Machine, loss: float, n: int, seed: int) -> list[tuple[int, Alarm] | None]:
    """The first alarm of each machine after a loss, at looks counted from it."""
    rng = machine.random(seed + round(1000.0 * loss))
    values = machine.looks(rng, BEFORE + AFTER, n)
    values[BEFORE:] += math.log1p(loss)
    alarms = first_alarms(values)
    each = [alarms.get(number) for number in range(n)]
    return [(alarm[0] - BEFORE, alarm[1]) if alarm else None for alarm in each]


def seen(machine: Machine, loss: float, hours: float) -> Callable[[int, int], tuple[int, int]]:
    """Counts losses that are seen within so many hours, and not before."""

    def run(n: int, seed: int) -> tuple[int, int]:
        most = hours * 3600.0 / LOOK_S
        every = losses(machine, loss, n, seed)
        return sum(alarm is not None and 0 <= alarm[0] < most for alarm in every), n

    return run


def placed(machine: Machine, loss: float) -> Callable[[int, int], tuple[int, int]]:
    """Of the losses that are seen, counts those whose start is right within two looks."""

    def run(n: int, seed: int) -> tuple[int, int]:
        every = [alarm for alarm in losses(machine, loss, n, seed) if alarm and alarm[0] >= 0]
        return sum(abs(at - alarm.start) <= 2 for at, alarm in every), len(every)

    return run


def early(machine: Machine, loss: float) -> Callable[[int, int], tuple[int, int]]:
    """Counts losses on the fifth day that are known on the 14th, with the day of their start."""

    def run(n: int, seed: int) -> tuple[int, int]:
        values = machine.looks(machine.random(seed + 3), 14 * A_DAY + 1, n)
        values[5 * A_DAY :] += math.log1p(loss)
        starts = [at - alarm.start for at, alarm in first_alarms(values).values() if alarm.size > 0]
        return sum(abs(start - 5 * A_DAY) <= A_DAY for start in starts), n

    return run


Machines = dict[str, Machine]
Counted = Callable[[Machine], Callable[[int, int], tuple[int, int]]]

MACHINES: Machines = {
    "correlation 0": Machine(),
    "correlation 0.5": Machine(0.5),
    "correlation 0.9": Machine(0.9),
    "two states": Machine(0.5, states=0.3),
    "a week": Machine(0.5, week=0.01),
    "wild looks": Machine(0.5, wild=0.01),
}
HARD: Machines = {
    "shocks that fade": Machine(0.9, has_shocks=True),
    "states 8 % apart": Machine(0.5, states=0.08),
}


def _of_each(
    what: str, stated: str, run: Counted, machines: Machines, **limit: float
) -> list[Claim]:
    """A claim for each machine. limit: at_most or at_least, a fraction."""
    return [
        Claim(
            name=f"watch: {what}, {name}",
            where=WHERE,
            stated=stated if limit else f"{stated} (nothing is promised)",
            at_most=limit.get("at_most"),
            at_least=limit.get("at_least"),
            run=run(machine),
            n=60,
        )
        for name, machine in machines.items()
    ]


def _seen(loss: float, hours: float) -> Counted:
    return lambda machine: seen(machine, loss, hours)


def _early(loss: float) -> Counted:
    return lambda machine: early(machine, loss)


def _placed(machine: Machine) -> Callable[[int, int], tuple[int, int]]:
    return placed(machine, 0.1)


QUIET = "years without a change that have an alarm"
SOON, SOON_2 = "seen within 3 hours (6 looks)", "seen within 2 days"
AT_14 = "known on day 14, with its start within a day, in at least"

CLAIMS: list[Claim] = [
    *_of_each("false alarms", f"5 % of {QUIET}, at most", false_years, MACHINES, at_most=0.05),
    *_of_each("loss of 10 %", f"{SOON} in at least half", _seen(0.1, 3.0), MACHINES, at_least=0.5),
    *_of_each(
        "start of a loss of 10 %",
        "right within 2 looks in at least 90 % of those seen",
        _placed,
        MACHINES,
        at_least=0.9,
    ),
    *_of_each(
        "loss of 2 %", f"{SOON_2} in at least half", _seen(0.02, 48.0), MACHINES, at_least=0.5
    ),
    *_of_each("a loss of 5 % on day 5", f"{AT_14} 90 %", _early(0.05), MACHINES, at_least=0.9),
    *_of_each("a loss of 2 % on day 5", f"{AT_14} half", _early(0.02), MACHINES, at_least=0.5),
    *(
        Claim(
            name=f"watch, {network.nodes} nodes: {what}",
            where=WHERE,
            stated=stated,
            at_most=most,
            at_least=least,
            run=run(network),
            n=n,
        )
        for network, soon, years in (
            (SMALL, SOON, 60),
            (LARGE, "seen within 12 hours (6 looks)", 2),
        )
        for what, stated, most, least, run, n in (
            ("false alarms", f"5 % of {QUIET}, at most", 0.05, None, false_years_of, years),
            ("a node 10 % slower", f"{soon} in at least half", None, 0.5, slow_nodes_seen, 60),
            ("the node that is named", "the slow one, alone", None, 0.9, slow_nodes_named, 60),
        )
    ),
    *_of_each("loss of 10 %", SOON, _seen(0.1, 3.0), HARD),
    *_of_each("loss of 10 % by the second day", SOON_2, _seen(0.1, 48.0), HARD),
    *_of_each("start of a loss of 10 %", "right within 2 looks", _placed, HARD),
    *_of_each("loss of 2 %", SOON_2, _seen(0.02, 48.0), HARD),
    *_of_each("false alarms", QUIET, false_years, HARD),
]

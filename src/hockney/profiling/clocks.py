"""Differences between the clocks of hosts, from a program's own messages.

No message arrives before it was sent, and nobody leaves a barrier before all have come. Each such
pair of moments on two hosts bounds the difference of their clocks from one side. A difference that
changes linearly (clocks drift) must satisfy all bounds; how far it could be moved within them is
its error. Where no line satisfies them (a clock was set meanwhile), the difference is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_DRIFT = 5e-4
"""Largest drift in seconds a second: crystals keep 1e-4, and NTP moves a clock by up to 5e-4."""
UNIT_S = 1e-6
"""Unit of the solver, whose tolerances are for numbers near 1."""
MOST_BOUNDS = 20_000
"""Most bounds of one host, evenly spaced among all: the solver takes a second for this many."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Precedence:
    """An event on one rank, and an event on another that cannot have been earlier."""

    first: int
    first_s: float
    """Time on the clock of the first rank's host."""
    then: int
    then_s: float


@dataclass(frozen=True)
class ClockOffset:
    """Offset, added to a host's clock at `at_s` for the time of the reference, and its drift."""

    at_s: float = 0.0
    offset_s: float = 0.0
    drift: float = 0.0
    error_s: float = 0.0

    def reference_s(self, seconds: float) -> float:
        return seconds + self.offset_s + self.drift * (seconds - self.at_s)


def clocks_of(boots: Sequence[str], orders: Sequence[Precedence]) -> list[ClockOffset | None]:
    """The clock of each rank, by its host's boot; the reference is that of the first rank. None if
    it is unknown."""
    known = {boots[0]: ClockOffset()} if boots and boots[0] else {}
    between = [order for order in orders if boots[order.first] != boots[order.then]]
    has_new = True
    while has_new and between:
        has_new = False
        for boot in sorted(set(boots) - set(known) - {""}):
            clock = _clock(boot, boots, known, between)
            if clock is not None:
                known[boot] = clock
                has_new = True
    return [known.get(boot) for boot in boots]


def _clock(
    boot: str, boots: Sequence[str], known: dict[str, ClockOffset], orders: Sequence[Precedence]
) -> ClockOffset | None:
    """The clock of a host, by messages with hosts whose clocks are known."""
    lower, upper, errors = [], [], [0.0]
    for order in orders:
        if boots[order.then] == boot and boots[order.first] in known:
            other = known[boots[order.first]]
            lower.append((order.then_s, other.reference_s(order.first_s) - order.then_s))
            errors.append(other.error_s)
        elif boots[order.first] == boot and boots[order.then] in known:
            other = known[boots[order.then]]
            upper.append((order.first_s, other.reference_s(order.then_s) - order.first_s))
            errors.append(other.error_s)
    if not lower or not upper:
        return None
    return _line(_thinned(lower), _thinned(upper), max(errors))


def _thinned(bounds: Sequence[tuple[float, float]]) -> Array:
    return np.array(bounds[:: len(bounds) // MOST_BOUNDS + 1])


def _line(lower: Array, upper: Array, error_s: float) -> ClockOffset | None:
    """The line with the most room to the bounds on both sides. lower, upper: times, and the least
    or largest difference then. error_s: of the clocks that gave the bounds."""
    from scipy.optimize import linprog

    times = np.concatenate([lower[:, 0], upper[:, 0]])
    at, span = float(times.min()), max(float(np.ptp(times)), 1e-3)
    middle = float(np.median(np.concatenate([lower[:, 1], upper[:, 1]])))
    # Unknowns: the difference at the first moment, what it gains until the last, the room.
    rows, limits = [], []
    for sign, bounds in ((-1.0, lower), (1.0, upper)):
        part = (bounds[:, 0] - at) / span
        rows.append(sign * np.column_stack([np.ones_like(part), part, sign * np.ones_like(part)]))
        limits.append(sign * (bounds[:, 1] - middle) / UNIT_S + error_s / UNIT_S)
    gain = MOST_DRIFT * span / UNIT_S
    box = [(None, None), (-gain, gain), (0.0, None)]
    system, most = np.vstack(rows), np.concatenate(limits)
    best = linprog([0.0, 0.0, -1.0], system, most, bounds=box)
    if not best.success:
        return None
    ends = []
    for end in (0.0, 1.0):
        for sign in (1.0, -1.0):
            farthest = linprog([sign, sign * end, 0.0], system, most, bounds=[*box[:2], (0.0, 0.0)])
            if not farthest.success:
                return None
            ends.append(abs(farthest.fun * sign - (best.x[0] + best.x[1] * end)))
    return ClockOffset(
        at, middle + best.x[0] * UNIT_S, best.x[1] * UNIT_S / span, float(max(ends)) * UNIT_S
    )

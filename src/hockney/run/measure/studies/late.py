"""Finds out whether a send waits for its receiver, with receivers that are late.

In a train of one message (engine/operations/train.c) the receiver waits before it receives, and the
sender waits equally long after it has sent. An eager send returns at once: the train takes one
delay. A rendezvous send waits for the receiver: the train takes two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from hockney.plan import sizes_of
from hockney.plan.workloads.late import Late
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import Run

LATE_FACTOR, LATE_LEAST_S = 10.0, 100e-6
"""A receiver is late by this multiple of the longest message time, and at least this long."""
WAITS_ABOVE = 1.5
"""Number of delays above which a send waits: between one (eager) and two (rendezvous)."""
INSIDE = 7
"""Sizes per launch between a size whose send waits and one whose send does not."""


@dataclass
class LateTimes:
    """The findings for each size."""

    delay_s: float
    shortest_ns: dict[int, float] = field(default_factory=dict)
    """The shortest time of a train over all launches, by size."""

    @property
    def waits(self) -> dict[int, bool]:
        """True for each size whose send waits. The shortest time decides: ranks that share a core
        also wait one after the other, but a send that waits never looks like one that does not."""
        limit_ns = WAITS_ABOVE * self.delay_s * 1e9
        return {size: ns > limit_ns for size, ns in sorted(self.shortest_ns.items())}

    def workload(self, pingpong: Pingpong, sizes: Iterable[int]) -> Late:
        """The workload with late receivers, between the ranks of a ping-pong."""
        return Late(
            sizes=sizes_of(sorted(sizes)),
            buffers=pingpong.buffers,
            peers=pingpong.peers,
            delay_ns=round(self.delay_s * 1e9),
        )

    def learn(self, run: Run, launch: int) -> None:
        for samples in run.samples:
            if samples.launch == launch and samples.ns:
                known = self.shortest_ns.get(samples.bytes, float("inf"))
                self.shortest_ns[samples.bytes] = min(known, *samples.ns)

    def changes(self) -> list[tuple[int, int]]:
        """Neighbouring sizes where one send waits and the other does not."""
        waits = self.waits
        return [(a, b) for a, b in pairwise(waits) if waits[a] != waits[b]]

    def sizes_between(self) -> set[int]:
        """Sizes to measure next to locate each change to the byte; empty when all are located. Both
        ends are measured again, as a send that seemed to wait may have been disturbed."""
        sizes: set[int] = set()
        for low, high in self.changes():
            if high - low > 1 or self.waits[low]:
                sizes |= {int(size) for size in np.linspace(low, high, INSIDE + 2).round()}
        return sizes


def late_by(slowest_s: float) -> float:
    """A delay long enough that a message of `slowest_s` does not hide it, in seconds."""
    return max(LATE_FACTOR * slowest_s, LATE_LEAST_S)

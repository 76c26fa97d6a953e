"""Whether a send waits for its receiver: measured with receivers that are late.

A train of one message (engine/operations/train.c) whose receiver waits before it receives and whose
sender waits as long after it has sent takes one delay where the send returns at once, two where it
waits for the receiver: eager, or rendezvous.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from hockney.records import Run
from hockney.spec import sizes_of
from hockney.spec.workloads.late import Late as LateWorkload
from hockney.spec.workloads.pingpong import Pingpong

LATE_FACTOR, LATE_LEAST_S = 10.0, 100e-6
"""A receiver is late by so many times the longest message, and at least so much."""
WAITS_ABOVE = 1.5
"""In delays."""
INSIDE = 7
"""Sizes between one that waits and one that does not, in one launch."""


@dataclass
class Late:
    """What is known of each size."""

    delay_s: float
    shortest_ns: dict[int, float] = field(default_factory=dict)
    """Of a train, by size, over all launches."""

    @property
    def waits(self) -> dict[int, bool]:
        """By the shortest time: where both ranks must share a core their delays pass one after the
        other, too, but nothing makes a send that waits seem not to."""
        limit_ns = WAITS_ABOVE * self.delay_s * 1e9
        return {size: ns > limit_ns for size, ns in sorted(self.shortest_ns.items())}

    def workload(self, pingpong: Pingpong, sizes: Iterable[int]) -> LateWorkload:
        """Late receivers between the ranks of a ping-pong."""
        return LateWorkload(
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
        """Neighbouring sizes of which one waits and the other does not."""
        waits = self.waits
        return [(a, b) for a, b in pairwise(waits) if waits[a] != waits[b]]

    def sizes_between(self) -> set[int]:
        """What to measure next to know each change to the byte; empty when it is known. Both ends
        are measured again: one that seemed to wait may have been disturbed."""
        sizes: set[int] = set()
        for low, high in self.changes():
            if high - low > 1 or self.waits[low]:
                sizes |= {int(size) for size in np.linspace(low, high, INSIDE + 2).round()}
        return sizes


def late_by(slowest_s: float) -> float:
    """How late a receiver must be that a message of `slowest_s` does not blur it."""
    return max(LATE_FACTOR * slowest_s, LATE_LEAST_S)

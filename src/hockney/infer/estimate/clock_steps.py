"""Steps of a coarse clock in times: what lies within a step of another time is not known to differ.

The resolution that a launch records is the smallest step seen between two readings, which may be
the cost of a reading. So a step counts only where the times show it: where they are a constant plus
multiples of it.
"""

from __future__ import annotations

import numpy as np

from hockney.infer.arrays import Array
from hockney.records import Run

COARSE = 0.01
"""Least step that counts, as a fraction of a time: batches are so long that theirs is smaller
(LARGEST_GRAIN of engine/calibrate.c)."""
SHOWN = 0.8
"""Least mean resultant length of the times as angles, a turn a step. That of a uniform phase is
near 0; at this one the standard deviation is a tenth of a step."""
PASSES = 4
"""One-way passes of a cache line in each time of a probe (engine/probe.c)."""


def resolution_s(run: Run) -> float:
    """The coarsest clock of the launches; 0 where it is unknown, and of simulated time."""
    if run.is_simulated:
        return 0.0
    return max((launch.clock.resolution_s or 0.0 for launch in run.launches), default=0.0)


def within_a_step(medians: Array, step_s: float) -> Array:
    """The medians of launches, those within a step of their median replaced by it."""
    centre = np.median(medians)
    return np.where(np.abs(medians - centre) <= step_s * (1.0 + 1e-6), centre, medians)


def spread_over_steps(probes: Array, resolution_s: float) -> Array:
    """Core-to-core latencies, each somewhere within the step of the clock that it was read in: the
    steps would form groups of their own."""
    step = shown_step(probes, resolution_s / PASSES)
    return probes + step * np.random.default_rng(0).uniform(-0.5, 0.5, len(probes))


def shown_step(times: Array, step: float) -> float:
    """This step, or half of it, as of a median of two and one way of two, where the times show it;
    0 otherwise, and where it is small."""
    if not step > max(COARSE * float(np.median(times)), 0.0):  # which may be no number
        return 0.0
    halves = (step, step / 2.0)
    return next((s for s in halves if abs(np.exp(2j * np.pi * times / s).mean()) >= SHOWN), 0.0)

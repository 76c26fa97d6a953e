"""How much runs of a host differ, before any other run of it is known."""

from __future__ import annotations

import math

import numpy as np

from hockney.infer.arrays import Array

LAUNCHES, LEAST = 0.8, 0.004
"""Middle of the prior: the standard deviation between runs over that between launches, and at least
so much. In one state of a machine, runs of seconds under MPICH and Open MPI scattered by 0.4 to 2
times as much as their launches: ten quiet runs by 0.6 to 0.9 %, launches by 1.4 to 4.2 %; on a
shared virtual machine 14 runs as much as launches, and 7 runs 1.6 to 2 times as much
(benchmarks/RESULTS.md, repeatability.py, probe.py and coverage.py)."""
FACTOR = 5.0
"""The prior's 90 % lie within this factor of its middle: 0.14 to 3.5 times as much as launches."""
LEAST_DEVIATION, MOST_DEVIATION, STEPS = 1e-4, 3.0, 207
GRID: Array = np.geomspace(LEAST_DEVIATION, MOST_DEVIATION, STEPS)
"""Standard deviations between runs, of logarithms, at which probabilities are computed: neighbours
differ by 5 %, a fifth of what 200 runs leave uncertain."""
_QUANTILE = 1.6448536269514722
"""The normal quantile that 5 % exceed."""


def middle_of(launches: float) -> float:
    """The middle of the prior where launches scatter by this standard deviation."""
    return max(LAUNCHES * launches, LEAST)


def log_prior(launches: float) -> Array:
    """The prior's log probability of each deviation of GRID: log-normal about its middle."""
    return -0.5 * (_QUANTILE * np.log(GRID / middle_of(launches)) / math.log(FACTOR)) ** 2

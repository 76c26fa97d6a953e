"""How much equal runs differ: the part of a difference of which the launches of one run show
nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hockney.estimate.differences import Unseen
from hockney.records import Run, RunRecord
from hockney.spec import plan_of
from hockney.spec.plan import difference

if TYPE_CHECKING:
    from hockney.analysis import Analysis

LEAST_OTHERS = 4
"""Other runs of the same question from which a deviation between runs is estimated; of fewer,
Student's t would make any interval useless."""
ASSUMED_LAUNCHES = 2.0
"""Where no other run is known, the standard deviation between runs is taken as so many times that
between launches. In 14 runs of 3 s under MPICH and 7 under Open MPI on a shared virtual machine in
one of its states, medians of runs scattered by 1.0 and 1.6 to 2.0 times as much as launches."""
ASSUMED_LEAST = 0.005
"""And as at least this, relative: quiet launches show no drift of the clock or the machine's
temperature."""
UNKNOWN_RULE = (
    "unknown, for want of at least 4 other runs of the same question in the directory of the files "
    "or in --history; taken as twice the standard deviation between launches, at least 0.5 %"
)
"""Shown where the deviation between runs is assumed."""
SAME_STATE = 0.25
"""Two states are the same when their core-to-core latencies differ by less than this on a log
scale: states of one machine differ by a factor of two and more, one state scatters by a few per
cent."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Between:
    """The standard deviation between equal runs, of logarithms, beyond what launches show."""

    deviation: float
    freedom: float
    """Degrees of freedom; infinite where it is assumed by UNKNOWN_RULE."""
    runs: int
    """Other runs from which it was estimated; 0 where it is assumed."""

    @property
    def of_two(self) -> Unseen:
        """What it adds to the difference of two runs."""
        return Unseen(math.sqrt(2.0) * self.deviation, self.freedom)


def may_repeat(first: RunRecord, other: RunRecord) -> bool:
    """Whether two runs asked for the same under the same label, for whatever time and precision."""
    if (first.experiment, first.label) != (other.experiment, other.label):
        return False
    plans = plan_of(first.options), plan_of(other.options)
    if plans[0] is None or plans[1] is None:
        return first.options == other.options
    return difference(plans[0], plans[1]) is None


def same_question(first: Run, other: Run) -> bool:
    """Whether two runs asked for the same, of the same MPI version on the same hosts."""
    return may_repeat(first.header, other.header) and _system(first) == _system(other)


def _system(run: Run) -> object:
    if not run.launches:
        return None
    first = run.launches[0]
    hosts = {place.host for place in first.places}
    return first.mpi.library, first.mpi.version, frozenset(hosts), first.simulated, first.definition


def alike_state(analysis: Analysis, handover_s: float | None) -> int | None:
    """The state of a run with about this core-to-core latency; None where it was in no such."""
    states = analysis.states.states
    if handover_s is None or analysis.states.probe != "handover":
        return 0
    for state in states:
        if state.handover_s and abs(math.log(state.handover_s / handover_s)) < SAME_STATE:
            return state.id
    return None


def between(groups: Iterable[Sequence[Array]]) -> Between | None:
    """The deviation between runs, from the log times of the launches of each run of each group;
    runs of one group asked the same. None where no group has LEAST_OTHERS runs.

    Variance components of one random factor by the method of moments (Searle, Casella & McCulloch,
    Variance Components, 3.6): the variance of the runs' means less what their launches explain.
    """
    squares = freedom = explained = 0.0
    runs = 0
    for group in groups:
        if len(group) < LEAST_OTHERS:
            continue
        squares += float(np.var([values.mean() for values in group], ddof=1)) * (len(group) - 1)
        explained += sum(_variance_of_mean(values) for values in group)
        freedom += len(group) - 1
        runs += len(group)
    if not runs:
        return None
    left = squares / freedom - explained / runs
    return Between(math.sqrt(max(left, 0.0)), freedom, runs)


def _variance_of_mean(values: Array) -> float:
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0


def assumed(samples: Sequence[Array]) -> Between:
    """By UNKNOWN_RULE, from the log times of the launches of each run."""
    variances = [float(values.var(ddof=1)) for values in samples if len(values) > 1]
    spread = math.sqrt(float(np.mean(variances))) if variances else 0.0
    return Between(max(ASSUMED_LAUNCHES * spread, ASSUMED_LEAST), math.inf, 0)

"""Run-to-run variation, which the launches of one run cannot reveal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hockney.infer.estimate.differences import Unseen
from hockney.plan import Plan, plan_of
from hockney.plan.plan import difference
from hockney.records import Run, RunRecord

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

LEAST_OTHERS = 4
"""Fewest other runs of the same question for a deviation between runs; with fewer, Student's t
would make any interval useless."""
ASSUMED_LAUNCHES = 2.0
"""Standard deviation between runs over that between launches, assumed if no other run is known. In
14 runs of 3 s under MPICH and 7 under Open MPI on a shared virtual machine in one of its states,
medians of runs scattered by 1.0 and 1.6 to 2.0 times as much as launches."""
ASSUMED_LEAST = 0.005
"""Least assumed standard deviation between runs, relative: quiet launches show no drift of the
clock or the machine's temperature."""
UNKNOWN_RULE = (
    "unknown: needs at least 4 comparable runs in the directory of the files or in --history; "
    "taken as twice the standard deviation between launches, at least 0.5 %"
)
"""Text shown where the deviation between runs is assumed."""
SAME_STATE = 0.25
"""Log difference of core-to-core latencies below which two states are the same: states of one
machine differ by a factor of two and more, one state scatters by a few per cent."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Between:
    """The standard deviation between equal runs, of logarithms, beyond that of their launches."""

    deviation: float
    freedom: float
    """Degrees of freedom of the deviation; infinite if it is assumed by UNKNOWN_RULE."""
    runs: int
    """Other runs from which it was estimated; 0 where it is assumed."""
    whole: float = 0.0
    """Standard deviation of the means of equal runs, with the variation of their launches. Not cut
    at zero where few runs happen to be close, unlike the deviation; 0 if assumed."""

    @property
    def of_two(self) -> Unseen:
        """The run-to-run variation of the difference of two runs."""
        root = math.sqrt(2.0)
        return Unseen(root * self.deviation, self.freedom, root * self.whole)


def may_repeat(first: RunRecord, other: RunRecord) -> bool:
    """Whether two runs ask the same question under the same label, whatever their time and
    precision."""
    return _same_words(first, other) and _same_plan(
        plan_of(first.options), plan_of(other.options), first.options == other.options
    )


def same_question(first: Analysis, other: Analysis) -> bool:
    """Whether two runs ask the same question with the same MPI version on the same hosts."""
    headers = first.run.header, other.run.header
    return (
        _same_words(*headers)
        and _system(first.run) == _system(other.run)
        and _same_plan(first.plan, other.plan, headers[0].options == headers[1].options)
    )


def _same_words(first: RunRecord, other: RunRecord) -> bool:
    return (first.experiment, first.label) == (other.experiment, other.label)


def _same_plan(first: Plan | None, other: Plan | None, same_options: bool) -> bool:
    """Whether two runs have the same plan; by their options if one is imported, without a plan."""
    if first is None or other is None:
        return same_options
    return difference(first, other) is None


def _system(run: Run) -> object:
    if not run.launches:
        return None
    first = run.launches[0]
    hosts = {place.host for place in first.places}
    return first.mpi.library, first.mpi.version, frozenset(hosts), first.simulated, first.definition


def alike_state(analysis: Analysis, handover_s: float | None) -> int | None:
    """The state of a run with about this core-to-core latency; None if it has none."""
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
    whole = squares / freedom
    left = max(whole - explained / runs, 0.0)
    return Between(math.sqrt(left), freedom, runs, math.sqrt(whole))


def _variance_of_mean(values: Array) -> float:
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0


def assumed(samples: Sequence[Array]) -> Between:
    """The deviation between runs by UNKNOWN_RULE, from the log times of the launches of each
    run."""
    variances = [float(values.var(ddof=1)) for values in samples if len(values) > 1]
    spread = math.sqrt(float(np.mean(variances))) if variances else 0.0
    return Between(max(ASSUMED_LAUNCHES * spread, ASSUMED_LEAST), math.inf, 0)


def states_apart(analyses: Sequence[Analysis]) -> list[float | None]:
    """The core-to-core latency (seconds) of each run's usual state, where runs on the same hosts
    were in different ones; None elsewhere."""
    known = [_usual_state(analysis) for analysis in analyses]
    found: list[float | None] = []
    for state in known:
        here = [one[1] for one in known if one and state and one[0] == state[0]]
        differ = bool(here) and math.log(max(here) / min(here)) >= SAME_STATE
        found.append(state[1] if state and differ else None)
    return found


def _usual_state(analysis: Analysis) -> tuple[frozenset[str | None], float] | None:
    """The hosts of a run and the core-to-core latency of its usual state."""
    states = analysis.states
    if states.probe != "handover" or not states.states or not states.states[0].handover_s:
        return None
    places = [place for launch in analysis.run.launches for place in launch.places]
    return frozenset(place.host for place in places), states.states[0].handover_s

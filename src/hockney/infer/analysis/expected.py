"""What another run would give: the interval for the next run's median, from other runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hockney.infer.analysis.between import LEAST_OTHERS, alike_state, same_question
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.estimate.shifts import LEVEL
from hockney.plan.axes import Key, key_without

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NextRun:
    """A 95 % prediction interval for the median of another run of the same question, in seconds."""

    low_s: float
    high_s: float
    between_runs: float
    """Standard deviation between runs beyond what their launches explain, of logarithms."""
    between_launches: float
    """Standard deviation between launches, of logarithms."""
    runs: int
    """Number of runs that it is computed from, this one included."""


@dataclass(frozen=True)
class Expected:
    """The other runs of a run's question, in its state."""

    logs: dict[Key, list[Array]]
    """Log medians of each other run's launches, by point."""

    @property
    def runs(self) -> int:
        """The number of other runs of the point that has most."""
        return max(map(len, self.logs.values()), default=0)

    def at(self, point: PointEstimate) -> NextRun | None:
        """The prediction for a point; None with fewer than LEAST_OTHERS other runs of it."""
        from scipy.special import stdtrit

        others = self.logs.get(key_without(point), [])
        if len(others) < LEAST_OTHERS or not min(point.medians_s) > 0.0:
            return None
        runs = [np.log(point.medians_s), *others]
        centres = np.array([np.median(values) for values in runs])
        half = float(stdtrit(len(runs) - 1, 1.0 - LEVEL / 2.0)) * math.sqrt(1.0 + 1.0 / len(runs))
        half *= float(centres.std(ddof=1))
        middle = float(centres.mean())
        several = [values for values in runs if len(values) > 1] or [np.zeros(2)]
        explained = float(np.mean([values.var(ddof=1) / len(values) for values in several]))
        return NextRun(
            math.exp(middle - half),
            math.exp(middle + half),
            math.sqrt(max(float(centres.var(ddof=1)) - explained, 0.0)),
            math.sqrt(float(np.mean([values.var(ddof=1) for values in several]))),
            len(runs),
        )


def next_run(analysis: Analysis, others: Sequence[Analysis]) -> Expected:
    """Collects the other runs of the same question, in the state of most rounds. Medians of runs
    are taken as log-normal; the interval is Student's for one more."""
    handover_s = analysis.states.states[0].handover_s
    logs: dict[Key, list[Array]] = {}
    for other in others:
        known = other.run.header.id == analysis.run.header.id
        state = alike_state(other, handover_s)
        if known or state is None or not same_question(analysis, other):
            continue
        for point in other.estimates.own(state):
            if min(point.medians_s) > 0.0:
                logs.setdefault(key_without(point), []).append(np.log(point.medians_s))
    return Expected(logs)

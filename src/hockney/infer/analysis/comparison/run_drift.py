"""How much equal runs differ, by earlier runs: for two that are compared, or for the next one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, permutations
from typing import TYPE_CHECKING

import numpy as np

from hockney.infer.analysis.conditions.between import alike
from hockney.infer.analysis.history.changes import change_points
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.memory.components import (
    BetweenRuns,
    RunLevel,
    RunsEvidence,
    between_runs,
    evidence_of,
    level_of,
    scatter_of,
)
from hockney.infer.memory.host import EarlierRun, earlier_run, sorted_by_question
from hockney.infer.memory.prior import GRID, log_prior
from hockney.infer.memory.question import question_of
from hockney.plan.axes import Key, key_without

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

Places = tuple[int, int]
"""Two runs, by their places in a list of runs."""
Sides = Sequence[PointEstimate]
"""One point in each of the runs that are judged."""


def as_earlier(others: Iterable[Analysis]) -> list[EarlierRun]:
    return [earlier_run(other.run, other.of_every_launch) for other in others]


@dataclass(frozen=True)
class RunDrift:
    """The earlier runs of each side's question; one run that is judged alone is the only side."""

    none: bool
    """Whether equal runs do not differ, as simulated ones."""
    sides: tuple[list[Mapping[Key, RunLevel]], ...]
    """Levels of earlier runs in the state that is judged, since the last change before the run that
    is judged and up to the next. Runs of a question that both sides share are the first side's."""
    apart: tuple[list[list[Mapping[Key, RunLevel]]], ...] = ()
    """Those of each side that changes of level separate from these, in groups: they show how much
    equal runs differ, too, but the change between groups is no such difference."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
    is_of_state: bool = False
    """Whether runs in other states of the machine were left out."""

    @classmethod
    def of(cls, judged: Sequence[Analysis], state: int, earlier: Iterable[EarlierRun]) -> RunDrift:
        """judged: the two runs that are compared, or one. state: the one that is judged, of the
        first run."""
        if all(analysis.run.is_simulated for analysis in judged):
            return cls(True, tuple([] for _ in judged))
        handover_s = judged[0].estimates.state(state).handover_s
        questions = [question_of(analysis.run) for analysis in judged]
        by_question = sorted_by_question(
            questions, earlier, [analysis.run.header.id for analysis in judged]
        )
        counts = [f"{count} {reason}" for reason, count in by_question.left_out.items()]
        notes = [f"earlier runs left out: {', '.join(counts)}"] if counts else []
        away, near, apart = 0, [], []
        for analysis, side in zip(judged, by_question.sides, strict=True):
            in_order = sorted(side, key=lambda run: run.started or "")
            levels = [(run.started or "", _levels(run, handover_s)) for run in in_order]
            known = [(started, run) for started, run in levels if run]
            away += len(levels) - len(known)
            groups = _between_changes([run for _, run in known])
            near.append(_taken(analysis.run.header.started or "", [at for at, _ in known], groups))
            apart.append(groups)
        if away:
            notes.append(f"earlier runs left out: {away} in another state of the machine")
        if any(apart):
            notes.append(
                f"earlier runs are of {1 + max(map(len, apart))} levels, one after another: how "
                "much equal runs differ is taken within each"
            )
        return cls(False, tuple(near), tuple(apart), tuple(notes), away > 0)

    def between(
        self, points: Sequence[Sides], means: Sequence[Array] = ()
    ) -> tuple[list[BetweenRuns | None], BetweenRuns | None]:
        """How much equal runs differ at each point, and as a whole if `means` are given: of the
        launches of each run over all points."""
        if self.none:
            return [None] * len(points), None
        each = [evidence_of([*self.levels(sides), *self._levels_apart(sides)]) for sides in points]
        priors = [_prior([np.log(point.medians_s) for point in sides]) for sides in points]
        wholes = [(self._whole(points, means), _prior(means))] if means else []
        variations = between_runs(each, priors, wholes)
        return [*variations[: len(points)]], variations[-1] if means else None

    @classmethod
    def of_each_two(
        cls, analyses: Sequence[Analysis], earlier: Sequence[EarlierRun]
    ) -> dict[Places, RunDrift]:
        """The drift of each two runs, in their usual states."""
        return {
            (first, second): cls.of((analyses[first], analyses[second]), 0, earlier)
            for first, second in permutations(range(len(analyses)), 2)
        }

    def levels(self, sides: Sides) -> list[list[RunLevel]]:
        """Levels of the runs of each side at a point, the one that is judged first."""
        return [
            [level_of(np.log(point.medians_s)), *_at(key_without(point), known)]
            for point, known in zip(sides, self.sides, strict=True)
        ]

    def _levels_apart(self, sides: Sides) -> list[list[RunLevel]]:
        return [
            _at(key_without(point), group)
            for point, groups in zip(sides, self.apart, strict=False)
            for group in groups
        ]

    def _whole(self, pairs: Sequence[Sides], means: Sequence[Array]) -> RunsEvidence:
        """Each run by the mean over its points. How much less the launches of a run scatter as a
        whole than at its points is taken from the two that are compared."""
        each = [[level_of(np.log(point.medians_s)) for point in points] for points in pairs]
        at_points = _typical_scatter([level for levels in each for level in levels])
        as_whole = math.sqrt(float(np.mean([scatter_of(mean) ** 2 for mean in means])))
        part = as_whole / at_points if at_points > 0.0 else 0.0
        groups = []
        for number, side in enumerate(self.sides):
            keys = [key_without(pair[number]) for pair in pairs]
            own = dict(zip(keys, (levels[number] for levels in each), strict=True))
            runs = [run for run in side if all(key in run for key in keys)]
            levels = [_mean([run[key] for key in keys], part) for run in (own, *runs)]
            groups.append(levels if runs else [])
            for group in self.apart[number] if self.apart else ():
                whole = [run for run in group if all(key in run for key in keys)]
                groups.append([_mean([run[key] for key in keys], part) for run in whole])
        return evidence_of(groups)


def _between_changes(runs: list[Mapping[Key, RunLevel]]) -> list[list[Mapping[Key, RunLevel]]]:
    """Runs, in order of time, in groups between the changes of their level."""
    if not runs:
        return []
    keys = set(runs[0]).intersection(*runs)
    if not keys:
        return [runs]
    means = np.array([np.mean([run[key].centre for key in keys]) for run in runs])
    starts = [0, *(change.at for change in change_points(means, 0.0)), len(runs)]
    return [runs[start:end] for start, end in pairwise(starts)]


def _taken(
    started: str, times: Sequence[str], groups: list[list[Mapping[Key, RunLevel]]]
) -> list[Mapping[Key, RunLevel]]:
    """Removes the group in whose time a run lies, and returns it: the last that begins before
    it."""
    if not groups:
        return []
    begins = accumulate((len(group) for group in groups[:-1]), initial=0)
    before = [number for number, at in enumerate(begins) if times[at] <= started]
    return groups.pop(before[-1] if before else 0)


def _at(key: Key, runs: Sequence[Mapping[Key, RunLevel]]) -> list[RunLevel]:
    return [run[key] for run in runs if key in run]


def _typical_scatter(levels: Sequence[RunLevel]) -> float:
    return math.sqrt(float(np.mean([level.scatter**2 for level in levels])))


def _mean(levels: Sequence[RunLevel], part: float) -> RunLevel:
    """part: the scatter of launches as a whole over that at the points."""
    centre = float(np.mean([level.centre for level in levels]))
    return RunLevel(
        centre, part * _typical_scatter(levels), min(level.launches for level in levels)
    )


def _prior(samples: Sequence[Array]) -> Array:
    """The prior by how much the launches of the runs that are judged scatter. Where each has one
    launch nothing is known, and all deviations are as likely."""
    variances = [float(np.var(values, ddof=1)) for values in samples if len(values) > 1]
    return log_prior(math.sqrt(float(np.mean(variances)))) if variances else np.zeros(len(GRID))


def _levels(run: EarlierRun, handover_s: float | None) -> Mapping[Key, RunLevel] | None:
    """The levels of a run in the compared state; None if it was never in it."""
    handovers = [state.handover_s for state in run.states]
    if not handovers or handover_s is None or handovers[0] is None:
        return run.states[0].levels if run.states else None
    number = alike(handovers, handover_s)
    return None if number is None else run.states[number].levels


NONE_KNOWN = RunDrift(False, ([], []))
"""The drift of two runs without known earlier ones."""

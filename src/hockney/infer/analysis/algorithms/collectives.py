"""One collective in one run or several: its algorithms, the best of them, and what is predicted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import (
    CollectiveCell,
    arrived,
    cells_of,
    is_collective,
    name_of,
)
from hockney.infer.analysis.comparison.run_drift import RunDrift
from hockney.infer.analysis.network.places import places_by_count
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.collectives import predicted_s
from hockney.infer.predict.parameters import Parameters
from hockney.plan.workloads.collective import DEFAULT
from hockney.records import Place


def collectives_of(analyses: Sequence[Analysis]) -> list[str]:
    """The names of the collectives that were measured."""
    return sorted({p.operation for a in analyses for p in a.first_variant if is_collective(p)})


def _points_of(analysis: Analysis, name: str) -> list[PointEstimate]:
    """The points of a collective that the library made."""
    return [p for p in analysis.first_variant if p.operation == name and p.phase is None]


class CollectivePoints:
    """One collective in the headline states of some runs: its points with times above 0 s, those
    whose ranks arrived together, or if there are none, those of one arrival pattern."""

    def __init__(self, name: str, analyses: Sequence[Analysis]) -> None:
        """analyses: some may hold only the ping-pong times that predictions need."""
        self.name = name
        points = {analysis: _points_of(analysis, name) for analysis in analyses}
        self.analyses = tuple(analysis for analysis, of_it in points.items() if of_it)
        self._by_run = [[p for p in of_it if p.typical_s > 0.0] for of_it in points.values()]
        every = list(chain.from_iterable(self._by_run))
        first = ([p for p in every if arrived(p).is_together] or every)[:1]
        self.points = tuple(p for p in every for point in first if arrived(p) == arrived(point))
        self._all = analyses
        self._predicted: dict[PointEstimate, float | None] = {}

    @cached_property
    def algorithms(self) -> list[str]:
        """Names of algorithms: the library's own decision first, then those nearest to the
        fastest."""
        fastest: dict[tuple[int, int], float] = {}
        for point in self.points:
            key = point.known_ranks, point.bytes
            fastest[key] = min(fastest.get(key, math.inf), point.typical_s)
        behind: dict[str, list[float]] = {}
        for point in self.points:
            ratio = point.typical_s / fastest[point.known_ranks, point.bytes]
            behind.setdefault(name_of(point), []).append(math.log(ratio))
        return sorted(behind, key=lambda name: (name != DEFAULT, float(np.mean(behind[name]))))

    @cached_property
    def cells(self) -> list[CollectiveCell]:
        """Cells of these points."""
        shown = set(map(arrived, self.points))
        return [cell for cell in self.of_all_arrivals if cell.arrived in shown]

    @cached_property
    def of_all_arrivals(self) -> list[CollectiveCell]:
        """Cells of all arrival patterns."""
        if len(self.analyses) == 1:
            return [cell for cell in self.analyses[0].best if cell.collective == self.name]
        is_exact = all(analysis.run.is_simulated for analysis in self.analyses)
        earlier = [run for analysis in self.analyses for run in analysis.earlier or ()]
        drifts = RunDrift.of_each_two(self._all, earlier) if earlier else None
        return cells_of(*self._by_run, is_exact=is_exact, drifts=drifts)

    @cached_property
    def places(self) -> dict[int, list[Place]]:
        """The places of the ranks, by the number of ranks."""
        return places_by_count(
            launch for analysis in self.analyses for launch in analysis.run.launches
        )

    @cached_property
    def message_costs(self) -> Parameters | None:
        """Message costs from the first file with ping-pong times of several sizes."""
        for analysis in self._all:
            try:
                return analysis.message_costs
            except UsageError:
                continue
        return None

    def predicted_s(self, point: PointEstimate) -> float | None:
        """Predicted time; None without message costs or without a schedule of the algorithm."""
        if self.message_costs is None:
            return None
        if point not in self._predicted:
            placement = self.places.get(point.known_ranks)
            self._predicted[point] = predicted_s(self.message_costs, point, placement)
        return self._predicted[point]

"""Collectives made by messages: the time of each phase, compared with the library's own time and
with predictions from message costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.grouping import by_key
from hockney.infer.analysis.algorithms.best import is_collective
from hockney.infer.analysis.algorithms.predicted import Predicted
from hockney.infer.analysis.network.places import places_by_count
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.phases import phases_in_order
from hockney.plan.axes import algorithm_text, key_without
from hockney.plan.words import ALL_PHASES
from hockney.plan.workloads.collective import DEFAULT
from hockney.records import Run


@dataclass(frozen=True)
class Phase:
    point: PointEstimate
    predicted_s: float | None
    """Prediction by the run's own message times; None if it has none."""


@dataclass(frozen=True)
class Phased:
    """One collective made by messages, at one size and number of ranks."""

    whole: Phase
    phases: tuple[Phase, ...]
    """Phases in the order of the schedule; empty for an algorithm of one phase."""
    library: PointEstimate | None
    """The library's collective, forced to the same algorithm or else by its own decision."""

    @property
    def bytes(self) -> int:
        return self.whole.point.bytes

    @property
    def algorithm(self) -> str:
        return self.whole.point.algorithm or DEFAULT

    @property
    def method(self) -> str:
        """The algorithm with its segment size, for people."""
        return algorithm_text(self.algorithm, self.whole.point.segment_bytes)

    @property
    def library_algorithm(self) -> str:
        return (self.library and self.library.algorithm) or DEFAULT

    def fraction(self, point: PointEstimate) -> float | None:
        """A phase's time over that of the whole; None where the whole took 0 s."""
        whole_s = self.whole.point.typical_s
        return point.typical_s / whole_s if whole_s else None

    def until_s(self, name: str) -> float | None:
        """The time from the start to the end of the phase of that name; None where there is
        none."""
        total = 0.0
        for phase in self.phases:
            total += phase.point.typical_s
            if phase.point.phase == name:
                return total
        return None


def phased(
    run: Run, points: Sequence[PointEstimate], predicted: Sequence[Predicted]
) -> list[Phased]:
    """The collectives of a run that messages make. points: its estimates."""
    places = places_by_count(run.launches)
    seconds = {id(prediction.point): prediction.seconds for prediction in predicted}
    each = [Phase(point, seconds.get(id(point))) for point in points if point.phase is not None]
    groups = by_key(each, lambda phase: key_without(phase.point, "phase", "buffers"))
    collectives = []
    for group in groups.values():
        wholes = [phase for phase in group if phase.point.phase == ALL_PHASES]
        parts = {
            phase.point.phase or "": phase for phase in group if phase.point.phase != ALL_PHASES
        }
        for whole in wholes:
            order = phases_in_order(whole.point, places.get(whole.point.known_ranks))
            names = [*(name for name in order if name in parts), *sorted(set(parts) - set(order))]
            own = tuple(parts[name] for name in names)
            collectives.append(Phased(whole, own, _library(points, whole.point)))
    return collectives


def _library(points: Sequence[PointEstimate], whole: PointEstimate) -> PointEstimate | None:
    """The library's point with the same algorithm forced, by segments of the same size where it has
    them, else by its own decision, else the only one."""
    same = [
        point
        for point in points
        if is_collective(point)
        and (point.operation, point.ranks, point.bytes, point.form)
        == (whole.operation, whole.ranks, whole.bytes, None)
    ]
    same.sort(key=lambda point: point.segment_bytes != whole.segment_bytes)
    for name in (whole.algorithm, DEFAULT):
        for point in same:
            if point.algorithm == name and point.radix is None and point.requests is None:
                return point
    return same[0] if len(same) == 1 else None

"""Predicted times of collective algorithms and halos, message by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.infer.analysis.algorithms.best import arrived, is_collective
from hockney.infer.analysis.network.places import places_by_count
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.collectives import predicted_s
from hockney.infer.predict.halo_exchange import predicted_halo_s
from hockney.infer.predict.parameters import Parameters
from hockney.infer.predict.phases import predicted_phase_s
from hockney.records import Run


@dataclass(frozen=True)
class Predicted:
    point: PointEstimate
    seconds: float

    @property
    def ratio(self) -> float:
        """Measured time over predicted time."""
        return self.point.typical_s / self.seconds


def predicted_points(
    run: Run, points: Sequence[PointEstimate], parameters: Parameters
) -> list[Predicted]:
    """Predictions for every point of a halo, of an algorithm with a schedule, or of its phases."""
    places = places_by_count(run.launches)
    predictions = []
    for point in points:
        placement, seconds = places.get(point.known_ranks), None
        if point.exchange is not None and not point.overlap:
            seconds = predicted_halo_s(parameters, point, placement)
        elif point.phase is not None:
            seconds = predicted_phase_s(parameters, point, placement)
        elif is_collective(point) and arrived(point).is_together:
            seconds = predicted_s(parameters, point, placement)
        if seconds:
            predictions.append(Predicted(point, seconds))
    return predictions

"""Predicted times of collective algorithms, message by message, from ping-pong times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.analysis.best import is_collective
from hockney.estimate.points import PointEstimate
from hockney.predict.collectives import predicted_s
from hockney.predict.parameters import Parameters
from hockney.records import Run


@dataclass(frozen=True)
class Predicted:
    point: PointEstimate
    seconds: float

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.point.typical_s / self.seconds


def predicted_points(
    run: Run, points: Sequence[PointEstimate], parameters: Parameters
) -> list[Predicted]:
    """Every point of an algorithm that has a schedule."""
    places = {len(launch.places): launch.places for launch in run.launches}
    collective = [point for point in points if is_collective(point)]
    times = [predicted_s(parameters, p, places.get(p.known_ranks)) for p in collective]
    return [Predicted(p, time) for p, time in zip(collective, times, strict=True) if time]

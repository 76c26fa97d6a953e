"""The ratio of MPI to what the hardware allows, measured in the same rounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.plan.axes import Point, point_of


@dataclass(frozen=True)
class FloorRatio:
    floor_s: float
    cold_s: float | None
    """The floor with a copy of data that is in no cache."""
    ratio: float
    """MPI's time over the floor's, the median of the launches' ratios."""


def floor_ratios(estimates: Estimates) -> dict[Point, FloorRatio]:
    """Ratios of the points of the headline state: at 0 bytes to the best core-to-core latency, else
    to a warm copy; empty if no floor was measured."""
    warm: dict[int, PointEstimate] = {}
    cold: dict[int, PointEstimate] = {}
    for point in estimates.headline:
        if point.operation == "handover":
            best = warm.get(0)
            warm[0] = point if best is None or point.typical_s < best.typical_s else best
        elif point.operation == "copy":
            (warm if point.algorithm == "warm" else cold)[point.bytes] = point
    ratios = {}
    for point in estimates.own():
        floor = warm.get(point.bytes)
        if floor is None:
            continue
        below = floor.by_launch
        each = [
            median / below[launch]
            for launch, median in point.by_launch.items()
            if below.get(launch)
        ]
        if each:
            uncached = cold.get(point.bytes)
            ratios[point_of(point)] = FloorRatio(
                floor.typical_s, uncached.typical_s if uncached else None, float(np.median(each))
            )
    return ratios

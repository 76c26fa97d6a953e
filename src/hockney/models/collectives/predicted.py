"""The model beside the measurement: what a schedule takes where an algorithm was measured."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.errors import AskedWronglyError
from hockney.estimate.points import PointEstimate
from hockney.models.collectives import algorithms, collectives, time
from hockney.models.collectives.parameters import Parameters
from hockney.records import Place


def predicted_s(
    parameters: Parameters, point: PointEstimate, placement: Sequence[Place] | None
) -> float | None:
    """Seconds; None for an algorithm without a schedule, such as the library's own decision."""
    name, segment = point.algorithm or "", point.segment_bytes or None
    if point.operation not in collectives() or name not in algorithms(point.operation):
        return None
    try:
        return time(
            parameters, point.operation, name, point.known_ranks, point.bytes, segment,
            placement=placement,
        )  # fmt: skip
    except AskedWronglyError:  # a schedule for other numbers of ranks
        return None

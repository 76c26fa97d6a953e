"""Estimates: numbers with intervals, from samples. Launches are the independent units."""

from hockney.infer.estimate.points import (
    Estimates,
    LeastKnown,
    PointEstimate,
    estimate,
    is_precise,
    least_known,
)

__all__ = ["Estimates", "LeastKnown", "PointEstimate", "estimate", "is_precise", "least_known"]

"""Estimates: numbers with intervals, from samples. Launches are the independent units."""

from hockney.infer.estimate.estimating import LeastKnown, estimate, is_precise, least_known
from hockney.infer.estimate.points import Estimates, PointEstimate

__all__ = ["Estimates", "LeastKnown", "PointEstimate", "estimate", "is_precise", "least_known"]

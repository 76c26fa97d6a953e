"""From samples to numbers with intervals. Launches are the independent units."""

from hockney.estimate.points import Estimates, PointEstimate, estimate, is_precise

__all__ = ["Estimates", "PointEstimate", "estimate", "is_precise"]

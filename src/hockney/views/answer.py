"""The answer of a run in a line or two, before its tables: how fast, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.analysis import Analysis
from hockney.estimate.points import PointEstimate, by_curve
from hockney.units import format_rate, format_seconds, format_size


def time_at(point: PointEstimate) -> str:
    """A median, its precision, and its message size."""
    return f"{format_seconds(point.typical_s)}{precision(point)} at {format_size(point.bytes)}"


def precision(point: PointEstimate) -> str:
    return "" if point.precision is None else f" ±{100.0 * point.precision:.1f} %"


def latency_and_bandwidth(analysis: Analysis) -> list[str]:
    """The latency of the smallest and the bandwidth of the largest message; empty where the run has
    several curves."""
    points = analysis.estimates.own()
    if len(by_curve(points)) != 1:
        return []
    first, last = points[0], points[-1]
    words = f"latency {time_at(first)}"
    if last.bandwidth_Bps is not None and last is not first:
        size = format_size(last.bytes)
        words += f", bandwidth {format_rate(last.bandwidth_Bps)}{precision(last)} at {size}"
    return [words, *certainty(analysis, points)]


def certainty(analysis: Analysis, points: Sequence[PointEstimate]) -> list[str]:
    """How many medians have the asked precision; empty where there are no intervals."""
    known = [(point.precision, point) for point in points if point.precision is not None]
    if not known or analysis.plan is None:
        return []
    asked = analysis.plan.sampling.precision
    reached = sum(value <= asked for value, _ in known)
    words = f"{reached} of {len(points)} medians are known within the asked ±{100.0 * asked:g} %"
    if reached < len(points):
        value, worst = max(known, key=lambda one: one[0])
        words += f"; the worst is known within ±{100.0 * value:.1f} % ({format_size(worst.bytes)})"
    return [words]

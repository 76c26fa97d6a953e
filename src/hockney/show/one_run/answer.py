"""The answer of a run in a line or two, before its tables and at the head of its section of a
report: the result and its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import (
    MOST_UNCERTAIN,
    exact_percent,
    format_rate,
    format_seconds,
    format_size,
    format_uncertainty,
    how_many,
    known,
)
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.points import PointEstimate, by_curve
from hockney.infer.estimate.summaries import FROM_BANDWIDTH
from hockney.show.tables.table import half_width_Bps, half_width_s

UNKNOWN = "(its interval is wider than the median)"

LEAST_TO_MARK = 3
"""Fewest rows among which one is marked: of two, the reader sees it."""

CLEARLY = 0.9
"""Fraction of the largest bandwidth below which that of the largest size is named as well."""


def time_at(point: PointEstimate) -> str:
    """A median, its precision, and its message size."""
    return f"{time_of(point)}{precision(point)} at {format_size(point.bytes)}"


def time_of(point: PointEstimate) -> str:
    """A median, in the digits that are known."""
    return format_seconds(known(point.typical_s, half_width_s(point)))


def precision(point: PointEstimate) -> str:
    """A median's uncertainty; empty without an interval."""
    if point.precision is None:
        return ""
    words = format_uncertainty(point.precision)
    return f" {words}" if point.precision <= MOST_UNCERTAIN else f" (uncertainty {words})"


def own_points(analysis: Analysis, operation: str | None) -> list[PointEstimate]:
    """The points of one of the experiment's own operations; None chooses all."""
    return [p for p in analysis.estimates.own() if operation in (None, p.operation)]


def latency_and_bandwidth(analysis: Analysis, operation: str | None = None) -> list[str]:
    """The time of the smallest message, and the largest bandwidth with its size, over all curves
    of an operation. Empty where there are several curves and no operation is given."""
    points = own_points(analysis, operation)
    curves = len(by_curve(points))
    if not points or (operation is None and curves > 1):
        return []
    first, widest = _deciding(points)
    words = []
    if first.statistic != FROM_BANDWIDTH:
        name = "latency" if first.operation == "pingpong" else first.operation
        words.append(f"{name} {time_at(first)}")
    if widest.bandwidth_Bps is not None and (widest is not first or not words):
        rate = f"{format_rate(widest.bandwidth_Bps, half_width_Bps(widest))}{precision(widest)}"
        words.append(f"bandwidth {rate} at {format_size(widest.bytes)}{_below(widest, points)}")
    fastest = f"the fastest of {curves} curves: " if curves > 1 else ""
    return [fastest + ", ".join(words), *certainty(analysis, points)]


def marks(points: Sequence[PointEstimate]) -> dict[int, str]:
    """What the answer takes from a point, by the point's id; empty for several curves, which have
    no single answer, and for too few points to choose from."""
    if len(points) < LEAST_TO_MARK or len(by_curve(points)) > 1:
        return {}
    first, widest = _deciding(points)
    names = {} if first.statistic == FROM_BANDWIDTH else {id(first): "latency"}
    if widest.bandwidth_Bps is not None:
        names.setdefault(id(widest), "bandwidth")
    return names


def _deciding(points: Sequence[PointEstimate]) -> tuple[PointEstimate, PointEstimate]:
    """The fastest of the smallest messages, and the point with the largest bandwidth."""
    smallest = min(point.bytes for point in points)
    first = min((p for p in points if p.bytes == smallest), key=typical_of)
    return first, max(points, key=lambda point: (point.bandwidth_Bps or 0.0, point.bytes))


def _below(widest: PointEstimate, points: Sequence[PointEstimate]) -> str:
    """The bandwidth at the largest size, where a smaller size has clearly more."""
    largest = max(point.bytes for point in points)
    rates = [p.bandwidth_Bps for p in points if p.bytes == largest and p.bandwidth_Bps is not None]
    if not rates or max(rates) > CLEARLY * (widest.bandwidth_Bps or 0.0):
        return ""
    return f" ({format_rate(max(rates))} at {format_size(largest)})"


def typical_of(point: PointEstimate) -> float:
    return point.typical_s


def certainty(analysis: Analysis, points: Sequence[PointEstimate]) -> list[str]:
    """The number of medians with the requested precision; empty where there are no intervals."""
    certain = [(point.precision, point) for point in points if point.precision is not None]
    if not certain or analysis.plan is None:
        return []
    requested = analysis.plan.sampling.precision
    reached = sum(value <= requested for value, _ in certain)
    counts = sorted({point.launches for _, point in certain})
    launches = how_many(counts[0], "launch") + " or more" * (len(counts) > 1)
    made = len(analysis.run.launches)
    if len(analysis.states.states) > 1 and counts[-1] < made:
        launches += f" of {made}, those in state 0"
    words = (
        f"{reached} of {how_many(len(points), 'median')} {'is' if len(points) == 1 else 'are'} "
        f"known to ±{exact_percent(requested)} (--precision) after {launches}"
    )
    if reached < len(points):
        value, worst = max(certain, key=lambda pair: pair[0])
        how = f"({format_uncertainty(value)})" if value <= MOST_UNCERTAIN else UNKNOWN
        words += f"; least certain: {format_size(worst.bytes)} {how}"
    return [words]

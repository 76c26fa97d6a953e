"""The costs of messages by a model that is fitted to times, and to bootstrap resamples of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.estimate.quantiles import carries_interval
from hockney.infer.fitting.fit import (
    Curve,
    Fit,
    Parameter,
    Segment,
    at_once,
    curve_of,
    require,
)
from hockney.infer.fitting.line import line
from hockney.infer.fitting.smooth import fitted
from hockney.infer.models import CHANNELS, loggp, max_rate, segmented
from hockney.infer.models import hockney as line_model
from hockney.infer.models.segmented import log_line
from hockney.infer.predict.channel import Channel
from hockney.infer.predict.costs import Costs, CostsOf, Measured, Through, Times
from hockney.plan.axes import Key, curve_key
from hockney.plan.trains import Train
from hockney.plan.workloads.collective import is_collective_name

RESAMPLES = 200
"""Bootstrap resamples of launches, for intervals of predictions."""


def channel_of(points: Sequence[PointEstimate], model: str | None = None) -> Channel:
    """The channel by a model, by default the most detailed that the points support."""
    check_one_curve(points)
    curve = curve_of(points)
    if model is None:
        detailed = {
            "loggp": loggp.lacks(curve),
            "max-rate": max_rate.lacks(curve),
            "segmented": segmented.lacks(curve),
        }
        model = next((name for name, lacking in detailed.items() if lacking is None), "hockney")
    if model not in CHANNELS:
        raise UsageError(f"{model} does not predict single messages", f"use {', '.join(CHANNELS)}")
    by = {
        "hockney": _by_line,
        "segmented": _by_segments,
        "loggp": _by_loggp,
        "max-rate": _by_max_rate,
    }
    channel = by[model](curve)
    return replace(channel, shown=shown_points(points))


def check_one_curve(points: Sequence[PointEstimate]) -> None:
    """Raises UsageError if the points are not all of one curve, of messages between ranks."""
    others = sorted({point.operation for point in points if _is_of_many(point)})
    if others:
        raise UsageError(
            f"these are times of {' and '.join(others)}: what one message takes is not known from "
            "them",
            "predict from a run of pingpong, of overheads, or of pairs",
        )
    if len({_which(point) for point in points}) > 1:
        raise UsageError(
            "these are times of several operations, algorithms or pairs of ranks: each has its own "
            "costs",
            "predict from a run of pingpong, of overheads, or of pairs with one --window",
        )


def shown_points(points: Sequence[PointEstimate]) -> dict[Measured, Parameter]:
    """The points as `show` reports them, without times of 0; for trains, the one-way times of
    overheads, whose intervals are by bootstrap."""
    known = [point for point in points if point.typical_s > 0.0]
    if any(point.train is not None for point in known):
        curve = curve_of(known)
        each = [] if loggp.lacks(curve) else loggp.overheads(curve)
        return {(overheads.bytes, 1): overheads.one_way_s for overheads in each}
    return {
        (point.bytes, at_once(point) or 1): Parameter(point.typical_s, point.interval)
        for point in known
    }


def _is_of_many(point: PointEstimate) -> bool:
    """Whether the time of a point is that of all ranks: a collective, a halo or a start."""
    is_start = point.occurrence is not None
    return is_collective_name(point.operation) or point.exchange is not None or is_start


def _which(point: PointEstimate) -> Key:
    """The key of a point's curve. For points of all concurrent pairs, the ranks do not matter."""
    return curve_key(point, "peers") if point.is_all_pairs else curve_key(point)


def _by_line(curve: Curve) -> Channel:
    fit = line_model.fit(curve, resamples=0)
    rows = curve.resampled(RESAMPLES)
    best, *lines = zip(*line(curve.bytes, np.vstack([curve.median_s, rows])), strict=True)
    sampled = [
        (_line_costs(*of), _at_points(curve, row)) for of, row in zip(lines, rows, strict=True)
    ]
    return _channel(curve, fit, _line_costs(*best), sampled)


def _by_segments(curve: Curve) -> Channel:
    fit = segmented.fit(curve, resamples=0)
    rows = curve.resampled(RESAMPLES)
    sampled = [[segment] * len(rows) for segment in fit.segments]
    for i, segment in enumerate(fit.segments if len(rows) else ()):
        inside = (curve.bytes >= segment.from_bytes) & (curve.bytes <= segment.to_bytes)
        sampled[i] = _resampled_segment(segment, curve.bytes[inside], rows[:, inside])
    of_rows = [
        (_segment_costs(segments), _at_points(curve, row))
        for *segments, row in zip(*sampled, rows, strict=True)
    ]
    return _channel(curve, fit, _segment_costs(fit.segments), of_rows)


def _resampled_segment(segment: Segment, bytes_: Array, times: Array) -> list[Segment]:
    """The segment through each row of times, of shape (rows, sizes)."""
    if segment.curve is not None:
        curves = (fitted(bytes_, row, segment.curve.shape) for row in times)
        return [replace(segment, curve=curved or segment.curve) for curved in curves]
    lines = zip(*log_line(bytes_, times, np.ones_like(times)), strict=True)
    return [
        replace(segment, alpha_s=float(alpha), beta_s_per_B=float(beta)) for alpha, beta in lines
    ]


def _by_loggp(curve: Curve) -> Channel:
    fit = loggp.fit(curve, resamples=0)
    sampled = [
        (_loggp_costs(loggp.fit(drawn, resamples=0)), _at_points(drawn, drawn.median_s))
        for drawn in _drawn(curve)
        if loggp.lacks(drawn) is None
    ]
    return _channel(curve, fit, _loggp_costs(fit), sampled)


def _by_max_rate(curve: Curve) -> Channel:
    require("max-rate", max_rate.DATA, max_rate.lacks(curve), "measure 1, 2, 4 ... pairs at once")
    fit = max_rate.fit(curve, resamples=0)
    limits = [limit.value or 0.0 for n, limit in fit.parameters.items() if n.startswith("break_")]
    sampled = []
    for drawn in _drawn(curve):
        drawn_fit = max_rate.fit(drawn, resamples=0, breaks_bytes=limits)
        sampled.append((_max_rate_costs(drawn_fit, limits), _at_points(drawn, drawn.median_s)))
    return _channel(curve, fit, _max_rate_costs(fit, limits), sampled)


def _channel(
    curve: Curve, fit: Fit, best: CostsOf, sampled: Sequence[tuple[CostsOf, Times]]
) -> Channel:
    """sampled: the costs by the model of each resample, with the measured points of the same
    launches, which its costs pass through: a time has the noise of its point, not only that of a
    line through many."""
    most_pairs = 1 if curve.pairs is None else int(curve.pairs.max())
    measured = _one_way(curve)
    times = {point: float(np.median(seconds)) for point, seconds in measured.items()}
    model = _modelled(best, times)
    return Channel(
        fit.model,
        Through(times, model).costs(best),
        tuple(Through(times | own, _modelled(costs, times)).costs(costs) for costs, own in sampled),
        int(curve.bytes[-1]),
        most_pairs,
        fit,
        measured,
        {},
        {point: _misfit(seconds, model[point]) for point, seconds in times.items()},
    )


def _modelled(costs_of: CostsOf, points: Iterable[Measured]) -> Times:
    return {point: costs_of(*point).message_s(point[0]) for point in points}


def _misfit(measured_s: float, modelled_s: float) -> float:
    """|ln(measured / model)|; infinite if one of them is zero."""
    if min(measured_s, modelled_s) <= 0.0:
        return math.inf
    return abs(math.log(measured_s) - math.log(modelled_s))


def _one_way(curve: Curve) -> dict[Measured, Array]:
    """Each launch's time of one message, by measured size and number of pairs."""
    measured = {}
    for point, column in _points(curve).items():
        seconds = curve.seconds[:, column] / (1.0 if curve.trains is None else 2.0)
        measured[point] = seconds[~np.isnan(seconds)]
    return measured


def _at_points(curve: Curve, row: Array) -> Times:
    """The time of one message by a row of times, without those that its launches lack."""
    times = row / (1.0 if curve.trains is None else 2.0)
    return {
        point: float(times[column])
        for point, column in _points(curve).items()
        if not np.isnan(times[column])
    }


def _points(curve: Curve) -> dict[Measured, int]:
    """The columns of the times of one message, or of a train of one."""
    return {
        (int(size), 1 if curve.pairs is None else int(curve.pairs[column])): column
        for column, size in enumerate(curve.bytes)
        if curve.trains is None or curve.trains[column] == Train(1)
    }


def _drawn(curve: Curve) -> Iterator[Curve]:
    """Bootstrap resamples of the curve; none for too few launches."""
    for draw in curve.draws(RESAMPLES) if carries_interval(curve.launches) else ():
        yield replace(curve, seconds=curve.seconds[draw])


def _line_costs(alpha: float, beta: float) -> CostsOf:
    return lambda bytes_, _senders: Costs.of_line(float(alpha), float(beta), bytes_)


def _segment_costs(segments: Sequence[Segment]) -> CostsOf:
    """Costs by the line of the segment that a size falls into, or by its curve's tangent at the
    size."""
    last = np.array([float(segment.to_bytes) for segment in segments[:-1]])

    def costs(bytes_: int, _senders: int) -> Costs:
        segment = segments[int(np.searchsorted(last, bytes_, side="left"))]
        if segment.curve is None:
            return Costs.of_line(segment.alpha_s, segment.beta_s_per_B, bytes_)
        seconds = float(segment.seconds(np.array([float(bytes_)]))[0])
        at = float(min(max(bytes_, segment.from_bytes), segment.to_bytes))
        slope = min(segment.curve.slope(at), seconds / max(bytes_, 1))
        return Costs(seconds - slope * bytes_, slope)

    return costs


def _loggp_costs(fit: Fit) -> CostsOf:
    value = {name: parameter.value or 0.0 for name, parameter in fit.parameters.items()}

    def costs(bytes_: int, _senders: int) -> Costs:
        overhead = sum(
            value[f"{name}_s"] + value.get(f"{name}_s_per_B", 0.0) * bytes_
            for name in ("o_send", "o_receive")
        )
        # L + (b - 1) G = (L - G) + b G
        G = value["G_s_per_B"] if bytes_ else 0.0
        return Costs(max(value["L_s"] - G, 0.0), G, overhead, max(value["g_s"] - G, 0.0))

    return costs


def _max_rate_costs(fit: Fit, limits: Sequence[float]) -> CostsOf:
    """Costs of messages of which k at once take k n / min(R_N, k R_C) each."""

    def costs(bytes_: int, senders: int) -> Costs:
        number = int(np.searchsorted(limits, bytes_, side="left")) + 1
        alpha, pair, node = (
            fit.parameters[f"{name}_{number}_{unit}"].value
            for name, unit in (("alpha", "s"), ("R_C", "Bps"), ("R_N", "Bps"))
        )
        each = 1.0 / pair if pair else 0.0
        return Costs(alpha or 0.0, max(each, senders / node) if node else each)

    return costs

"""Protocol regimes: Hockney's line in each segment of sizes, with jumps between segments.

The convention is SimGrid's for SMPI: a size equal to a boundary belongs to the segment below it. A
breakpoint lies between the last measured size of one segment and the first of the next.

A break is reported where lines with a jump or a change of slope fit better than smooth curves
(fitting/smooth.py). Where a curve explains several neighbouring lines as well, they are one
segment, which is curved.

The time of 0 bytes may be off the line of the next sizes, because a library may send it without a
payload. If launches show a difference, 0 bytes are a segment of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hockney.base.units import format_percent
from hockney.infer.arrays import Array
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.quantiles import carries_interval
from hockney.infer.fitting.bootstrap import expanded_tail
from hockney.infer.fitting.fit import (
    RESAMPLES,
    Curve,
    Fit,
    Parameter,
    Predict,
    Segment,
    lacks_sizes,
    new_fit,
    parameter,
    require,
)
from hockney.infer.fitting.likelihood import weights
from hockney.infer.fitting.line import log_step, weighted_line
from hockney.infer.fitting.line_partitions import line_partition_near, line_partitions
from hockney.infer.fitting.partition import LEAST_SIZES, MOST_SEGMENTS
from hockney.infer.fitting.robust_partition import Partition, Search
from hockney.infer.fitting.smooth import Curved, Piece, without_bends

DATA = f"times of one pair, of at least {LEAST_SIZES} different sizes"

EMPTY_DIFFERS = 1e-3
"""Least difference of ln T between 0 bytes and the line of the next sizes that separates them."""
_ROUNDS = 6
"""Rounds of reweighting; the partition converges in two or three."""
_STEPS = 6
"""Gauss-Newton steps from relative to logarithmic residuals."""


def lacks(curve: Curve) -> str | None:
    """Why the model cannot be fitted to the curve; None if it can."""
    return lacks_sizes(curve, LEAST_SIZES)


@dataclass(frozen=True)
class _Regimes:
    """Segments between significant breaks, and the lines that they are made of."""

    lines: Partition
    kept: NDArray[np.intp]
    """Indices of the lines' starts that are breaks."""
    curves: tuple[Curved | None, ...]
    """The curve of each segment; None for a line."""
    alpha: Array
    """Seconds; for a curved segment, of the line through it."""
    beta: Array
    """Seconds per byte."""

    @property
    def starts(self) -> list[int]:
        """Points at which the second and later segments start."""
        return [self.lines.starts[i] for i in self.kept]

    @property
    def free(self) -> int:
        """Number of fitted numbers, with the places between segments."""
        each = [2 if curve is None else curve.shape.free for curve in self.curves]
        return sum(each) + len(each) - 1


def fit(curve: Curve, resamples: int = RESAMPLES, as_lines: bool = False) -> Fit:
    """alpha and beta of each segment, and the breakpoints between them.

    Number and place of segments: the least criterion of residuals ln T - ln(alpha + beta b) over
    all partitions with at least 3 sizes a segment; alpha and beta not below 0. Neighbouring lines
    that a smooth curve explains as well are one curved segment, unless `as_lines`. Intervals: the
    same number of segments is fitted to bootstrap medians. 0 bytes are a segment of their own, with
    alpha only, if the 95 % interval of the ratio of their time to the line of the rest of the first
    segment differs from 1 by more than `EMPTY_DIFFERS`."""
    require("segmented", DATA, lacks(curve), "measure more: --sizes 0,1..4MiB")
    regimes = _regimes(curve, as_lines)
    apart = _empty_is_apart(curve, regimes.lines)
    if apart:
        regimes, (sampled_starts, alphas, betas) = _with_empty_apart(curve, resamples, as_lines)
    else:
        sampled_starts, alphas, betas = _resampled(curve, regimes, resamples)
    breaks = _breaks(curve, regimes.starts, sampled_starts)
    segments = _segments(curve, regimes, alphas, betas)
    limits = np.array([limit.value for limit in breaks.values()])
    return new_fit(
        "segmented",
        curve,
        _predict(segments, limits),
        parameters={**_lines(segments), **breaks},
        derived=_derived(regimes, limits, alphas, betas, curve.launches),
        free=regimes.free - apart,
        segments=segments,
        notes=_notes(curve, segments, apart),
    )


def _predict(segments: tuple[Segment, ...], limits: Array) -> Predict:
    def predict(bytes_: Array, *_: Array) -> Array:
        of, sizes = np.searchsorted(limits, bytes_, side="left"), np.asarray(bytes_, dtype=float)
        seconds = np.empty_like(sizes)
        for number, segment in enumerate(segments):
            inside = of == number
            seconds[inside] = segment.seconds(sizes[inside])
        return seconds

    return predict


def _regimes(curve: Curve, as_lines: bool) -> _Regimes:
    lines = best_partition(curve.bytes, curve.median_s)
    bounds = [0, *lines.starts, len(curve.bytes)]
    pieces = [Piece(a, b, lines.ln_residuals[a:b]) for a, b in pairwise(bounds)]
    joined = pieces if as_lines else without_bends(curve.bytes, curve.median_s, pieces)
    numbers = [bounds.index(piece.first) for piece in joined]
    alpha, beta = lines.alpha[numbers], lines.beta[numbers]
    for i, piece in enumerate(joined):
        if piece.curve is not None:
            times = curve.median_s[None, piece.first : piece.end]
            sizes = curve.bytes[piece.first : piece.end]
            alpha[i : i + 1], beta[i : i + 1] = log_line(sizes, times, np.ones_like(times))
    curves = tuple(piece.curve for piece in joined)
    return _Regimes(lines, np.array(numbers[1:], dtype=np.intp) - 1, curves, alpha, beta)


def _segments(curve: Curve, regimes: _Regimes, alphas: Array, betas: Array) -> tuple[Segment, ...]:
    bounds = [0, *regimes.starts, len(curve.bytes)]
    segments = []
    for i, curved in enumerate(regimes.curves):
        alpha, beta = (
            parameter(float(value[i]), sample[:, i], curve.launches)
            for value, sample in ((regimes.alpha, alphas), (regimes.beta, betas))
        )
        segments.append(
            Segment(
                from_bytes=int(curve.bytes[bounds[i]]),
                to_bytes=int(curve.bytes[bounds[i + 1] - 1]),
                alpha_s=float(regimes.alpha[i]),
                beta_s_per_B=float(regimes.beta[i]),
                alpha_interval=alpha.interval,
                beta_interval=beta.interval,
                curve=curved,
            )
        )
    return tuple(segments)


def _empty_is_apart(curve: Curve, best: Partition) -> bool:
    """True if 0 bytes differ from the first segment. Compares them with each launch's own line
    through the rest of that segment, so that a slow launch has no influence. Needs enough other
    sizes."""
    first = slice(0, [*best.starts, len(curve.bytes)][0])
    sizes, launches = curve.bytes[first], curve.seconds[:, first]
    launches = launches[~np.isnan(launches).any(axis=1)]
    one_empty = curve.bytes[0] == 0.0 < curve.bytes[1]
    if not one_empty or curve.sizes <= LEAST_SIZES or len(sizes) < 3:
        return False
    if not carries_interval(len(launches)):
        return False
    alpha, _ = log_line(sizes[1:], launches[:, 1:], np.ones_like(launches[:, 1:]))
    if not (alpha > 0.0).all():
        return False
    off = Curve(sizes[:1], launches[:, :1] / alpha[:, None]).resampled()
    low, high = np.quantile(np.log(off), (0.025, 0.975))
    return bool(low > EMPTY_DIFFERS or high < -EMPTY_DIFFERS)


def _with_empty_apart(
    curve: Curve, resamples: int, as_lines: bool
) -> tuple[_Regimes, tuple[NDArray[np.intp], Array, Array]]:
    """A segment of 0 bytes and the best segments of all other sizes, with their resamples."""
    rest = curve.at(curve.bytes > 0.0)
    best = _regimes(rest, as_lines)
    starts, alphas, betas = _resampled(rest, best, resamples)
    rows = len(alphas)
    empty = curve.resampled(rows)[:, :1]
    lines = Partition(
        [1, *(start + 1 for start in best.lines.starts)],
        np.concatenate((curve.median_s[:1], best.lines.alpha)),
        np.concatenate(([0.0], best.lines.beta)),
        np.concatenate(([0.0], best.lines.ln_residuals)),
        best.lines.criterion,
    )
    return _Regimes(
        lines,
        np.concatenate(([0], best.kept + 1)),
        (None, *best.curves),
        np.concatenate((curve.median_s[:1], best.alpha)),
        np.concatenate(([0.0], best.beta)),
    ), (
        np.hstack((np.ones((rows, 1), dtype=np.intp), starts + 1)),
        np.hstack((empty, alphas)),
        np.hstack((np.zeros((rows, 1)), betas)),
    )


def best_partition(bytes_: Array, seconds: Array) -> Partition:
    """The partition of least criterion. Of more than MOST_BLOCKS sizes not all partitions can be
    looked at: points that fit badly get less weight in a search by least squares, which is
    repeated. At first points far from the line between their neighbours get less weight: a single
    wrong time would otherwise become a segment of its own."""
    search = Search(bytes_, seconds)
    weight, best = weights(_from_neighbours(bytes_, seconds)), None
    for _ in range(_ROUNDS if search.is_too_large else 1):
        for starts in line_partitions(bytes_, seconds, weight):
            search.consider(starts)
        if search.best is best:
            break
        best = search.best
        weight = weights(best.ln_residuals)
    if not search.is_too_large:
        search.everywhere()
    return search.settled_best


def _from_neighbours(bytes_: Array, seconds: Array) -> Array:
    """ln of the ratio of T to the line between the neighbouring sizes; 0 at the ends."""
    sizes, first = np.unique(bytes_, return_index=True)
    if len(sizes) < len(bytes_):
        return np.zeros(len(bytes_))
    fraction = (sizes[1:-1] - sizes[:-2]) / (sizes[2:] - sizes[:-2])
    between = (1.0 - fraction) * seconds[first][:-2] + fraction * seconds[first][2:]
    return np.concatenate(([0.0], np.log(seconds[first][1:-1] / between), [0.0]))


def log_line(bytes_: Array, seconds: Array, weight: Array) -> tuple[Array, Array]:
    """alpha and beta, not below 0, of weighted least squares of ln T - ln(alpha + beta b), by
    Gauss and Newton's method from that of relative residuals. Shapes as `weighted_line`."""
    target, scale = seconds, seconds
    for _ in range(_STEPS):
        alpha, beta = weighted_line(bytes_, target, weight / scale**2)
        target, scale = log_step(seconds, alpha[:, None] + beta[:, None] * bytes_)
    return alpha, beta


def _resampled(
    curve: Curve, regimes: _Regimes, resamples: int
) -> tuple[NDArray[np.intp], Array, Array]:
    """Starts (resamples, segments - 1), alpha and beta (resamples, segments) of as many segments
    for bootstrap medians; no rows for too few launches."""
    lines, segments = regimes.lines, len(regimes.curves)
    medians = curve.resampled(resamples)
    weight = weights(lines.ln_residuals)
    starts = np.array(
        [line_partition_near(curve.bytes, row, weight, lines.starts) for row in medians],
        dtype=np.intp,
    ).reshape(len(medians), len(lines.starts))[:, regimes.kept]
    points = len(curve.bytes)
    edge = np.full((len(medians), 1), 0)
    bounds = np.hstack((edge, starts, edge + points))
    alphas, betas = np.empty((len(medians), segments)), np.empty((len(medians), segments))
    for i in range(segments if len(medians) else 0):
        first, end = bounds[:, i], bounds[:, i + 1]
        part = slice(int(first.min()), int(end.max()))
        number = np.arange(points)[part]
        inside = (number >= first[:, None]) & (number < end[:, None])
        of_line = weight[part] if regimes.curves[i] is None else np.ones(len(number))
        alphas[:, i], betas[:, i] = log_line(curve.bytes[part], medians[:, part], inside * of_line)
    return starts, alphas, betas


def _breaks(curve: Curve, starts: list[int], sampled: NDArray[np.intp]) -> dict[str, Parameter]:
    """The breakpoints: each is the geometric mean of the last size of one segment and the first of
    the next. Its interval covers both, over all resamples."""
    breaks = {}
    for i, start in enumerate(starts):
        last, first = curve.bytes[start - 1], curve.bytes[start]
        all_starts = sampled[:, i] if len(sampled) else np.array([start])
        tail = expanded_tail(max(curve.launches, 2))
        low = np.quantile(curve.bytes[all_starts - 1], tail, method="lower")
        high = np.quantile(curve.bytes[all_starts], 1.0 - tail, method="higher")
        interval = Interval(min(float(low), last), max(float(high), first))
        breaks[f"break_{i + 1}_bytes"] = Parameter(float(np.sqrt(last * first)), interval)
    return breaks


def _lines(segments: tuple[Segment, ...]) -> dict[str, Parameter]:
    lines = {}
    for number, part in enumerate(segments, start=1):
        lines[f"alpha_{number}_s"] = Parameter(part.alpha_s, part.alpha_interval)
        lines[f"beta_{number}_s_per_B"] = Parameter(part.beta_s_per_B, part.beta_interval)
    return lines


def _derived(
    best: _Regimes, limits: Array, alphas: Array, betas: Array, launches: int
) -> dict[str, Parameter]:
    """1/beta of each segment, and the jump in time at each breakpoint."""
    derived = {}
    for i, beta in enumerate(best.beta):
        with np.errstate(divide="ignore"):
            rates = 1.0 / betas[:, i]
        value = 1.0 / float(beta) if beta > 0.0 else None
        derived[f"r_inf_{i + 1}_Bps"] = parameter(value, rates, launches)
    for i, limit in enumerate(limits):
        jump = np.diff(best.alpha[i : i + 2] + limit * best.beta[i : i + 2])[0]
        jumps = np.diff(alphas[:, i : i + 2] + limit * betas[:, i : i + 2], axis=1)[:, 0]
        derived[f"jump_{i + 1}_s"] = parameter(float(jump), jumps, launches)
    return derived


def _notes(curve: Curve, segments: tuple[Segment, ...], empty_apart: bool) -> list[str]:
    notes = []
    if empty_apart:
        off = segments[0].alpha_s / segments[1].alpha_s - 1.0
        notes.append(
            f"0 bytes take {format_percent(abs(off))} {'less' if off < 0.0 else 'more'} than the "
            "line of the next sizes: a segment of their own, which has no beta"
        )
    for number, part in enumerate(segments, start=1):
        if part.to_bytes == 0:
            continue
        where = f"segment {number} ({part.from_bytes} to {part.to_bytes} bytes)"
        if part.curve is not None:
            notes.append(
                f"{where} is a curve: no break is shown in it, because a smooth curve explains its "
                "times as well as lines with breaks do; it has no alpha and beta of its own"
            )
            continue
        if part.alpha_s == 0.0:
            notes.append(f"{where}: alpha is at its bound 0, these sizes do not show it")
        if part.beta_s_per_B == 0.0:
            notes.append(f"{where}: beta is at its bound 0, these sizes do not show it")
    if len(segments) - empty_apart == MOST_SEGMENTS:
        notes.append(f"the search is limited to {MOST_SEGMENTS} segments")
    if curve.sizes < 2 * LEAST_SIZES:
        notes.append(f"two segments need {2 * LEAST_SIZES} sizes; there are {curve.sizes}")
    return notes

"""The max-rate model: k pairs between two nodes share what a node can put on the network.

T = alpha + k n / min(R_N, k R_C): each pair moves R_C bytes a second until all together reach the
node's R_N (Gropp, Olson & Samfass 2016, EuroMPI, doi 10.1145/2966884.2966919). Without a limit of
the node, R_N unbounded, it is Hockney's line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import numpy as np

from hockney.base.units import format_rate
from hockney.infer.arrays import Array
from hockney.infer.estimate.interval import Interval
from hockney.infer.fitting.fit import (
    RESAMPLES,
    Curve,
    Fit,
    Parameter,
    new_fit,
    parameter,
    require,
    too_few_sizes,
)
from hockney.infer.fitting.likelihood import criterion, rating, weights
from hockney.infer.fitting.line import log_step
from hockney.infer.fitting.partition import LEAST_SIZES, best_partitions, blocks_of, runs
from hockney.infer.models._max_rate_solver import best_curve, point_moments

DATA = (
    "times of at least two numbers of pairs at once, or of threads, of at least two different sizes"
)

MOST_PROTOCOLS = 6
"""Most protocols: twice short, eager and rendezvous."""
MOST_BLOCKS, MOST_CROSSINGS = 96, 8
"""Groups of neighbouring sizes, and numbers of pairs that fill the node, in the search for
protocols; each protocol's own fit uses all of them."""
ROUNDING = 1e-9
_STEPS = 5
"""Gauss-Newton steps from relative to logarithmic residuals."""
_ROUNDS = 2
"""Rounds of weighting outliers less."""


@dataclass(frozen=True)
class _Protocol:
    """One protocol over points first to end, in order of size; a row for each resample."""

    first: int
    end: int
    saturated: bool
    """True if some number of pairs fills the node, so that R_N can be fitted."""
    alpha: Array = field(default_factory=partial(np.zeros, 1))
    pair: Array = field(default_factory=partial(np.zeros, 1))
    """1 / R_C in s/B."""
    node: Array = field(default_factory=partial(np.zeros, 1))
    """1 / R_N in s/B."""


def lacks(curve: Curve) -> str | None:
    """Why the model cannot be fitted to the curve; None if it can."""
    if curve.pairs is None or len(np.unique(curve.pairs)) < 2:
        return "these times are of one number"
    return too_few_sizes(curve, 2)


def fit(
    curve: Curve, resamples: int = RESAMPLES, breaks_bytes: Sequence[float] | None = None
) -> Fit:
    """alpha, R_C and R_N of each protocol, R_N >= R_C, by residuals ln T over sizes and pairs
    together. Where one protocol ends and the next begins is found as for segments, or given: a size
    equal to one of breaks_bytes belongs to the protocol below it; () is one protocol.

    R_N is None if no measured number of pairs fills the node.
    """
    require("max-rate", DATA, lacks(curve), "measure 1, 2, 4 ... pairs between two nodes")
    assert curve.pairs is not None
    if breaks_bytes is None:
        candidates = _partitions(curve)
    else:
        inside = np.searchsorted(curve.bytes, sorted(breaks_bytes), side="right")
        candidates = [sorted({int(start) for start in inside if 0 < start < len(curve.bytes)})]
    fits = [_fitted(curve, starts) for starts in candidates]
    protocols, residuals = min(fits, key=lambda fitted: rating(fitted[1], _free(fitted[0])))
    medians = curve.resampled(resamples)
    weight = np.broadcast_to(weights(residuals), medians.shape)
    samples = [_solved(curve, protocol, medians, weight) for protocol in protocols]
    breaks = _breaks(curve, protocols)
    limits = np.array([limit.value for limit in breaks.values()])

    def predict(bytes_: Array, pairs: Array, *_: Array) -> Array:
        of = np.searchsorted(limits, bytes_, side="left")
        alpha, pair, node = (
            np.array([getattr(protocol, name)[0] for protocol in protocols])[of]
            for name in ("alpha", "pair", "node")
        )
        return np.asarray(alpha + bytes_ * np.maximum(pair, pairs * node))

    parameters: dict[str, Parameter] = {}
    derived: dict[str, Parameter] = {}
    notes: list[str] = []
    for number, (protocol, sample) in enumerate(zip(protocols, samples, strict=True), start=1):
        parameters |= _parameters(curve, protocol, sample, number)
        derived |= _saturation(curve, protocol, sample, number)
        notes += _notes(curve, protocol, number)
    return new_fit(
        "max-rate",
        curve,
        predict,
        parameters=parameters | breaks,
        derived=derived,
        free=_free(protocols),
        notes=notes,
    )


def _free(protocols: Sequence[_Protocol]) -> int:
    return sum(4 if protocol.saturated else 3 for protocol in protocols) - 1


def _partitions(curve: Curve) -> list[list[int]]:
    """The best partition into each number of protocols, as the points at which they start."""
    assert curve.pairs is not None
    first, sizes = blocks_of(curve.bytes, MOST_BLOCKS)
    block = np.searchsorted(first, np.arange(len(curve.bytes)), side="right") - 1
    numbers, number = np.unique(curve.pairs, return_inverse=True)
    each = point_moments(curve.bytes, curve.median_s, curve.median_s**-2.0)
    cell = number * len(first) + block
    moments = np.array([np.bincount(cell, moment, len(numbers) * len(first)) for moment in each])
    moments = moments.reshape(len(each), len(numbers), len(first))
    few = np.linspace(0, len(numbers) - 1, min(len(numbers), MOST_CROSSINGS)).round()
    sums, in_run = runs(moments), runs(sizes)
    cost = np.full_like(in_run, np.inf)
    allowed = in_run >= LEAST_SIZES
    squares = best_curve(np.moveaxis(sums[..., allowed], 1, -1), numbers, few.astype(np.intp))[1]
    cost[allowed] = np.maximum(squares, 0.0)
    most = max(1, min(MOST_PROTOCOLS, curve.sizes // LEAST_SIZES))
    partitions = best_partitions(cost, most) or [[]]
    return [[int(first[start]) for start in starts] for starts in partitions]


def _fitted(curve: Curve, starts: list[int]) -> tuple[list[_Protocol], Array]:
    """Protocols and ln residuals of a partition."""
    seconds = curve.median_s[None, :]
    weight = np.ones_like(seconds)
    bounds = [0, *starts, len(curve.bytes)]
    for _ in range(_ROUNDS):
        protocols, parts = [], []
        for first, end in pairwise(bounds):
            each = [
                _solved(curve, _Protocol(first, end, saturated), seconds, weight)
                for saturated in (False, True)
            ]
            residuals = [_ln_residuals(curve, protocol) for protocol in each]
            values = [criterion(residuals[i], 2 + i) for i in (0, 1)]
            shows = values[0] is not None and values[1] is not None and values[1] < values[0]
            protocols.append(each[shows])
            parts.append(residuals[shows])
        ln_residuals = np.concatenate(parts)
        weight = weights(ln_residuals)[None, :]
    return protocols, ln_residuals


def _ln_residuals(curve: Curve, protocol: _Protocol) -> Array:
    assert curve.pairs is not None
    part = slice(protocol.first, protocol.end)
    slope = np.maximum(protocol.pair, curve.pairs[part] * protocol.node)
    predicted = protocol.alpha + curve.bytes[part] * slope
    return np.asarray(np.log(curve.median_s[part] / np.maximum(predicted, 1e-300)))


def _solved(curve: Curve, protocol: _Protocol, seconds: Array, weight: Array) -> _Protocol:
    """The protocol with alpha, a and b of weighted least squares of ln T, for each row of seconds;
    by Gauss and Newton's method from that of relative residuals."""
    assert curve.pairs is not None
    order = protocol.first + np.argsort(curve.pairs[protocol.first : protocol.end], kind="stable")
    bytes_, pairs, seconds = curve.bytes[order], curve.pairs[order], seconds[:, order]
    numbers, first = np.unique(pairs, return_index=True)
    crossings = np.arange(len(numbers))[None if protocol.saturated else -1 :]
    target, scale = seconds, seconds
    solution = np.zeros((len(seconds), 3))
    for _ in range(_STEPS if len(seconds) else 0):
        each = point_moments(bytes_, target, weight[:, order] / scale**2)
        solution, _ = best_curve(np.add.reduceat(each, first, axis=-1), numbers, crossings)
        alpha, pair, node = (solution[:, i, None] for i in range(3))
        predicted = alpha + bytes_ * np.maximum(pair, pairs * node)
        target, scale = log_step(seconds, predicted)
    alpha, pair, node = solution.T
    return replace(protocol, alpha=alpha, pair=pair, node=node)


def _breaks(curve: Curve, protocols: Sequence[_Protocol]) -> dict[str, Parameter]:
    """The breakpoints, each between the last size of one protocol and the first of the next. Its
    interval covers the blocks of sizes on both sides."""
    blocks = np.append(blocks_of(curve.bytes, MOST_BLOCKS)[0], len(curve.bytes))
    breaks = {}
    for number, protocol in enumerate(protocols[1:], start=1):
        start = protocol.first
        before = blocks[np.searchsorted(blocks, start) - 1]
        after = blocks[np.searchsorted(blocks, start, side="right")]
        breaks[f"break_{number}_bytes"] = Parameter(
            float(np.sqrt(curve.bytes[start - 1] * curve.bytes[start])),
            Interval(float(curve.bytes[before]), float(curve.bytes[after - 1])),
        )
    return breaks


def _rate(seconds_per_byte: Array, samples: Array, launches: int, shows: bool) -> Parameter:
    if not shows or not seconds_per_byte[0] > 0.0:
        return Parameter(None)
    with np.errstate(divide="ignore"):
        return parameter(1.0 / float(seconds_per_byte[0]), 1.0 / samples, launches)


def _shows_pair(curve: Curve, protocol: _Protocol) -> bool:
    """True if some number of pairs does not fill the node, so that R_C can be fitted."""
    assert curve.pairs is not None
    least = curve.pairs[protocol.first : protocol.end].min()
    return bool(least == 1.0 or protocol.pair[0] > least * protocol.node[0] * (1.0 + ROUNDING))


def _parameters(
    curve: Curve, protocol: _Protocol, samples: _Protocol, number: int
) -> dict[str, Parameter]:
    launches, pair_shows = curve.launches, _shows_pair(curve, protocol)
    return {
        f"alpha_{number}_s": parameter(float(protocol.alpha[0]), samples.alpha, launches),
        f"R_C_{number}_Bps": _rate(protocol.pair, samples.pair, launches, pair_shows),
        f"R_N_{number}_Bps": _rate(protocol.node, samples.node, launches, protocol.saturated),
    }


def _saturation(
    curve: Curve, protocol: _Protocol, samples: _Protocol, number: int
) -> dict[str, Parameter]:
    """R_N / R_C: the number of pairs that fill the node."""
    name = f"pairs_to_fill_{number}"
    shows = protocol.saturated and _shows_pair(curve, protocol) and protocol.node[0] > 0.0
    if not shows:
        return {name: Parameter(None)}
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = samples.pair / samples.node
    return {name: parameter(float(protocol.pair[0] / protocol.node[0]), ratios, curve.launches)}


def _notes(curve: Curve, protocol: _Protocol, number: int) -> list[str]:
    assert curve.pairs is not None
    bytes_, most = curve.bytes[protocol.first : protocol.end], int(curve.pairs.max())
    where = f"protocol {number} ({bytes_[0]:.0f} to {bytes_[-1]:.0f} bytes)"
    notes = []
    if protocol.alpha[0] == 0.0:
        notes.append(f"{where}: alpha is at its bound 0, these sizes do not show it")
    if protocol.pair[0] == 0.0:
        notes.append(f"{where}: no bandwidth shows at these sizes")
    elif not protocol.saturated:
        notes.append(
            f"{where}: R_N does not show, as no number of pairs k up to {most} has k R_C > R_N; it "
            f"is at least {format_rate(most / protocol.pair[0])}; more pairs would show it"
        )
    elif not _shows_pair(curve, protocol):
        notes.append(f"{where}: R_C does not show, as the fewest pairs fill the node; one would")
    elif protocol.pair[0] <= protocol.node[0] * (1.0 + ROUNDING):
        notes.append(f"{where}: R_N is at its bound R_C: these times do not distinguish them")
    return notes

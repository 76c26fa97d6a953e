"""The multi-mode ping-pong: several pairs between two nodes at once (Hager & Wellein 2007).

Fitted jointly to times of 1, 2, ... processes a node: one curve alone does not separate the
size of a chunk from the number of processes that share it. `_multi_mode_time` has the equations.
"""

from __future__ import annotations

import math

import numpy as np

from hockney.base.units import how_many
from hockney.infer.arrays import Array
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.quantiles import carries_interval
from hockney.infer.fitting.fit import (
    RESAMPLES,
    Curve,
    Fit,
    Parameter,
    new_fit,
    parameter,
    require,
)
from hockney.infer.fitting.likelihood import deviance
from hockney.infer.models._multi_mode_search import (
    BOUNDS,
    TOLERATED,
    Points,
    Solution,
    Structure,
    points_of,
    polished,
    select,
    thinned,
)

ADVICE = "measure 1, 2, 3 and 4 pairs between two nodes at 64KiB..16MiB"

EAGER_BYTES = 32768
"""Sizes up to this are excluded, as in the paper: they use another protocol."""
LEAST_POINTS = 8
DATA = (
    f"times of at least two pairs at once, {LEAST_POINTS} or more above {EAGER_BYTES} bytes, with "
    "how many exchanges were timed together (repetitions)"
)
CHI_SQUARED_95 = 3.841
"""Rise of the deviance at the limits of a profile interval."""
PROFILE_STEP, PROFILE_STEPS = 0.05, 40
"""Step of a profile in octaves, and the most steps to each side."""


def lacks(curve: Curve) -> str | None:
    """Why the model cannot be fitted to the curve; None if it can."""
    if curve.pairs is None or curve.pairs.max() < 2.0:
        return "these times are of one pair"
    if curve.repetitions is None:
        return "the repetitions are not known"
    left = int((curve.bytes > EAGER_BYTES).sum())
    return None if left >= LEAST_POINTS else f"there are {left} above {EAGER_BYTES} bytes"


def fit(curve: Curve, resamples: int = RESAMPLES) -> Fit:
    """B_r, T_l, kappa and the chunks C, as many of 0, 1 and 2 as the times show, jointly over all
    numbers of processes a node (pairs), by residuals ln T of sizes above EAGER_BYTES."""
    require("multi-mode", DATA, lacks(curve), ADVICE)
    kept = curve.at(curve.bytes > EAGER_BYTES)
    best, points = select(points_of(kept))
    samples = _resampled(kept, points, best, resamples)
    structure = best.structure

    def predict(bytes_: Array, pairs: Array, repetitions: Array) -> Array:
        return structure.seconds(best.q, bytes_, pairs, repetitions)

    return new_fit(
        "multi-mode",
        kept,
        predict,
        parameters=_parameters(best, samples, curve.launches),
        derived=_profiles(points, best, curve.launches),
        free=structure.free,
        notes=_notes(curve, best),
    )


# Intervals


def _resampled(kept: Curve, points: Points, best: Solution, resamples: int) -> Array:
    """Fitted numbers for bootstrap medians, shape (resamples, numbers)."""
    rows = kept.resampled(resamples)
    samples = [polished(thinned(points.with_times(row)), best.structure, best.q).q for row in rows]
    return np.array(samples).reshape(len(samples), len(best.q))


def _parameters(best: Solution, samples: Array, launches: int) -> dict[str, Parameter]:
    structure = best.structure
    values = structure.values(best.q)
    columns = {
        name: samples[:, i] if name == "kappa" else np.exp(samples[:, i])
        for i, name in enumerate(structure.names)
    }
    if structure.levels == 2:
        values["C_2_bytes"] = values["C_1_bytes"] * values.pop("C_ratio")
        columns["C_2_bytes"] = columns["C_1_bytes"] * columns.pop("C_ratio")
    parameters = {name: parameter(value, columns[name], launches) for name, value in values.items()}
    if structure.levels == 2:
        parameters["w_1_processes"] = Parameter(float(structure.width))
    return parameters


def _profiles(points: Points, best: Solution, launches: int) -> dict[str, Parameter]:
    """The 95 % interval of each chunk, inside which the deviance of a fit with that chunk rises by
    no more than CHI_SQUARED_95. With few launches all times deviate together, which the deviance
    does not show: there is no interval (FEW_RULE)."""
    few = thinned(points)
    structure, chunks = best.structure, best.structure.chunks(best.q)

    def interval(level: int) -> Interval | None:
        if not carries_interval(launches):
            return None
        low, high = (_profile_limit(few, structure, best.q, level, sign) for sign in (-1.0, 1.0))
        interval = Interval(low, high)
        return interval if interval.is_known else None

    return {
        f"C_{level + 1}_profile_bytes": Parameter(chunk, interval(level))
        for level, chunk in enumerate(chunks)
    }


def _profile_limit(
    points: Points, structure: Structure, q: Array, level: int, sign: float
) -> float:
    """Limit of a profile interval, where the deviance has risen; infinite if it does not within two
    octaves or the bounds."""
    from scipy import optimize

    index = 2 + level
    low, high = structure.bounds
    others = np.arange(len(q)) != index
    least = deviance(points.residuals(structure, q))
    now = q.copy()

    def held(free: Array) -> Array:
        now[others] = free
        return points.residuals(structure, now)

    for _ in range(PROFILE_STEPS):
        now[index] += sign * PROFILE_STEP * np.log(2.0)
        if not low[index] < now[index] < high[index]:
            break
        start = np.clip(now[others], low[others] + 1e-9, high[others] - 1e-9)
        minimum = optimize.least_squares(
            held,
            start,
            bounds=(low[others], high[others]),
            loss="soft_l1",
            f_scale=TOLERATED,
            max_nfev=20,
        )
        if deviance(held(minimum.x)) - least > CHI_SQUARED_95:
            return structure.chunks(now)[level]
    return sign * math.inf


def _notes(curve: Curve, best: Solution) -> list[str]:
    notes = []
    left_out = int((curve.bytes <= EAGER_BYTES).sum())
    if left_out:
        points = how_many(left_out, "point")
        notes.append(f"excluded: {points} of sizes up to {EAGER_BYTES} bytes (eager)")
    assert curve.pairs is not None
    numbers = sorted({int(pairs) for pairs in curve.pairs})
    if len(numbers) < max(numbers):
        notes.append(
            f"fitted to {', '.join(map(str, numbers))} processes a node; all from 1 on would "
            "separate chunks better from how many processes share them"
        )
    if not best.converged:
        notes.append("the search has not converged: the values are approximate")
    low, high = best.structure.bounds
    for name, value, least, most in zip(best.structure.names, best.q, low, high, strict=True):
        if min(value - least, most - value) < 1e-4 * (most - least):
            bound = BOUNDS[name][int(value - least > most - value)]
            notes.append(f"{name} is at its bound {bound:g}")
    if best.structure.levels == 2:
        notes.append(
            "a second chunk and lost lock-step look alike at one number of repetitions: measure "
            "again with 8 times and an eighth of them; a chunk then stays, and the other moves"
        )
    if best.structure.runs_ahead:
        notes.append(
            "three and more processes run ahead of lock-step, as simulated with this chunk: no "
            "second chunk is needed to explain their times"
        )
    if not best.structure.levels:
        notes.append("no chunk shows at these sizes: send and receive overlap at all of them")
    return notes

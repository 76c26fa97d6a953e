"""What recurs, and so is no change: two states that come and go, and the cycle of a week."""

from __future__ import annotations

import math

import numpy as np

from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.by_launch import median_of_ordered
from hockney.infer.estimate.launches import MAD_TO_SIGMA

WEEK_S, DAY_S = 7 * 86400.0, 86400.0
HARMONICS = (1, 2, 3, 4, 5, 6, 7, 14, 21)
"""Waves a week that a cycle is made of."""
AT_ONCE = 128
"""Series whose states are looked for together: their looks fit in a cache."""
STRAY = 0.15
"""Largest fraction of the looks of the rarer state that scatter alone may have put on the other
side of the boundary."""
RIDGE = 1e-6
"""Keeps the fit regular where looks at one hour of the day cannot separate waves."""


def week_of(times: Array, raw: Array, noise: Array) -> Array:
    """The waves of a week in the looks, each less what noise alone would give it; shape
    (2 * harmonics, series). noise: standard deviation of a look's noise at the frequency of each
    wave, shape (harmonics, series)."""
    left = raw - _medians(raw)
    most = 4.0 * MAD_TO_SIGMA * _medians(np.abs(left))
    waves = waves_at(times)
    design = np.hstack([np.ones((len(waves), 1)), waves])
    ridge = np.eye(design.shape[1]) * RIDGE * len(waves)
    products = np.clip(left, -most, most, out=left) @ design
    fitted = np.linalg.solve(design.T @ design + ridge, products.T)[1:]
    for number in range(len(HARMONICS)):
        pair = fitted[2 * number : 2 * number + 2]
        power = (pair**2).sum(axis=0)
        least = 9.0 * 2.0 * noise[number] ** 2 / len(waves)
        pair *= np.maximum(1.0 - least / np.maximum(power, 1e-300), 0.0)
    return np.asarray(fitted)


def _medians(values: Array) -> Array:
    """The median of each row as a column; numpy sorts faster than it finds a median."""
    return median_of_ordered(np.sort(values, axis=1))[:, None]


def waves_at(times: Array) -> Array:
    """Cosines and sines of the week; shape (times, 2 * harmonics)."""
    angle = 2.0 * math.pi * (np.asarray(times) % WEEK_S) / WEEK_S
    columns = [f(wave * angle) for wave in HARMONICS for f in (np.cos, np.sin)]
    return np.stack(columns, axis=1)


def two_states(values: Array) -> tuple[Array, Array]:
    """What the upper of two states that come and go adds to each series, and the boundary; 0 and
    infinity where there is one, or a step that does not come back twice. values: shape (series,
    looks)."""
    starts = range(0, max(len(values), 1), AT_ONCE)
    parts = [_two_states(values[at : at + AT_ONCE]) for at in starts]
    offsets, boundaries = zip(*parts, strict=True)
    return np.concatenate(offsets), np.concatenate(boundaries)


def _two_states(values: Array) -> tuple[Array, Array]:
    series, n = values.shape
    least = max(3, n // 20)
    if n < 16:
        return np.zeros(series), np.full(series, math.inf)
    sums = np.cumsum(np.sort(values, axis=1), axis=1)
    below = np.arange(least, n - least + 1)
    low = sums[:, below - 1] / below
    high = (sums[:, -1:] - sums[:, below - 1]) / (n - below)
    between = below * (n - below) / n * (high - low) ** 2
    at = between.argmax(axis=1)[:, None]
    low, high, most = (np.take_along_axis(each, at, 1)[:, 0] for each in (low, high, between))
    total = ((values - values.mean(axis=1)[:, None]) ** 2).sum(axis=1)
    boundary = (low + high) / 2.0
    switches = np.count_nonzero(np.diff(values > boundary[:, None], axis=1), axis=1)
    is_two = (most >= 0.85 * total) & (switches >= 3)
    return np.where(is_two, high - low, 0.0), np.where(is_two, boundary, math.inf)


def came_once(is_high: Flags) -> Flags:
    """Whether one of two states came once, and went at most once, but for stray looks: they are a
    step between levels whose scatter crosses the boundary now and then. shape: (series, looks)."""
    high = is_high.sum(axis=1)
    rarer = np.minimum(high, is_high.shape[1] - high)
    signs = 2 * is_high.astype(np.int64) - 1
    strays = np.minimum(
        high - _most_in_a_row(signs), is_high.shape[1] - high - _most_in_a_row(-signs)
    )
    return np.asarray(strays <= STRAY * rarer)


def _most_in_a_row(signs: Whole) -> Whole:
    """The largest sum of neighbours of each row (Kadane)."""
    sums = np.pad(np.cumsum(signs, axis=1), ((0, 0), (1, 0)))
    return np.asarray((sums - np.minimum.accumulate(sums, axis=1)).max(axis=1))

"""What recurs, and so is no change: two states that come and go, and the cycle of a week."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hockney.infer.estimate.launches import MAD_TO_SIGMA

Array = NDArray[np.float64]

WEEK_S, DAY_S = 7 * 86400.0, 86400.0
HARMONICS = (1, 2, 3, 4, 5, 6, 7, 14, 21)
"""Waves a week that a cycle is made of."""
RIDGE = 1e-6
"""Keeps the fit regular where looks at one hour of the day cannot separate waves."""


def week_of(times: Array, raw: Array, noise: Array) -> Array:
    """The waves of a week in the looks, each less what noise alone would give it; shape
    (2 * harmonics, series). noise: standard deviation of a look's noise at the frequency of each
    wave, shape (harmonics, series)."""
    left = raw - np.median(raw, axis=1)[:, None]
    most = 4.0 * MAD_TO_SIGMA * np.median(np.abs(left), axis=1)[:, None]
    waves = waves_at(times)
    design = np.hstack([np.ones((len(waves), 1)), waves])
    products = design.T @ np.hstack([design, np.clip(left, -most, most).T])
    columns = design.shape[1]
    ridge = np.eye(columns) * RIDGE * len(waves)
    fitted = np.linalg.solve(products[:, :columns] + ridge, products[:, columns:])[1:]
    for number in range(len(HARMONICS)):
        pair = fitted[2 * number : 2 * number + 2]
        power = (pair**2).sum(axis=0)
        least = 9.0 * 2.0 * noise[number] ** 2 / len(waves)
        pair *= np.maximum(1.0 - least / np.maximum(power, 1e-300), 0.0)
    return np.asarray(fitted)


def waves_at(times: Array) -> Array:
    """Cosines and sines of the week; shape (times, 2 * harmonics)."""
    angle = 2.0 * math.pi * (np.asarray(times) % WEEK_S) / WEEK_S
    columns = [f(wave * angle) for wave in HARMONICS for f in (np.cos, np.sin)]
    return np.stack(columns, axis=1)


def two_states(values: Array) -> tuple[float, float]:
    """What the upper of two states that come and go adds, and the boundary; (0, infinity) where
    there is one, or a step that does not come back twice."""
    n = len(values)
    least = max(3, n // 20)
    if n < 16:
        return 0.0, math.inf
    ordered = np.sort(values)
    sums = np.cumsum(ordered)
    below = np.arange(least, n - least + 1)
    low = sums[below - 1] / below
    high = (sums[-1] - sums[below - 1]) / (n - below)
    between = below * (n - below) / n * (high - low) ** 2
    at = int(between.argmax())
    total = float(((values - values.mean()) ** 2).sum())
    boundary = float((low[at] + high[at]) / 2.0)
    switches = int(np.count_nonzero(np.diff(values > boundary)))
    if between[at] < 0.85 * total or switches < 3:
        return 0.0, math.inf
    return float(high[at] - low[at]), boundary

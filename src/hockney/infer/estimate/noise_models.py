"""Models of noise that wanders and scatters: ARMA(1,1), from noise without memory to noise that
hardly forgets, and what a step of the level looks like in each."""

from __future__ import annotations

import math

import numpy as np

from hockney.infer.arrays import Array, Whole

MODELS = np.array(
    [
        *((phi, 0.0) for phi in (0.0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92, 0.97)),
        *((0.9, 0.5), (0.9, 0.65), (0.97, 0.6), (0.97, 0.8), (0.99, 0.9)),
    ]
)
"""Correlation and fraction of scatter (the moving average's coefficient), shape (models, 2)."""
PHI, THETA = MODELS[:, 0], MODELS[:, 1]
GAIN = (1.0 - PHI) / (1.0 - THETA)
"""What a lasting change of 1 adds to each innovation in the end."""
CLIP = 3.0
"""Standard deviations to which an innovation is clipped (Huber)."""
SIZE_LEVEL = 0.05
"""Chance that the interval of a size ever misses."""


def noise_at(turn: complex, model: Whole) -> Array:
    """Standard deviation of the noise at a frequency, over that of the innovations. turn: by how
    much a wave of that frequency turns from look to look."""
    return np.asarray(np.abs((1.0 - THETA[model] * turn) / (1.0 - PHI[model] * turn)))


def step_of(left: Array, m: int, model: int, sigma: float, n: int) -> tuple[float, float]:
    """The step of the level over the last m looks that explains the innovations best (generalised
    least squares), and half its interval. left: looks over the level that n looks showed."""
    phi, theta = PHI[model], THETA[model]
    middle = float(np.median(left[-m:]))
    before, noise = float(np.median(left[:-m])) if len(left) > m else 0.0, 0.0
    was, shown = 0.0, 0.0
    products = squares = 0.0
    for value in left[-m:]:
        shown = 1.0 - phi * was + theta * shown
        was = 1.0
        noise = value - phi * before + theta * noise
        near = shown * middle
        noise = min(max(noise, near - CLIP * sigma), near + CLIP * sigma)
        products, squares, before = products + shown * noise, squares + shown**2, value
    own = sigma / math.sqrt(GAIN[model] ** 2 * n + 1.0)
    normal = math.sqrt(2.0 * math.log(math.sqrt(1.0 + m) / SIZE_LEVEL))
    return products / squares, normal * math.hypot(sigma / math.sqrt(squares), own)

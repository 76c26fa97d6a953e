"""Steps and lines in a series whose noise may be correlated from one value to the next.

The noise is a Gaussian autoregression of first order. A change is judged by twice the logarithm of
a likelihood ratio, of a level with a step (or line) of any size against one without, and against
one whose step is within the tolerance, each with the correlation that suits it best. A correlation
estimated from few runs would come out too small, and a wandering level look like a step; here the
series without a step may use any of CORRELATIONS. Exact likelihood: Box, Jenkins & Reinsel, Time
Series Analysis, 7.1; likelihood ratio for a change with unknown place and nuisance parameters:
Csorgo & Horvath, Limit Theorems in Change-Point Analysis, 1.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hockney.infer.arrays import Array, Whole

CORRELATIONS = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.95])[:, None]
"""Correlations of neighbours that are tried, shape (correlations, 1). Negative ones make no level
wander."""
LEAST_NOISE = 1e-4
"""Standard deviation, relative, below which no run is believed to repeat: clocks have steps."""


class Evidence(NamedTuple):
    """Evidence for a change: logarithms of likelihoods."""

    likelihood: float
    """Log likelihood with the change."""
    without: float
    """Log likelihood without any change."""
    within: float
    """Log likelihood with a change within the tolerance."""
    at: int
    """Index of the first value after the step; 0 for a line."""
    size: float
    """Logarithm of the ratio over the step, or of the line's last value to its first."""

    @property
    def ratio(self) -> float:
        """Twice the logarithm of the likelihood ratio of a change against none."""
        return 2.0 * (self.likelihood - self.without)

    @property
    def beyond(self) -> float:
        """Twice the logarithm of the likelihood ratio of a change against one within the
        tolerance."""
        return 2.0 * (self.likelihood - self.within)


class _Noise(NamedTuple):
    """A series whitened for each correlation, shape (correlations, n)."""

    values: Array
    ones: Array
    """The column of the level."""
    left: Array
    """Sum of squares that the level leaves; shape (correlations, 1)."""

    @classmethod
    def of(cls, values: Array) -> _Noise:
        white, ones = _whitened(values - np.median(values)), _whitened(np.ones(len(values)))
        fitted = (white * ones).sum(axis=1) ** 2 / (ones**2).sum(axis=1)
        return cls(white, ones, ((white**2).sum(axis=1) - fitted)[:, None])

    def likelihoods(self, squares: Array) -> Array:
        """Log likelihoods of residual sums of squares; shape (correlations, ...)."""
        n = self.values.shape[1]
        likelihoods = -0.5 * n * np.log(squares / n + LEAST_NOISE**2)
        return np.asarray(likelihoods + 0.5 * np.log1p(-(CORRELATIONS**2)))


def _whitened(column: Array) -> Array:
    """Each value less what the one before predicts; shape (correlations, n)."""
    first = np.sqrt(1.0 - CORRELATIONS**2) * column[0]
    return np.hstack([first, column[1:] - CORRELATIONS * column[:-1]])


def step(values: Array, places: Whole, tolerance: float) -> Evidence:
    """The most likely step at one of the places. values: logarithms, shape (n,); tolerance: a
    logarithm."""
    noise = _Noise.of(values)
    left = 1.0 - CORRELATIONS
    # A whitened step is 0 before its place, 1 there, and `left` after it: sums instead of columns.
    after = len(values) - places - 1.0
    tails = np.cumsum(noise.values[:, ::-1], axis=1)[:, ::-1]
    with_values = CORRELATIONS * noise.values[:, places] + left * tails[:, places]
    with_ones = left * (1.0 + after * left)
    squares = 1.0 + after * left**2
    return _judged(noise, with_values, with_ones, squares, tolerance, places)


def line(values: Array, tolerance: float) -> Evidence:
    """The most likely line."""
    noise = _Noise.of(values)
    column = _whitened(np.linspace(0.0, 1.0, len(values)))
    with_values, with_ones, squares = (
        (column * other).sum(axis=1)[:, None] for other in (noise.values, noise.ones, column)
    )
    only = np.zeros(1, dtype=np.int64)
    return _judged(noise, with_values, with_ones, squares, tolerance, only)


def _judged(
    noise: _Noise,
    with_values: Array,
    with_ones: Array,
    squares: Array,
    tolerance: float,
    places: Whole,
) -> Evidence:
    """The evidence for the most likely of some columns, from the products of each whitened column
    with the values, the level and itself; shape (correlations, columns)."""
    level = (noise.ones**2).sum(axis=1)[:, None]
    level_values = (noise.values * noise.ones).sum(axis=1)[:, None]
    precision = squares - with_ones**2 / level
    size = (with_values - with_ones * level_values / level) / precision
    left = np.maximum(noise.left - precision * size**2, 0.0)
    beyond = precision * np.maximum(np.abs(size) - tolerance, 0.0) ** 2
    likelihoods = noise.likelihoods(left)
    best, column = np.unravel_index(int(likelihoods.argmax()), likelihoods.shape)
    return Evidence(
        likelihood=float(likelihoods[best, column]),
        without=float(noise.likelihoods(noise.left).max()),
        within=float(noise.likelihoods(left + beyond).max()),
        at=int(places[column]),
        size=float(size[best, column]),
    )


def levels_likelihood(values: Array, places: list[int]) -> float:
    """Log likelihood of levels that change at the places, with the best correlation."""
    parts = np.searchsorted(places, np.arange(len(values)), side="right")
    columns = [(parts == part).astype(np.float64) for part in range(len(places) + 1)]
    noise = _Noise.of(values)
    design = np.stack([_whitened(column) for column in columns], axis=2)
    left = [
        float(((white - matrix @ np.linalg.lstsq(matrix, white, rcond=None)[0]) ** 2).sum())
        for white, matrix in zip(noise.values, design, strict=True)
    ]
    return float(noise.likelihoods(np.array(left)[:, None]).max())


def without_outliers(values: Array) -> Array:
    """Each value at most MOST_STEPS from the median of the five around it (Hampel's filter): one
    run that is far off neither makes nor hides a change."""
    if len(values) < 2:
        return values
    around = np.lib.stride_tricks.sliding_window_view(np.pad(values, 2, mode="edge"), 5)
    medians = np.median(around, axis=1)
    most = MOST_STEPS * float(np.median(np.abs(np.diff(values))))
    return np.asarray(medians + np.clip(values - medians, -most, most))


MOST_STEPS = 5.0
"""Limit as a multiple of the median absolute difference of neighbours: 4.8 standard deviations of
independent noise. Deviations from the medians would not do: where a level wanders they are mostly
zero."""

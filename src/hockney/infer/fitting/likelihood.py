"""Likelihood of residuals, by which models of the same points are compared."""

from __future__ import annotations

import math

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.estimate.quantiles import quick_median

DEGREES = 4.0
"""Degrees of freedom of the Student's t distribution of residuals: nearly normal in the middle, and
robust against single slow sizes (Lange, Little & Taylor 1989, JASA 84(408))."""
LEAST_SCALE = 2e-5
"""Least relative scale, from clocks and rounding; simulated times have no other noise."""
_STEPS, _SETTLED = 60, 1e-6


def scale(ln_residuals: Array) -> float:
    """The most likely scale of Student's t, by expectation maximisation; shape (points,)."""
    squares = ln_residuals**2
    sigma = max(math.sqrt(quick_median(squares)), LEAST_SCALE)
    for _ in range(_STEPS):
        before, sigma = sigma, _likelier(squares, sigma)
        if abs((sigma / before) ** 2 - 1.0) < _SETTLED:
            break
    return sigma


def likelier_scale(ln_residuals: Array, sigma: float) -> float:
    """One step of expectation maximisation."""
    return _likelier(ln_residuals**2, sigma)


def _likelier(squares: Array, sigma: float) -> float:
    share = squares / sigma**2
    share += DEGREES
    np.divide(DEGREES + 1.0, share, out=share)
    return max(math.sqrt(float(np.dot(share, squares)) / len(squares)), LEAST_SCALE)


def weights(ln_residuals: Array) -> Array:
    """Weights of points, above 0 and at most 1: least squares with these weights, repeated, is the
    most likely fit."""
    return np.asarray(DEGREES / (DEGREES + (ln_residuals / scale(ln_residuals)) ** 2))


def deviance(ln_residuals: Array) -> float:
    """-2 ln likelihood at the most likely scale, up to a constant of the number of points."""
    sigma = scale(ln_residuals)
    tails = np.log1p((ln_residuals / sigma) ** 2 / DEGREES)
    return float(2.0 * len(ln_residuals) * np.log(sigma) + (DEGREES + 1.0) * tails.sum())


def penalty(points: int, free: int) -> float | None:
    """Addition of so many fitted numbers, without the scale, to the deviance in `criterion`. None
    if there are too few points for them."""
    left = points - free - 2
    return (free + 1) * float(np.log(points)) * points / left if left > 0 else None


def criterion(ln_residuals: Array, free: int) -> float | None:
    """Schwarz's criterion (BIC), corrected for few points (McQuarrie 1999, Statistics & Probability
    Letters 44): without the correction, a straight line through 24 noisy sizes falls into segments.

    free: fitted numbers without the scale. None if there are too few points for them.
    """
    added = penalty(len(ln_residuals), free)
    return None if added is None else deviance(ln_residuals) + added


def rating(ln_residuals: Array, free: int) -> float:
    """The criterion; infinite where there are too few points for it."""
    value = criterion(ln_residuals, free)
    return math.inf if value is None else value


def akaike(ln_residuals: Array, free: int) -> float:
    """Akaike's criterion, corrected for few points (Hurvich & Tsai 1989, Biometrika 76)."""
    count, points = free + 1, len(ln_residuals)
    left = points - count - 1
    return deviance(ln_residuals) + 2.0 * count * points / left if left > 0 else float("inf")

"""The line alpha + beta b of least squares, through many rows of times at once."""

from __future__ import annotations

import numpy as np

from hockney.base.units import format_size
from hockney.infer.arrays import Array

LEAST_PREDICTED = 1e-3
"""Least prediction, as a fraction of the time: ln 0 is not a number."""
LARGEST_RESIDUAL = 3.0
NO_ASYMPTOTE = "r_inf and n_half are not known: "
"""Beginning of the note of a line whose sizes do not reach its bandwidth."""


def no_asymptote(bytes_: Array, alpha: float, beta: float) -> str | None:
    """Why these sizes do not show the bandwidth of large messages; None where they do."""
    if len(np.unique(bytes_)) <= 2:
        return "a line goes through any two sizes"
    largest = float(bytes_.max())
    if beta > 0.0 and largest < alpha / beta:
        return (
            f"the largest size, {format_size(round(largest))}, is below the n_half of "
            f"{format_size(round(alpha / beta))} that the line would have"
        )
    return None


def line(bytes_: Array, seconds: Array, ordinary: bool = False) -> tuple[Array, Array]:
    """alpha (s) and beta (s/B) of each row of `seconds`, shapes (rows,), (rows,).

    Minimises the squares of the relative residuals (T - alpha - beta b) / T with alpha and beta
    not below 0, so that a latency of 0.2 us counts as much as a megabyte's 60 us. `ordinary`
    minimises the plain squares without bounds: over powers of two the last sizes decide it.
    The engine's engine/fit.c is the same arithmetic.

    bytes_: shape (sizes,); seconds: shape (rows, sizes), above 0.
    """
    # Relative to the shortest: squares of tiny times would underflow.
    shortest = seconds.min(axis=1, keepdims=True)
    weight = np.ones_like(seconds) if ordinary else (shortest / seconds) ** 2
    return weighted_line(bytes_, seconds, weight, bounded=not ordinary)


def weighted_line(
    bytes_: Array, seconds: Array, weight: Array, bounded: bool = True
) -> tuple[Array, Array]:
    """alpha and beta of least squares of seconds, with weights of the same shape (rows, sizes)."""
    total = weight.sum(axis=1)
    mean_b = (weight * bytes_).sum(axis=1) / total
    mean_t = (weight * seconds).sum(axis=1) / total
    off_b = bytes_ - mean_b[:, None]
    off_t = seconds - mean_t[:, None]
    bb = (weight * off_b**2).sum(axis=1)
    bt = (weight * off_b * off_t).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        beta = np.where(bb > 0.0, bt / bb, 0.0)
        alpha = mean_t - beta * mean_b
        if not bounded:
            return alpha, beta
        raw_bb = (weight * bytes_**2).sum(axis=1)
        through_zero = np.where(raw_bb > 0.0, (weight * bytes_ * seconds).sum(axis=1) / raw_bb, 0.0)
    flat, steep = beta < 0.0, (beta >= 0.0) & (alpha < 0.0)
    beta = np.where(flat, 0.0, np.where(steep, through_zero, beta))
    alpha = np.where(flat, mean_t, np.where(steep, 0.0, alpha))
    return alpha, beta


def bounded_line(u: Array, v: Array, uu: Array, uv: Array, vv: Array) -> tuple[Array, Array]:
    """alpha and beta, not below 0, that minimise sum w (1 - alpha u - beta v)^2, from its sums
    w u, w v, w u^2, w u v and w v^2."""
    with np.errstate(divide="ignore", invalid="ignore"):
        determinant = uu * vv - uv**2
        regular = determinant > 1e-12 * uu * vv
        alpha = np.where(regular, (u * vv - v * uv) / determinant, u / uu)
        beta = np.where(regular, (v * uu - u * uv) / determinant, 0.0)
        flat, steep = beta < 0.0, alpha < 0.0
        alpha = np.where(flat, u / uu, np.where(steep, 0.0, alpha))
        beta = np.where(flat, 0.0, np.where(steep, v / vv, beta))
    return alpha, beta


def log_step(seconds: Array, predicted: Array) -> tuple[Array, Array]:
    """The times for the next fit, and the scale of their relative residuals, with which least
    squares makes a Gauss-Newton step towards that of ln T - ln(predicted). All of one shape."""
    scale = np.maximum(predicted, LEAST_PREDICTED * seconds)
    return scale * (1.0 + cut(np.log(seconds / scale))), scale


def cut(ln_residuals: Array) -> Array:
    """Residuals clipped for a step; only those beyond a 20-fold time make it miss the optimum."""
    return np.clip(ln_residuals, -LARGEST_RESIDUAL, LARGEST_RESIDUAL)

"""Hockney's model: T(b) = alpha + beta b (Hockney 1994, Parallel Computing 20)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hockney.models.fit import (
    RESAMPLES,
    Curve,
    Fit,
    Parameter,
    lacks_sizes,
    new_fit,
    parameter,
    require,
)

ORDINARY = "ordinary least squares: the largest sizes decide alpha"
"""The note of a fit on plain residuals, by which it is known."""
Array = NDArray[np.float64]

DATA = "times of one pair, of at least two different sizes"


def line(bytes_: Array, seconds: Array, ordinary: bool = False) -> tuple[Array, Array]:
    """alpha (s) and beta (s/B) of each row of `seconds`, shapes (rows,), (rows,).

    Minimises the squares of the relative residuals (T - alpha - beta b) / T with alpha and beta
    not below 0, so that a latency of 0.2 us counts as much as a megabyte's 60 us. `ordinary`
    minimises the plain squares without bounds: over powers of two the last sizes decide it.
    The engine's engine/fit.c is the same arithmetic.

    bytes_: shape (sizes,); seconds: shape (rows, sizes), above 0.
    """
    # Against the shortest, as squares of tiny times are no doubles.
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


def lacks(curve: Curve) -> str | None:
    """What the curve lacks for this model; None where it carries it."""
    return lacks_sizes(curve, 2)


def fit(curve: Curve, ordinary: bool = False, resamples: int = RESAMPLES) -> Fit:
    """alpha and beta with intervals by resampling launches; derived r_inf = 1/beta, n_half =
    alpha/beta. Needs two different sizes."""
    require("hockney", DATA, lacks(curve), "measure more: --sizes 0,1..4MiB")
    alphas, betas = line(curve.bytes, curve.median_s[None, :], ordinary)
    alpha, beta = float(alphas[0]), float(betas[0])
    sample_alpha, sample_beta = line(curve.bytes, curve.resampled(resamples), ordinary)

    def predict(bytes_: Array, *_: Array) -> Array:
        return alpha + beta * bytes_

    with np.errstate(divide="ignore", invalid="ignore"):
        derived = {
            "r_inf_Bps": _inverse(beta, 1.0 / sample_beta, curve.launches),
            "n_half_B": parameter(
                alpha / beta if beta > 0.0 else None, sample_alpha / sample_beta, curve.launches
            ),
        }
    return new_fit(
        "hockney",
        curve,
        predict,
        parameters={
            "alpha_s": parameter(alpha, sample_alpha, curve.launches),
            "beta_s_per_B": parameter(beta, sample_beta, curve.launches),
        },
        derived=derived,
        free=2,
        notes=_notes(alpha, beta, ordinary),
    )


def _inverse(beta: float, sample: Array, launches: int) -> Parameter:
    return parameter(1.0 / beta if beta > 0.0 else None, sample, launches)


def _notes(alpha: float, beta: float, ordinary: bool) -> tuple[str, ...]:
    notes = []
    if ordinary:
        notes.append(ORDINARY)
        if alpha < 0.0:
            notes.append("alpha is below 0, which no latency can be")
    elif alpha == 0.0:
        notes.append("alpha lies on its bound 0: these sizes do not show a latency")
    if beta == 0.0:
        notes.append("beta lies on its bound 0: these sizes do not show a bandwidth")
    return tuple(notes)

"""Hockney's model: T(b) = alpha + beta b (Hockney 1994, Parallel Computing 20)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hockney.errors import AskedWronglyError
from hockney.models.fit import Curve, Fit, Parameter, parameter, relative_residuals

Array = NDArray[np.float64]


def line(bytes_: Array, seconds: Array, ordinary: bool = False) -> tuple[Array, Array]:
    """alpha (s) and beta (s/B) of each row of `seconds`, shapes (rows,), (rows,).

    Minimises the squares of the relative residuals (T - alpha - beta b) / T with alpha and beta
    not below 0, so that a latency of 0.2 us counts as much as a megabyte's 60 us. `ordinary`
    minimises the plain squares without bounds: over powers of two the last sizes decide it.
    The engine's engine/fit.c is the same arithmetic.

    bytes_: shape (sizes,); seconds: shape (rows, sizes), above 0.
    """
    weight = np.ones_like(seconds) if ordinary else seconds**-2
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
        if ordinary:
            return alpha, beta
        raw_bb = (weight * bytes_**2).sum(axis=1)
        through_zero = np.where(raw_bb > 0.0, (weight * bytes_ * seconds).sum(axis=1) / raw_bb, 0.0)
    flat, steep = beta < 0.0, (beta >= 0.0) & (alpha < 0.0)
    beta = np.where(flat, 0.0, np.where(steep, through_zero, beta))
    alpha = np.where(flat, mean_t, np.where(steep, 0.0, alpha))
    return alpha, beta


def fit(curve: Curve, ordinary: bool = False) -> Fit:
    """alpha and beta with intervals by resampling launches; derived r_inf = 1/beta, n_half =
    alpha/beta. Needs two different sizes."""
    if len(np.unique(curve.bytes)) < 2:
        raise AskedWronglyError(
            f"one line needs at least two different sizes; there is {len(curve.bytes)}",
            "measure more: --sizes 0,1..4MiB",
        )
    alphas, betas = line(curve.bytes, curve.median_s[None, :], ordinary)
    alpha, beta = float(alphas[0]), float(betas[0])
    sample_alpha, sample_beta = line(curve.bytes, curve.resampled(), ordinary)
    launches = len(curve.seconds)

    def predict(bytes_: Array) -> Array:
        return alpha + beta * bytes_

    residuals = relative_residuals(curve, predict)
    with np.errstate(divide="ignore", invalid="ignore"):
        derived = {
            "r_inf_Bps": _inverse(beta, 1.0 / sample_beta, launches),
            "n_half_B": parameter(
                alpha / beta if beta > 0.0 else None, sample_alpha / sample_beta, launches
            ),
        }
    return Fit(
        model="hockney",
        parameters={
            "alpha_s": parameter(alpha, sample_alpha, launches),
            "beta_s_per_B": parameter(beta, sample_beta, launches),
        },
        derived=derived,
        predict=predict,
        residuals=residuals,
        error_median=float(np.median(np.abs(residuals))),
        error_max=float(np.abs(residuals).max()),
        error_max_bytes=int(curve.bytes[np.abs(residuals).argmax()]),
        launches=launches,
        notes=_notes(alpha, beta, ordinary),
    )


def _inverse(beta: float, sample: Array, launches: int) -> Parameter:
    return parameter(1.0 / beta if beta > 0.0 else None, sample, launches)


def _notes(alpha: float, beta: float, ordinary: bool) -> tuple[str, ...]:
    notes = []
    if ordinary:
        notes.append("ordinary least squares: the largest sizes decide alpha")
        if alpha < 0.0:
            notes.append("alpha is below 0, which no latency can be")
    elif alpha == 0.0:
        notes.append("alpha lies on its bound 0: these sizes do not show a latency")
    if beta == 0.0:
        notes.append("beta lies on its bound 0: these sizes do not show a bandwidth")
    return tuple(notes)

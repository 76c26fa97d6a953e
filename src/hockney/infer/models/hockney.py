"""Hockney's model: T(b) = alpha + beta b (Hockney 1994, Parallel Computing 20)."""

from __future__ import annotations

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.fitting.fit import (
    RESAMPLES,
    Curve,
    Fit,
    lacks_sizes,
    new_fit,
    parameter,
    require,
)
from hockney.infer.fitting.line import NO_ASYMPTOTE, line, no_asymptote

ORDINARY = "ordinary least squares: the largest sizes decide alpha"
"""Note of a fit on plain residuals, which identifies it."""
NO_BANDWIDTH = "beta is at its bound 0: these sizes do not show a bandwidth"
DATA = "times of one pair, of at least two different sizes"


def lacks(curve: Curve) -> str | None:
    """Why the model cannot be fitted to the curve; None if it can."""
    return lacks_sizes(curve, 2)


def fit(curve: Curve, ordinary: bool = False, resamples: int = RESAMPLES) -> Fit:
    """alpha and beta with intervals from a bootstrap over launches; derived r_inf = 1/beta, n_half
    = alpha/beta. Needs two different sizes. r_inf and n_half are None, and a note says why, from
    two sizes alone and where the largest size is below n_half: they would be extrapolated."""
    require("hockney", DATA, lacks(curve), "measure more: --sizes 0,1..4MiB")
    alphas, betas = line(curve.bytes, curve.median_s[None, :], ordinary)
    alpha, beta = float(alphas[0]), float(betas[0])
    sample_alpha, sample_beta = line(curve.bytes, curve.resampled(resamples), ordinary)

    def predict(bytes_: Array, *_: Array) -> Array:
        return alpha + beta * bytes_

    why = no_asymptote(curve.bytes, alpha, beta)
    with np.errstate(divide="ignore", invalid="ignore"):
        r_inf, n_half = (None, None) if why or beta <= 0.0 else (1.0 / beta, alpha / beta)
        derived = {
            "r_inf_Bps": parameter(r_inf, 1.0 / sample_beta, curve.launches),
            "n_half_B": parameter(n_half, sample_alpha / sample_beta, curve.launches),
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
        notes=[*_notes(alpha, beta, ordinary), *([NO_ASYMPTOTE + why] if why else [])],
    )


def _notes(alpha: float, beta: float, ordinary: bool) -> tuple[str, ...]:
    notes = []
    if ordinary:
        notes.append(ORDINARY)
        if alpha < 0.0:
            notes.append("alpha is below 0, which no latency can be")
    elif alpha == 0.0:
        notes.append("alpha is at its bound 0: these sizes do not show a latency")
    if beta == 0.0:
        notes.append(NO_BANDWIDTH)
    return tuple(notes)

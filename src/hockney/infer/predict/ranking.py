"""Ranks all models that can be fitted to the data, the best first, with reasons."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hockney.base.addition import AdditionError
from hockney.base.errors import UsageError
from hockney.base.units import format_percent
from hockney.infer.fitting.fit import Curve, Fit, predicted_s
from hockney.infer.models import MODELS, Model

MOST_FOLDS = 10
"""Most folds of launches for cross-validation."""
AS_GOOD = 2.0
"""Difference of criteria below which models are equivalent (Raftery 1995, Sociological
Methodology)."""


@dataclass(frozen=True)
class Ranked:
    fit: Fit
    cross_validated_error: float | None
    """Median relative error for launches excluded from the fit; None with fewer than two, or where
    the others have too few points."""
    reason: str


@dataclass(frozen=True)
class Ranking:
    best_first: tuple[Ranked, ...]
    lacking: dict[str, str]
    """Why each of the other models could not be fitted."""


def rank(curve: Curve) -> Ranking:
    """Fits all models for which the data suffice. The best has the least criterion per point; among
    equivalent ones, the fewest parameters."""
    lacking: dict[str, str] = {}
    fits: list[tuple[Fit, float | None]] = []
    for name, model in MODELS.all().items():
        try:
            missing = model.lacks(curve)
            if missing:
                lacking[name] = f"needs {model.DATA}; {missing}"
            else:
                fits.append((model.fit(curve), cross_validated_error(model, curve)))
        except AdditionError as error:
            error.warn()
            lacking[name] = f"failed: {error.why}"
    if not fits:
        reasons = "; ".join(f"{name} {missing}" for name, missing in lacking.items())
        raise UsageError(f"no model can be fitted: {reasons}", "measure more")
    least = min(_rating(fit) for fit, _ in fits)
    fits.sort(key=lambda pair: _order(pair[0], least))
    best = fits[0][0]
    ranked = [
        Ranked(fit, error, _reason(fit, error, best, _is_as_good(fit, least)))
        for fit, error in fits
    ]
    return Ranking(tuple(ranked), lacking)


def cross_validated_error(model: Model, curve: Curve) -> float | None:
    """Fits the model without one fold of launches and predicts the medians of that fold; the mean
    over folds of the median relative error. None with fewer than two launches, or where the others
    have too few points."""
    folds = min(curve.launches, MOST_FOLDS)
    if folds < 2:
        return None
    part = np.arange(curve.launches) % folds
    errors = []
    for fold in range(folds):
        rest = replace(curve, seconds=curve.seconds[part != fold])
        left_out = replace(curve, seconds=curve.seconds[part == fold])
        known = ~np.isnan(rest.median_s)
        if model.lacks(rest.at(known)):
            return None
        predict = model.fit(rest.at(known), resamples=0).predict
        measured = left_out.median_s
        error = np.abs(predicted_s(predict, left_out) - measured) / measured
        if not np.isnan(error).all():
            errors.append(float(np.nanmedian(error)))
    return float(np.mean(errors)) if errors else None


def _rating(fit: Fit) -> float:
    return np.inf if fit.criterion is None else fit.criterion / len(fit.residuals)


def _order(fit: Fit, least: float) -> tuple[bool, float]:
    """The sort key: equivalent best fits first, the simplest of them first."""
    as_good = _is_as_good(fit, least)
    return not as_good, float(len(fit.parameters)) if as_good else _rating(fit)


def _is_as_good(fit: Fit, least: float) -> bool:
    return _rating(fit) <= least + AS_GOOD / len(fit.residuals)


def _reason(fit: Fit, error: float | None, best: Fit, is_as_good: bool) -> str:
    words = [f"{len(fit.parameters)} parameters"]
    if fit.criterion is None:
        words.append("too few points for its criterion")
    elif fit is best or best.criterion is None:
        words.append(f"criterion {fit.criterion:.1f}")
    else:
        words.append(
            f"criterion {fit.criterion:.1f}, {fit.criterion - best.criterion:+.1f} against "
            f"{best.model}{' (as good)' * is_as_good}"
        )
    if error is None and fit.launches < 2:
        words.append("a single launch cannot be cross-validated")
    elif error is None:
        words.append("not cross-validated: some launches alone have points that it needs")
    else:
        words.append(f"predicts excluded launches to {format_percent(error)}")
    return "; ".join(words)

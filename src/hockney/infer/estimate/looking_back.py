"""A step that a young level hides: what is usual was learned with it, or its week is not known yet.

Once the level is old enough, all its looks are compared: level, waves of the week and a step are
fitted together, under each model of the noise, by least squares of the innovations. The likelihood
of a step under the best model is held against that of no step under its own best one, so that noise
that wanders is no step, and against that of a step within the tolerance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.alarm import Alarm
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.noise_models import MODELS, SIZE_LEVEL
from hockney.infer.estimate.recurring import DAY_S, WEEK_S, waves_at

LOOK_BACK_S = tuple(weeks * WEEK_S for weeks in (2, 3, 4))
"""Ages of a level at which all its looks are compared. Before, a step may be a part of the week, or
a state that comes and goes."""
GROUP_S = 7200.0
"""Looks of so long a time count as one, their median: a wild look is none, and a start is known to
the hour or so, which is enough for what began days ago."""
LEAST_S = DAY_S
"""Least time before a step, and after it."""
BEYOND = 6.0
"""Least logarithm of the likelihood of a step over that of one within the tolerance: about as rare
as the interval of an alarm, which is valid at every look, misses."""
MOST_STEPS = 5.0
"""Median absolute differences of neighbours by which a group may lie beyond those around it."""
LEAST_NOISE = 1e-4
"""Standard deviation, relative, below which no look is believed to repeat."""
MOST_EVIDENCE = 60.0
"""Cap of the logarithm of the evidence."""


class HiddenSteps(NamedTuple):
    """The likeliest step of each series, arrays of shape (series,)."""

    evidence: Array
    """Likelihood ratio of a step against none; 0 where it may lie within the tolerance."""
    start: Whole
    """How many looks ago its level began."""
    first: Whole
    last: Whole
    """How many looks ago the earliest and the latest start are that are at most 20 times less
    likely."""
    size: Array
    """A logarithm."""
    width: Array
    """Half its interval."""

    def alarm(self, series: int) -> Alarm:
        start, first, last = (int(ago[series]) for ago in self[1:4])
        size, width = float(self.size[series]), float(self.width[series])
        interval = Interval(size - width, size + width)
        return Alarm(series, start, first, last, size, interval, float(self.evidence[series]))


def hidden_steps(
    times: Array, values: Array, interval_s: float, tolerance: float
) -> HiddenSteps | None:
    """The likeliest step of each series; None of too few looks. values: logarithms, shape (series,
    looks); tolerance: a logarithm."""
    each = max(round(GROUP_S / interval_s), 1)
    groups = len(times) // each
    margin = max(round(LEAST_S / (each * interval_s)), 2)
    if groups < 4 * margin:
        return None
    places = np.arange(margin, groups - margin + 1)
    began = times[-groups * each :].reshape(groups, each).mean(axis=1)
    grouped = np.median(values[:, -groups * each :].reshape(-1, groups, each), axis=2)
    fits = _fits(began, _without_outliers(grouped).T, places, tolerance)
    likelihood, at, size, error = fits.best
    is_beyond = likelihood - fits.within >= BEYOND
    evidence = np.exp(np.minimum(likelihood - fits.without, MOST_EVIDENCE)) * is_beyond
    first, last = fits.near
    normal = math.sqrt(2.0 * math.log(math.sqrt(1.0 + groups) / SIZE_LEVEL))
    start, earliest, latest = (each * (groups - places[index]) - 1 for index in (at, first, last))
    return HiddenSteps(evidence, start, earliest, latest, size, normal * error)


class _Fits(NamedTuple):
    """What the models of the noise make of each series, arrays of shape (series,)."""

    without: Array
    within: Array
    """The largest likelihood without a step, and with one within the tolerance."""
    best: tuple[Array, Whole, Array, Array]
    """Likelihood, place, size and standard error of the step that explains most, by the model that
    does."""
    near: tuple[Whole, Whole]
    """The first and the last place that is hardly less likely."""


def _fits(times: Array, values: Array, places: Whole, tolerance: float) -> _Fits:
    """values: shape (looks, series)."""
    n, series = values.shape
    usual = np.hstack([np.ones((n, 1)), waves_at(times)])
    every = np.arange(series)
    steps = (np.arange(n)[:, None] >= places).astype(np.float64)
    columns = np.hstack([usual, steps, values - np.median(values, axis=0)])
    without = np.full(series, -np.inf)
    within, best = without.copy(), without.copy()
    at, first, last = (np.zeros(series, dtype=np.int64) for _ in range(3))
    size, error = np.zeros(series), np.zeros(series)
    for phi, theta in MODELS.tolist():
        white = _innovations(columns, phi, theta)
        basis = np.linalg.qr(white[:, : usual.shape[1]])[0]
        rest = white[:, usual.shape[1] :]
        rest -= basis @ (basis.T @ rest)
        step, looks = np.split(rest, [len(places)], axis=1)
        precision = np.maximum((step**2).sum(axis=0), 1e-9)[:, None]
        sizes = step.T @ looks / precision
        explained = precision * sizes**2
        total = (looks**2).sum(axis=0)
        here = explained.argmax(axis=0)
        left = total - explained[here, every]
        its_size, its_precision = sizes[here, every], precision[here, 0]
        beyond = its_precision * np.maximum(np.abs(its_size) - tolerance, 0.0) ** 2
        likelihood = _likelihood(left, n)
        without = np.maximum(without, _likelihood(total, n))
        within = np.maximum(within, _likelihood(left + beyond, n))
        is_better = likelihood > best
        best, at = np.where(is_better, likelihood, best), np.where(is_better, here, at)
        size = np.where(is_better, its_size, size)
        error = np.where(is_better, np.sqrt(left / n / its_precision), error)
        is_near = _likelihood(total - explained, n) >= likelihood - math.log(20.0)
        first = np.where(is_better, is_near.argmax(axis=0), first)
        last = np.where(is_better, len(places) - 1 - is_near[::-1].argmax(axis=0), last)
    return _Fits(without, within, (best, at, size, error), (first, last))


def _likelihood(squares: Array, n: int) -> Array:
    return np.asarray(-0.5 * n * np.log(np.maximum(squares, 0.0) / n + LEAST_NOISE**2))


def _innovations(columns: Array, phi: float, theta: float) -> Array:
    """What an ARMA(1,1) does not predict of each column; shape (looks, columns)."""
    white = np.empty_like(columns)
    scale = math.sqrt((1.0 - phi**2) / (1.0 - 2.0 * phi * theta + theta**2))
    white[0] = scale * columns[0]
    white[1:] = columns[1:] - phi * columns[:-1]
    if theta:
        for look in range(1, len(white)):
            white[look] += theta * white[look - 1]
    return white


def _without_outliers(values: Array) -> Array:
    """Each value near the median of the five around it (Hampel's filter); shape (series, looks)."""
    padded = np.pad(values, ((0, 0), (2, 2)), mode="edge")
    around = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5, axis=1), axis=2)
    most = MOST_STEPS * np.median(np.abs(np.diff(values, axis=1)), axis=1)[:, None]
    return np.asarray(around + np.clip(values - around, -most, most))

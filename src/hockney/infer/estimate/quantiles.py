"""Quantiles, and distribution-free intervals for the median."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array
from hockney.infer.estimate.interval import CONFIDENCE, Interval

LEAST_LAUNCHES = 5
"""Launches that an interval needs, whatever it is computed by: order statistics of four reach
87.5 %, and bootstrap intervals from two or three cover half or three quarters of the cases."""
FEW_RULE = f"no interval from fewer than {LEAST_LAUNCHES} launches"
"""Text shown where an interval is missing."""
EXACT_UP_TO = 60
"""Number of values above which the normal approximation of the binomial is as good as exact
(Hoefler & Belli 2015)."""
FEW_LEVELS = {5: 0.70, 6: 0.78, 7: 0.83}
FEW_LEVEL, ENOUGH_LAUNCHES = 0.87, 18
"""The confidence of an interval of few launches, FEW_LEVEL from eight on and CONFIDENCE from
ENOUGH_LAUNCHES on: what it reaches where successive launches correlate by 0.6, as so few do not
show whether they do (benchmarks/claims_estimate.py). Where they do not it holds more often. All of
five Gaussian launches that correlate so are on one side of the median in 28 %."""
ENDED = 0.99
"""Nominal confidence of the interval of a run that ended because the first half of its launches
made a narrow one, stated as CONFIDENCE: half of the launches took part in that choice."""
NORMAL_QUANTILES = {CONFIDENCE: 1.959964, ENDED: 2.575829}
LARGEST_CORRELATION = 0.97
"""Largest correlation of successive launches that can be separated from 1."""
FEW_LAGS, MOST_AT_ONCE = 16, 1 << 17
"""Lags computed one by one, and the number of values up to which a transform gives the others."""
EXACT_SUMS = 1 << 22
"""Number of ones whose sum a 4-byte float holds exactly, with room."""


def carries_interval(launches: int) -> bool:
    """Whether an interval may be given from so many launches (FEW_RULE): the one rule for medians,
    ratios, fits and predictions."""
    return launches >= LEAST_LAUNCHES


def quick_median(values: Array) -> float:
    """As numpy's, in a fifth of its time: for thousands of short rows without a NaN."""
    ascending, n = np.sort(values), len(values)
    return 0.5 * float(ascending[(n - 1) // 2] + ascending[n // 2])


def median_interval(values: Array) -> Interval | None:
    """The 95 % confidence interval of the median: the narrowest pair of order statistics that has
    that confidence, or the whole range with the confidence that it has; None below five values.

    Order statistics k and n+1-k enclose the median with 1 - 2 P(Binomial(n, 1/2) < k), whatever
    the distribution. Five values have 93.75 % in all, and are called an interval; four, with
    87.5 %, are not.
    """
    if not carries_interval(len(values)):
        return None
    k, confidence = _rank(len(values), CONFIDENCE)
    return _between(values, k, confidence)


def launch_interval(values: Array, ended: bool = False) -> Interval | None:
    """The 95 % confidence interval of the median of launches in the order measured, which count as
    fewer where they are correlated. ended: the run ended because it was precise
    (deciding_interval); the interval is then the wider one that such a run needs (ENDED)."""
    n = len(values)
    if not carries_interval(n):
        return None
    # Of eight or fewer it is their range, whatever they are worth.
    worth = n if n <= 8 else max(int(n / launch_time(values)), LEAST_LAUNCHES)
    k, _ = _rank(worth, ENDED if ended else CONFIDENCE)
    return _between(values, max(int((n + 1) * k / (worth + 1)), 1), _level(n, ended))


def _level(n: int, ended: bool) -> float | None:
    """The confidence that is stated for so many launches."""
    if ended:
        return CONFIDENCE if n >= ENOUGH_LAUNCHES else None
    return FEW_LEVELS.get(n, FEW_LEVEL if n < ENOUGH_LAUNCHES else CONFIDENCE)


def deciding_interval(values: Array) -> Interval | None:
    """The interval that ends a run when it is narrow: that of the first half of the launches; None
    below ENOUGH_LAUNCHES.

    No interval that is only stated when it is narrow can hold its level: where launches scatter
    so much that few runs get there, those that do are the ones whose launches happened to agree.
    The second half had no part in that, and the interval of all is stated however wide it is."""
    return launch_interval(values[: len(values) // 2]) if len(values) >= ENOUGH_LAUNCHES else None


def _between(values: Array, k: int, confidence: float | None) -> Interval:
    ordered = np.sort(values)
    return Interval(float(ordered[k - 1]), float(ordered[-k]), confidence)


def _rank(n: int, level: float) -> tuple[int, float]:
    """The rank k of the interval with at least that confidence, or the first, and the confidence
    that it has."""
    if n > EXACT_UP_TO:
        z = NORMAL_QUANTILES[level]
        return max(math.floor((n - z * math.sqrt(n)) / 2.0), 1), level
    k, below, confidence = 1, 1.0, 1.0 - 2.0 * 0.5**n
    while True:
        below += math.comb(n, k)
        wider = 1.0 - 2.0 * below * 0.5**n
        if wider < level:
            return k, confidence
        k, confidence = k + 1, wider


def launch_time(values: Array) -> float:
    """How many successive launches, of LEAST_LAUNCHES or more, are worth one independent launch,
    for the median: at least 1.

    The larger of two estimates, as each sees what the other does not: the sum over lags
    (autocorrelation_time) sees slow drifts, but too little of them in few launches; a first-order
    autoregression, by the correlation of successive ranks without its bias of -(1 + 4 phi) / n
    (Marriott & Pope 1954), needs few. Signs about the median of such a series correlate by
    2 / pi asin(phi^lag)."""
    n, ordered = len(values), np.sort(values)
    ranks = np.searchsorted(ordered, values) + np.searchsorted(ordered, values, "right") - n
    squares = float(ranks @ ranks)
    if not squares:
        return 1.0
    phi = (float(ranks[1:] @ ranks[:-1]) / squares + 1.0 / n) / (1.0 - 4.0 / n)
    lags = np.arange(1, n)
    signs = 2.0 / math.pi * np.arcsin(min(max(phi, 0.0), LARGEST_CORRELATION) ** lags)
    return max(autocorrelation_time(values), 1.0 + 2.0 * float((1.0 - lags / n) @ signs))


def autocorrelation_time(values: Array) -> float:
    """How many successive values are worth one independent value, for the median: at least 1."""
    if not len(values):
        return 1.0
    return float(autocorrelation_times(values[None, :], np.median(values, keepdims=True))[0])


def autocorrelation_times(rows: Array, medians: Array) -> Array:
    """The autocorrelation time of each row of values, whose median is given.

    Integrated autocorrelation of the signs about the median, summed while successive pairs of lags
    stay positive (Geyer 1992). Signs are the median's own influence function, and no outlier can
    move them. The engine stops by the same rule (engine/precision.c).
    """
    n = rows.shape[1]
    signs = (rows > medians[:, None]).astype(np.float32) - (rows < medians[:, None])
    variances = np.count_nonzero(signs, axis=1).astype(np.float64)
    times = np.ones(len(rows))
    going = np.flatnonzero(variances)
    signs = signs[going]
    for lag in range(1, max(n // 3 - 1, 1), 2):
        if lag > FEW_LAGS and len(going) and n <= MOST_AT_ONCE:
            times[going] += 2.0 * _pairs_from(signs, lag) / variances[going]
            break
        pairs = _agreeing(signs, lag) + _agreeing(signs, lag + 1)
        on = pairs > 0
        if not on.all():
            going, signs, pairs = going[on], signs[on], pairs[on]
        if not len(going):
            break
        times[going] += 2.0 * pairs / variances[going]
    return times


def _pairs_from(signs: NDArray[np.float32], lag: int) -> Array:
    """The sum of the pairs of lags from this one on, as long as they are positive: all lags at once
    by the Fourier transform, in doubles, whose error is far below the whole numbers that they
    are."""
    n = signs.shape[1]
    end = lag + 2 * len(range(lag, n // 3 - 1, 2))
    size = _quick_length(n + end)  # lags from there on may wrap around
    sums, step = np.empty(len(signs)), max(MOST_AT_ONCE // size, 1)
    for first in range(0, len(signs), step):
        rows = slice(first, first + step)
        spectra = np.fft.rfft(signs[rows].astype(np.float64), size)
        power = spectra.real**2 + spectra.imag**2
        lags = np.rint(np.fft.irfft(power, size)[:, lag:end])
        pairs = lags.reshape(len(lags), -1, 2).sum(axis=2)
        sums[rows] = (pairs * np.logical_and.accumulate(pairs > 0, axis=1)).sum(axis=1)
    return sums


def _quick_length(least: int) -> int:
    """The next number that is 4 to 8 times a power of two: quick to transform."""
    unit = 1 << max(least.bit_length() - 3, 0)
    return -(-least // unit) * unit


def _agreeing(signs: NDArray[np.float32], lag: int) -> Array:
    """In each row, pairs of equal signs at this lag less those of unlike ones. Not a dot product: a
    library's threads wait for each other far longer than this takes."""
    first, second = signs[:, :-lag], signs[:, lag:]
    parts = [
        np.einsum("ij,ij->i", first[:, at : at + EXACT_SUMS], second[:, at : at + EXACT_SUMS])
        for at in range(0, first.shape[1], EXACT_SUMS)
    ]
    return np.asarray(np.sum(parts, axis=0, dtype=np.float64))


def effective_sizes(rows: Array, medians: Array) -> Array:
    """The effective sample size of each row: how many independent values carry as much
    information."""
    sizes: Array = rows.shape[1] / autocorrelation_times(rows, medians)
    return sizes

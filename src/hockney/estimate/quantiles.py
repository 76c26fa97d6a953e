"""Quantiles, and distribution-free intervals for the median."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
LEAST_LAUNCHES = 5
"""Launches that an interval needs, whatever it is computed by: order statistics of four reach
87.5 %, and bootstrap intervals from two or three cover half or three quarters of the cases."""
FEW_RULE = f"no interval from fewer than {LEAST_LAUNCHES} launches"
"""Shown where one is missing."""
EXACT_UP_TO = 60
"""Values; beyond, the normal approximation of the binomial is as good (Hoefler & Belli 2015)."""
Z95 = 1.959964


@dataclass(frozen=True)
class Interval:
    low: float
    high: float
    confidence: float
    """The confidence reached; few values cannot give 95 %."""


def carries_interval(launches: int) -> bool:
    """Whether an interval may be given from so many launches (FEW_RULE): the one rule for medians,
    ratios, fits and predictions."""
    return launches >= LEAST_LAUNCHES


def median_interval(values: NDArray[np.float64]) -> Interval | None:
    """The 95 % confidence interval of the median: the narrowest pair of order statistics that has
    that confidence, or the whole range with the confidence that it has; None below five values.

    Order statistics k and n+1-k enclose the median with 1 - 2 P(Binomial(n, 1/2) < k), whatever
    the distribution. Five values have 93.75 % in all, and are called an interval; four, with
    87.5 %, are not.
    """
    n = len(values)
    if not carries_interval(n):
        return None
    ordered = np.sort(values)
    if n > EXACT_UP_TO:
        k = max(math.floor((n - Z95 * math.sqrt(n)) / 2.0), 1)
        return Interval(float(ordered[k - 1]), float(ordered[n - k]), CONFIDENCE)
    k, below, confidence = 1, 1.0, 1.0 - 2.0 * 0.5**n
    while True:
        below += math.comb(n, k)
        wider = 1.0 - 2.0 * below * 0.5**n
        if wider < CONFIDENCE:
            return Interval(float(ordered[k - 1]), float(ordered[n - k]), confidence)
        k, confidence = k + 1, wider


def autocorrelation_time(values: NDArray[np.float64]) -> float:
    """How many successive values are worth one independent value, for the median: at least 1.

    Integrated autocorrelation of the signs about the median, summed while successive pairs of lags
    stay positive (Geyer 1992). Signs are the median's own influence function, and no outlier can
    move them. The engine stops by the same rule (engine/precision.c).
    """
    n = len(values)
    signs = np.sign(values - np.median(values)).astype(np.int8)
    variance = int(np.count_nonzero(signs))
    if variance == 0:
        return 1.0
    time = 1.0
    for lag in range(1, max(n // 3 - 1, 1), 2):
        pair = _agreeing(signs, lag) + _agreeing(signs, lag + 1)
        if pair <= 0:
            break
        time += 2.0 * pair / variance
    return time


def _agreeing(signs: NDArray[np.int8], lag: int) -> int:
    """Pairs of equal signs at this lag less those of unlike ones. Not a dot product: a library's
    threads wait for each other far longer than this takes."""
    return int(np.sum(signs[:-lag] * signs[lag:], dtype=np.int64))


def effective_size(values: NDArray[np.float64]) -> float:
    """The effective sample size: how many independent values carry as much information."""
    return len(values) / autocorrelation_time(values) if len(values) else 0.0

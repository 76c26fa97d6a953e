"""95 % intervals from a bootstrap over launches, for few launches and few resamples."""

from __future__ import annotations

import math

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.estimate.interval import CONFIDENCE, Interval
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES, NORMAL_QUANTILES, launch_time

TAIL = 0.025
"""Probability beyond each limit."""
NORMAL = NORMAL_QUANTILES[CONFIDENCE]
"""The normal quantile that leaves TAIL above it."""
LEAST_RESAMPLES = round(1.0 / TAIL) - 1
"""Fewest resamples with a quantile at TAIL: of 39 values 2.5 % lie below the least."""


def worth(logs: Array) -> int:
    """How many independent launches these are worth, as many as a resample has: medians of more
    would scatter less than those of such launches do. logs: of each launch, in the order measured;
    where they follow each other, they count as fewer (estimate.quantiles.launch_time)."""
    n = len(logs)
    return max(round(n / launch_time(logs)), LEAST_LAUNCHES) if n > LEAST_LAUNCHES else n


def expansion(launches: int) -> float:
    """Factor by which the percentile interval of a bootstrap over so few launches is too narrow.

    The resampled variance lacks n / (n - 1), and the quantiles are normal ones instead of Student's
    with n - 1 degrees of freedom (Hesterberg 2015, The American Statistician 69). For five launches
    1.58, for 30 1.06."""
    from scipy.special import stdtrit

    n = launches
    return math.sqrt(n / (n - 1)) * float(stdtrit(n - 1, 1.0 - TAIL)) / NORMAL


def expanded_tail(launches: int) -> float:
    """The tail probability whose normal quantile is TAIL's times the expansion: for limits that
    are steps, such as sizes, and cannot be moved by a factor."""
    from scipy.special import ndtr

    return float(ndtr(-NORMAL * expansion(launches)))


def bootstrap_interval(value: float, resampled: Array, launches: int) -> Interval:
    """The 95 % interval about `value`, which lies in it; an end among infinite resamples is
    infinite.

    resampled: the value of each bootstrap resample, shape (resamples,). The distances of their
    2.5 % and 97.5 % quantiles from the value are expanded for the number of launches, as ratios
    where value and quantile are above 0, so that 1/beta has the limits of beta. From fewer than
    LEAST_RESAMPLES, which have no such quantiles, the distances are Student's quantile times their
    root mean square distance from the value.
    """
    if not np.isfinite(resampled).all() or len(resampled) >= LEAST_RESAMPLES:
        low, high = _quantiles(resampled)
    else:
        low, high = _by_spread(value, resampled)
    factor = expansion(launches)
    low, high = min(_moved(value, low, factor), value), max(_moved(value, high, factor), value)
    return Interval(-math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high)


def _quantiles(resampled: Array) -> tuple[float, float]:
    """Quantiles whose expected tails are TAIL: rank TAIL (n + 1) of n values."""
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(resampled, (TAIL, 1.0 - TAIL), method="weibull")
    return float(low), float(high)


def _by_spread(value: float, resampled: Array) -> tuple[float, float]:
    from scipy.special import stdtrit

    is_ratio = value > 0.0 and bool((resampled > 0.0).all())
    off = np.log(resampled / value) if is_ratio else resampled - value
    half = float(stdtrit(len(off), 1.0 - TAIL)) * math.sqrt(float((off**2).mean()))
    if is_ratio:
        return value * math.exp(-half), value * math.exp(half)
    return value - half, value + half


def _moved(value: float, limit: float, factor: float) -> float:
    """The limit, with its distance from the value times the factor. A limit at the bound 0 of a
    positive value stays there."""
    if not math.isfinite(limit) or (limit == 0.0 < value):
        return limit
    if value > 0.0 and limit > 0.0:
        return float(value * (limit / value) ** factor)
    return value + factor * (limit - value)

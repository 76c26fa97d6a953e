"""The test of an outlier: one value among its peers, such as one node's among all nodes.

A value's peers are the other values that are not far off by the median absolute deviation
(Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers). It is a new observation beside them,
judged by Student's t (the externally studentized residual).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.launches import MAD_TO_SIGMA
from hockney.infer.locate import likelihoods

LEAST_RATIO, SOUGHT = likelihoods.LEAST_RATIO, likelihoods.SOUGHT
SIGNIFICANCE = 0.01
LEAST_SPREAD = 0.01
"""Least spread of log times that is assumed; simulated times have no spread at all."""
LEAST_MEMBERS = 5
"""Peers that are needed to find an outlier among them."""
MOST_FRACTION = 0.25
"""Largest fraction of peers that can be outliers; of more, either kind may be the normal one."""
FAR = 4.0
"""Robust standard deviations from the median beyond which a value is no peer."""
MOST_FREEDOM = 20.0
"""Degrees of freedom at most: tails of times are heavier than normal ones."""
SURE = 2.0
"""Ratio from which on every fault must be visible for a gate to pass."""
POWER = 0.99
"""Probability with which a ratio must be found to be visible."""


EXACT = "exact, as it is simulated"


def p_words(p: float | None) -> str:
    """How sure an outlier is; p: None of simulated times, which no chance moves."""
    return EXACT if p is None else f"p = {p:.1g}"


def least_ratio(held: float) -> float:
    """Least ratio of an outlier where other processes held the CPUs of half of the ranks for that
    fraction of the time: more than what lacks its CPU for so long takes."""
    return max(LEAST_RATIO, 1.0 / (1.0 - min(held, 0.999)))


@dataclass(frozen=True)
class Tested:
    """Every value against its peers."""

    excess: Array
    """Shape (values,): log distance from the mean of its peers."""
    p: Array
    """Shape (values,): one-sided, not corrected for their number."""
    spread: float
    """The standard deviation of peers, and its degrees of freedom for one that is no peer."""
    freedom: float

    def beside(self, values: Array) -> Tested:
        """Tests other values, too few to have a spread of their own, by this spread. values: shape
        (n,), relative to their own centre."""
        from scipy.special import stdtr

        t = values / (self.spread * math.sqrt(1.0 + 1.0 / len(values)))
        return Tested(values, np.asarray(stdtr(self.freedom, -t)), self.spread, self.freedom)

    def least_found(self, tests: float, level: float, noise: float | None = None) -> float:
        """The ratio of times that is found with POWER where `tests` are made at this level.

        noise: the standard deviation of each value by chance, instead of the spread.
        """
        from scipy.special import ndtri, stdtrit

        spread = self.spread if noise is None else max(noise, 0.0)
        t = -float(stdtrit(self.freedom, level / max(tests, 1.0)))
        return math.exp(min(spread * (t + float(ndtri(POWER))), 50.0))


def tested(values: Array) -> Tested:
    """Tests every value against its peers. values: shape (n,), logarithms of times, n at least
    3."""
    from scipy.special import stdtr

    away = np.abs(values - np.median(values))
    typical = max(MAD_TO_SIGMA * float(np.median(away)), LEAST_SPREAD)
    is_peer = away <= FAR * typical
    centre, spread, peers = _beside_itself(values, is_peer)
    spread = np.maximum(spread, LEAST_SPREAD)
    t = (values - centre) / (spread * np.sqrt(1.0 + 1.0 / peers))
    p = stdtr(np.clip(peers - 1.0, 1.0, MOST_FREEDOM), -t)
    usual = float(np.median(spread[is_peer])) if is_peer.any() else LEAST_SPREAD
    freedom = float(np.clip(is_peer.sum() - 1, 1, MOST_FREEDOM))
    return Tested(values - centre, np.asarray(p), usual, freedom)


def slower_kind(values: Array, least: float = math.log(LEAST_RATIO)) -> Whole:
    """The places of the larger values where they are of two kinds, each with more than
    MOST_FRACTION of them: neither is an outlier of the other. Empty where they are not. least: the
    least distance of two kinds."""
    from scipy.special import stdtrit

    order = np.argsort(values)
    ranked = values[order]
    fewest = int(MOST_FRACTION * len(values)) + 1
    splits = np.arange(fewest, len(values) - fewest + 1)
    if not len(splits):
        return splits
    gaps = ranked[splits] - ranked[splits - 1]
    first = int(splits[gaps.argmax()])
    low, high = ranked[:first], ranked[first:]
    away = np.concatenate([low - low.mean(), high - high.mean()])
    spread = max(math.sqrt(float((away**2).sum()) / (len(away) - 2)), LEAST_SPREAD)
    far = max(FAR, float(stdtrit(len(away) - 2, 1.0 - SIGNIFICANCE / len(away))))
    is_apart = gaps.max() > max(least, far * spread)
    return order[first:] if is_apart else order[:0]


def _beside_itself(values: Array, is_peer: Flags) -> tuple[Array, Array, Array]:
    """Mean, standard deviation and number of each value's peers, without the value itself."""
    own = np.where(is_peer, values - values[is_peer].mean(), 0.0)
    peers = is_peer.sum() - is_peer.astype(np.float64)
    mean = (own.sum() - own) / peers
    squares = (own**2).sum() - own**2 - peers * mean**2
    spread = np.sqrt(np.maximum(squares, 0.0) / np.maximum(peers - 1.0, 1.0))
    return mean + values[is_peer].mean(), spread, peers


def effective(values: Array) -> float:
    """Number of independent looks among several, by their correlation (Li and Ji 2005, Heredity 95,
    doi 10.1038/sj.hdy.6800717). values: shape (looks, units)."""
    scatter = values - values.mean(axis=1, keepdims=True)
    norms = np.sqrt((scatter**2).sum(axis=1))
    if len(values) < 2 or not norms.all():
        return float(len(values))
    scatter /= norms[:, None]
    each = np.abs(np.linalg.eigvalsh(scatter @ scatter.T))
    return float(((each >= 1.0 - 1e-9) + each - np.floor(each + 1e-9)).clip(0.0).sum())

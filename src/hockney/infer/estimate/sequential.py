"""Repeated tests of growing data, with the error rate of a single test.

At each look, the level that may be used follows from a spending function of the fraction of the
budget that is spent (Lan and DeMets, Biometrika 70, 1983, 659-663), here the one that resembles
O'Brien's and Fleming's boundaries: alpha(t) = 4 - 4 Phi(z / sqrt(t)), with z the normal quantile of
1 - alpha / 4. It spends little early, so that the last look has nearly the whole level. Where few
looks decide what is measured further, the level is spent evenly: alpha(t) = t alpha.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from hockney.infer.arrays import Array

NORMAL = NormalDist()
EDGE, POINTS = 7.0, 1001
"""Half-width, in standard deviations of the last sum, and points of the grid for its density."""


def spent(alpha: float, fraction: float) -> float:
    """The error rate that may have been used up to a fraction of the budget."""
    if fraction <= 0.0:
        return 0.0
    z = NORMAL.inv_cdf(1.0 - alpha / 4.0)
    return 4.0 * NORMAL.cdf(-z / math.sqrt(min(fraction, 1.0)))


def spent_evenly(alpha: float, fraction: float) -> float:
    """The error rate that may have been used, in proportion to the fraction of the budget."""
    return alpha * max(min(fraction, 1.0), 0.0)


def level_of_look(alpha: float, looks: Sequence[float]) -> float:
    """The two-sided level of the test at the last of these looks, at ascending fractions of the
    budget, so that all looks together err with a probability of `alpha` at most.

    The sum of the observations is followed from look to look by numerical integration (Armitage,
    McPherson and Rowe, J. R. Stat. Soc. A 132, 1969, 235-244)."""
    at = tuple(dict.fromkeys(min(look, 1.0) for look in looks))
    return _level(alpha, at, at, spent)


def level_of_counts(alpha: float, looks: Sequence[float], counts: Sequence[int]) -> float:
    """The two-sided level at the last look, as level_of_look(), with the error rate spent evenly.
    counts: observations at each look, which alone determine how looks depend on each other."""
    information = tuple(count / counts[-1] for count in counts)
    return _level(alpha, tuple(min(look, 1.0) for look in looks), information, spent_evenly)


@lru_cache(maxsize=256)
def _level(
    alpha: float,
    times: tuple[float, ...],
    looks: tuple[float, ...],
    spent: Callable[[float, float], float],
) -> float:
    """The level at the last look. times: fractions of the budget; looks: fractions of the
    observations."""
    grid = np.linspace(-EDGE, EDGE, POINTS)
    step = float(grid[1] - grid[0])
    density = _normal(grid, looks[0])
    limit = math.inf
    for number, fraction in enumerate(looks):
        before = looks[number - 1] if number else 0.0
        may = spent(alpha, times[number]) - (spent(alpha, times[number - 1]) if number else 0.0)
        if number:
            moves = _normal(grid[:, None] - grid[None, :], fraction - before)
            density = moves @ density * step
        limit = _limit(grid, density * step, may)
        density = np.where(np.abs(grid) < limit, density, 0.0)
    return 2.0 * NORMAL.cdf(-limit / math.sqrt(looks[-1]))


def _normal(x: Array, variance: float) -> Array:
    return np.exp(-0.5 * x**2 / variance) / math.sqrt(2.0 * math.pi * variance)


def _limit(grid: Array, mass: Array, to_spend: float) -> float:
    """The limit beyond which both tails together hold `to_spend`; infinite if that is nothing."""
    half, step = len(grid) // 2, float(grid[1] - grid[0])
    beyond = np.cumsum(mass[::-1])[: half + 1][::-1] + np.cumsum(mass)[: half + 1][::-1]
    if to_spend <= max(float(beyond[-1]), 1e-15):
        return math.inf
    edges = grid[half:] - step / 2.0
    return float(np.interp(-math.log(to_spend), -np.log(np.maximum(beyond, 1e-300)), edges))

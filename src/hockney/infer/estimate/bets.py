"""Bets that a level changed: what each is worth after a look, and when the change began.

A bet on innovations, in standard deviations, gains nothing on average while nothing changes.
"""

from __future__ import annotations

import math

import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.noise_models import GAIN

STEADY = np.array([0.25, 0.5, 1.0, 2.0])
"""Bets on innovations that are all larger, in standard deviations."""
SUDDEN = np.array([1.5, 3.0, 6.0])
"""Bets on a jump of the level, which shows in full once and then times the gain."""
LARGEST_BET = 2.5
MOST = 1e30
"""Cap of the evidence."""
UNSURE = 1.5
"""Standard errors by which the usual level itself may be wrong."""


def no_evidence(series: int) -> Array:
    """Shape (signs, bets, series, models)."""
    return np.zeros((2, len(STEADY) + len(SUDDEN), series, len(GAIN)))


def place_bets(sums: Array, z: Array, n: Whole) -> None:
    """Adds what a look shows to the evidence of a change, summed over every look at which it may
    have begun. z: innovations of each series under each model; n: looks that made the level."""
    unsure = UNSURE / np.sqrt(n)[:, None]
    signed = np.stack([z, -z])[:, None] - unsure
    steady = STEADY[:, None, None]
    first = np.minimum(SUDDEN, LARGEST_BET)[:, None, None]
    later = np.minimum(SUDDEN[:, None, None] * GAIN, LARGEST_BET)
    held = np.exp(steady * signed - 0.5 * steady**2)
    sums[:, : len(STEADY)] = (sums[:, : len(STEADY)] + 1.0) * held
    sudden = sums[:, len(STEADY) :] * np.exp(later * signed - 0.5 * later**2)
    sums[:, len(STEADY) :] = sudden + np.exp(first * signed - 0.5 * first**2)
    np.minimum(sums, MOST, out=sums)


def starts_of(z: Array, n: int, model: int) -> tuple[int, Whole]:
    """The likeliest first look of a change, and all that are at most 20 times less likely."""
    unsure, gain = UNSURE / math.sqrt(n), GAIN[model]
    likely = []
    for sign in (1.0, -1.0):
        signed = sign * z - unsure
        for bet in STEADY:
            likely.append(_tails(bet * signed - 0.5 * bet**2))
        for bet in SUDDEN:
            first, later = min(bet, LARGEST_BET), min(bet * gain, LARGEST_BET)
            tails = _tails(later * signed - 0.5 * later**2)
            after = np.append(tails[1:], 0.0)
            likely.append(first * signed - 0.5 * first**2 + after)
    score = np.logaddexp.reduce(np.array(likely), axis=0)
    at = int(score.argmax())
    return at, np.flatnonzero(score >= score[at] - math.log(20.0))


def _tails(gains: Array) -> Array:
    return np.asarray(np.cumsum(gains[::-1])[::-1])

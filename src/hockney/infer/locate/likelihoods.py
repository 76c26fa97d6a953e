"""Likelihoods of the times that passed a part of a network, if it is slow, sound or loses messages,
over those of noise alone (Student's t with three degrees of freedom)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array

FREEDOM = 3.0
"""Degrees of freedom of the noise."""
QUARTILE = 0.7649
"""The upper quartile of Student's t with three degrees of freedom."""
LEAST_SCALE = 0.01
"""Least scale of the noise of log times that is assumed; simulated times have none."""
LEAST_RATIO = 1.10
"""Least ratio of what is slow: cables, distances and counters cause smaller differences."""
SOUGHT = 1.2
"""Ratio from which on a slow node must be visible above noise, which its many pairs average."""
SLOW = np.log([LEAST_RATIO, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.7, 2.0, 2.5, 3.5, 5.0, 10.0])
"""Slowness of a fault, each as likely as another."""
SOUND = np.array([0.0, 0.75, 1.5, 2.25, 3.0])
"""Slowness of sound parts, in standard deviations of these."""
SPREADS = (0.01, 0.03)
"""Least and largest standard deviation of sound parts' log times that is assumed; differences of
three of them are no fault yet."""
LOST = np.array([0.1, 0.3, 0.6, 0.99])
"""Fractions of slow messages of a part that loses some; the last one is that of a part which slows
down all, but each by another factor, as load does."""
LOST_LEAST, LOST_MOST = math.log(1.3), math.log(100.0)
"""Slowness of a lost message, any logarithm between these as likely as another."""
LOSSES = 0.2
"""Part of all faults that lose messages or slow them down by different factors, by assumption."""
LEAST_DISTURBED = 1e-4
"""Least fraction of times that something else slowed down by far."""


@dataclass(frozen=True)
class TimeNoise:
    """The noise of times of one size."""

    scale: float
    """Scale of Student's t for one time's logarithm."""
    spread: float
    """Standard deviation of sound parts."""
    disturbed: float
    """Fraction of times that something else slowed down by far."""


@dataclass(frozen=True)
class PartLikelihoods:
    """Sums of log likelihoods, over those of noise alone."""

    columns: Array
    """Shape (parts, n): by SLOW, then by SOUND, then by LOST."""

    @property
    def slow(self) -> Array:
        return self.columns[:, : len(SLOW)]

    @property
    def sound(self) -> Array:
        """Of a sound part: averaged over its difference from the others."""
        prior = -0.5 * SOUND**2
        each = self.columns[:, len(SLOW) : len(SLOW) + len(SOUND)]
        return log_mean(each + prior) - log_mean(prior[None, :])

    @property
    def lost(self) -> Array:
        return self.columns[:, -len(LOST) :]

    @property
    def sought(self) -> Array:
        return log_mean(self.slow[:, math.log(SOUGHT) - 1e-9 <= SLOW]) - self.sound


def log_t(z: Array) -> Array:
    return -(FREEDOM + 1.0) / 2.0 * np.log1p(z * z / FREEDOM)


def noise_of(times: Array, spread_of: Callable[[Array, float], float]) -> TimeNoise:
    known = times[~np.isnan(times)]
    if not len(known):
        return TimeNoise(LEAST_SCALE, SPREADS[0], LEAST_DISTURBED)
    scale = max(float(np.median(np.abs(known))) / QUARTILE, LEAST_SCALE)
    disturbed = max(float((known > LOST_LEAST).mean()), LEAST_DISTURBED)
    return TimeNoise(scale, spread_of(times, scale), disturbed)


def log_likelihoods(times: Array, weight: Array, noise: TimeNoise) -> Array:
    """Shape (times, SLOW, SOUND and LOST): of each time alone, over that of noise; 0 for NaN."""
    times, weight = times.astype(np.float32), weight.astype(np.float32)
    constant = 2.0 / (math.pi * math.sqrt(FREEDOM)) / noise.scale
    is_far = (times > LOST_LEAST) & (times < LOST_MOST)
    far = np.where(is_far, np.float32(1.0 / (LOST_MOST - LOST_LEAST)), np.float32(0.0))[:, None]

    def density(shifts: NDArray[np.float32]) -> Array:
        """Including times that something else slowed down."""
        z = (times[:, None] - weight[:, None] * shifts) / noise.scale
        own = constant / np.square(1.0 + z * z / FREEDOM)
        return np.asarray((1.0 - noise.disturbed) * own + noise.disturbed * far)

    usual = density(np.zeros(1, np.float32))
    shifts = np.concatenate([SLOW, SOUND * noise.spread]).astype(np.float32)
    shifted = density(shifts) / usual
    part = LOST.astype(np.float32) * weight[:, None]
    ratios = np.concatenate([shifted, (1.0 - part) + part * (far / usual)], axis=1)
    return np.asarray(np.nan_to_num(np.log(ratios)))


def likelihoods_of(times: Array, weight: Array, noise: TimeNoise) -> PartLikelihoods:
    """Those of one part, from the times of its observations."""
    each = log_likelihoods(times, weight, noise)
    return PartLikelihoods(each.sum(axis=0, dtype=np.float64)[None, :])


def of_slow_or_lost(likely: PartLikelihoods) -> Array:
    """Shape (parts,): of a fault over a sound part."""
    every = np.concatenate(
        [
            likely.slow + math.log((1.0 - LOSSES) / len(SLOW)),
            likely.lost + math.log(LOSSES / len(LOST)),
        ],
        axis=1,
    )
    return _log_sum(every) - likely.sound


def differs_by_message(likely: PartLikelihoods) -> bool:
    """Whether a part slows down each message by another factor, or only some."""
    return bool(log_mean(likely.lost)[0] > log_mean(likely.slow)[0])


def _log_sum(values: Array) -> Array:
    """The logarithm of the sum of exp(values) of each row. scipy.special.logsumexp takes 1.5 times
    as long for all parts at once, and 30 times for one part."""
    most = values.max(axis=1, keepdims=True)
    return np.asarray((most + np.log(np.exp(values - most).sum(axis=1, keepdims=True)))[:, 0])


def log_mean(values: Array) -> Array:
    return _log_sum(values) - math.log(values.shape[1])

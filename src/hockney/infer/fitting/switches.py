"""Locates the switch between two lines of a curve, from a launch around it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.fitting.fit import Curve, Fit
from hockney.infer.fitting.likelihood import criterion, deviance, weights
from hockney.infer.fitting.line import weighted_line
from hockney.infer.fitting.partition import LEAST_SIZES
from hockney.infer.fitting.smooth import least_criterion

CHI_SQUARED_99 = 6.635
"""Largest deviance above the least at which a position of the switch is possible."""
_ROUNDS = 2
"""Rounds of weighting outliers less."""


@dataclass(frozen=True)
class Bracket:
    """A switch between two neighbouring lines: low_bytes is the last known size on the lower line,
    high_bytes the first on the upper one."""

    low_bytes: int
    high_bytes: int
    jump: float | None = None
    """Relative jump of the time at the switch."""

    @property
    def is_exact(self) -> bool:
        return self.high_bytes - self.low_bytes == 1


def brackets_of(fit: Fit) -> list[Bracket]:
    """The brackets between the segments of a segmented fit."""
    return [Bracket(a.to_bytes, b.from_bytes) for a, b in pairwise(fit.segments)]


def narrowed(curve: Curve) -> Bracket | None:
    """The switch inside a curve that holds one: all places between two sizes that explain the times
    about as well as the best one. None where one line, or a smooth curve, explains them better.

    Two lines with a jump between, by residuals ln T taken as Student's t; the curve needs sizes
    enough on both sides.
    """
    bytes_, seconds = curve.bytes, curve.median_s
    splits = range(LEAST_SIZES, len(bytes_) - LEAST_SIZES + 1)
    if not splits:
        return None
    deviances = np.array([deviance(_two_lines(bytes_, seconds, split)) for split in splits])
    best = _two_lines(bytes_, seconds, splits[int(deviances.argmin())])
    lines, line = criterion(best, 5), criterion(_line(bytes_, seconds), 2)
    if lines is None or line is None or lines >= min(line, least_criterion(bytes_, seconds)):
        return None
    (possible,) = np.nonzero(deviances <= deviances.min() + CHI_SQUARED_99)
    first, last = splits[int(possible[0])], splits[int(possible[-1])]
    jump = _jump(bytes_, seconds, splits[int(deviances.argmin())])
    return Bracket(int(bytes_[first - 1]), int(bytes_[last]), jump)


def _two_lines(bytes_: Array, seconds: Array, split: int) -> Array:
    """ln residuals of two lines, before `split` and from it on."""
    parts = slice(None, split), slice(split, None)
    return np.concatenate([_line(bytes_[part], seconds[part]) for part in parts])


def _line(bytes_: Array, seconds: Array) -> Array:
    """ln residuals of the most likely line. It is unbounded: beyond a kink its value at 0 bytes may
    be negative."""
    weight = np.ones_like(seconds)
    for _ in range(_ROUNDS + 1):
        residuals = np.log(seconds / np.maximum(_on_line(bytes_, seconds, weight), 1e-3 * seconds))
        weight = weights(residuals)
    return residuals


def _on_line(bytes_: Array, seconds: Array, weight: Array, at: Array | None = None) -> Array:
    """Times on the line of least squares of relative residuals, at its sizes or at others."""
    relative = (weight / seconds**2)[None, :]
    alpha, beta = weighted_line(bytes_, seconds[None, :], relative, bounded=False)
    return np.asarray(alpha + beta * (bytes_ if at is None else at))


def _jump(bytes_: Array, seconds: Array, split: int) -> float:
    """Relative jump between both lines at the middle of the sizes beside the switch."""
    middle = np.array([0.5 * (bytes_[split - 1] + bytes_[split])])
    below, above = (
        float(_on_line(bytes_[part], seconds[part], np.ones_like(seconds[part]), middle)[0])
        for part in (slice(None, split), slice(split, None))
    )
    return above / below - 1.0

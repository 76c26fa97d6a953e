"""What every model is fitted to, and what every fit gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hockney.errors import AskedWronglyError
from hockney.estimate.points import PointEstimate

RESAMPLES = 200
SEED = 20
"""Resampling is repeatable: the same file gives the same intervals."""


@dataclass(frozen=True)
class Curve:
    """Time against size of one operation in one state.

    bytes: shape (sizes,), ascending; seconds: shape (launches, sizes), each launch's median, NaN
    where a launch has none.
    """

    bytes: NDArray[np.float64]
    seconds: NDArray[np.float64]

    @property
    def median_s(self) -> NDArray[np.float64]:
        """Over launches, shape (sizes,)."""
        return np.asarray(np.nanmedian(self.seconds, axis=0), dtype=np.float64)

    def resampled(self, resamples: int = RESAMPLES) -> NDArray[np.float64]:
        """Medians over launches drawn with replacement, shape (resamples, sizes)."""
        launches = len(self.seconds)
        draws = np.random.default_rng(SEED).integers(launches, size=(resamples, launches))
        medians = np.nanmedian(self.seconds[draws], axis=1)
        return np.where(np.isnan(medians), self.median_s, medians)


def curve_of(points: Sequence[PointEstimate]) -> Curve:
    """The curve through points of one operation and state; each at its own size."""
    ordered = sorted(points, key=lambda point: point.bytes)
    numbers = sorted({number for point in ordered for number in point.launch_numbers})
    seconds = np.full((len(numbers), len(ordered)), np.nan)
    for column, point in enumerate(ordered):
        for number, median in zip(point.launch_numbers, point.medians_s, strict=True):
            seconds[numbers.index(number), column] = median
    curve = Curve(np.array([float(point.bytes) for point in ordered]), seconds)
    bad = [point.bytes for point in ordered if not point.median_s > 0.0]
    if bad:
        raise AskedWronglyError(
            f"a time of zero or below at {bad[0]} bytes: nothing can be fitted through it",
            "the clock was too coarse for a single exchange; measure in batches",
        )
    return curve


@dataclass(frozen=True)
class Parameter:
    """A fitted value with its 95 % interval by resampling launches; None with fewer than two."""

    value: float | None
    low: float | None = None
    high: float | None = None


def parameter(value: float | None, resampled: NDArray[np.float64], launches: int) -> Parameter:
    if launches < 2 or value is None:
        return Parameter(value)
    low, high = (float(limit) for limit in np.quantile(resampled, (0.025, 0.975)))
    return Parameter(value, low if np.isfinite(low) else None, high if np.isfinite(high) else None)


@dataclass(frozen=True)
class Segment:
    from_bytes: int
    to_bytes: int
    alpha_s: float
    beta_s_per_B: float


@dataclass(frozen=True)
class Fit:
    """A model through a curve. Errors are relative: |T - predicted| / T."""

    model: str
    parameters: dict[str, Parameter]
    derived: dict[str, Parameter]
    predict: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    residuals: NDArray[np.float64]
    error_median: float
    error_max: float
    error_max_bytes: int
    launches: int
    criterion: float | None = None
    segments: tuple[Segment, ...] = ()
    notes: tuple[str, ...] = field(default=())


def relative_residuals(
    curve: Curve, predict: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """(T - predicted) / T at each size."""
    median = curve.median_s
    return np.asarray((median - predict(curve.bytes)) / median, dtype=np.float64)

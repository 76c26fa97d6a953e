"""The curve that models are fitted to, and the fit that they return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.points import PointEstimate, statistic_of
from hockney.infer.estimate.quantiles import FEW_RULE, carries_interval
from hockney.infer.estimate.summaries import FROM_BANDWIDTH
from hockney.infer.fitting.bootstrap import bootstrap_interval, worth
from hockney.infer.fitting.likelihood import criterion
from hockney.infer.fitting.smooth import Curved
from hockney.plan.trains import Train

RESAMPLES = 200
SEED = 20
"""Seed of the bootstrap: the same file gives the same intervals."""

OVER_LAUNCHES: dict[str, Callable[..., Any]] = {
    "median": np.nanmedian,
    "mean": np.nanmean,
    "min": np.nanmin,
}


@dataclass(frozen=True)
class Curve:
    """One-way time of one operation in one state, at each point of size and, where several pairs
    or threads exchanged messages at once, of their number.

    bytes: shape (points,), ascending; seconds: shape (launches, points), each launch's median, NaN
    where a launch has none. pairs: how many pairs or threads at once, shape (points,), None for
    one.
    repetitions: exchanges timed together, shape (points,), None where that is not known. trains:
    what each point is a train of, where the times are of whole trains of messages.
    """

    bytes: Array
    seconds: Array
    pairs: Array | None = None
    repetitions: Array | None = None
    trains: tuple[Train, ...] | None = None
    statistic: str = "median"
    """The statistic of each launch's times."""
    over_launches: str = "median"
    """How the launches, or the tables of a log, are combined: one of OVER_LAUNCHES."""

    @property
    def median_s(self) -> Array:
        """One time per point, shape (points,): the median over launches, or what `over_launches`
        names."""
        return self._over(self.seconds)

    def _over(self, seconds: Array) -> Array:
        """One time per column of `seconds` over the launches; NaN where no launch has the point."""
        unknown = np.isnan(seconds)
        if self.over_launches == "median" and not unknown.any():
            return np.asarray(np.median(seconds, axis=0), dtype=np.float64)  # far faster
        known = ~unknown.all(axis=0)
        times = np.full(seconds.shape[1], np.nan)
        times[known] = OVER_LAUNCHES[self.over_launches](seconds[:, known], axis=0)
        return times

    @property
    def launches(self) -> int:
        return len(self.seconds)

    @property
    def sizes(self) -> int:
        """The number of different sizes."""
        return len(np.unique(self.bytes))

    @property
    def worth(self) -> int:
        """How many independent launches these are worth, each by the mean over its points of the
        logarithm of its time over the median. The relation of a log's tables is unknown."""
        if self.over_launches != "median":
            return self.launches
        logs = np.log(self.seconds / self.median_s)
        known = ~np.isnan(logs)
        counts = known.sum(axis=1)
        means = np.where(known, logs, 0.0).sum(axis=1)[counts > 0] / counts[counts > 0]
        return worth(means)

    def draws(self, resamples: int) -> Iterator[Whole]:
        """Launches drawn with replacement, as many as these are worth."""
        return drawn(self.launches, self.worth, resamples)

    def resampled(self, resamples: int = RESAMPLES) -> Array:
        """Medians over launches drawn with replacement, shape (resamples, points); no rows where
        there are too few launches for an interval, nor for minima, which a bootstrap cannot bound
        (Bickel & Freedman 1981, Annals of Statistics 9)."""
        if not carries_interval(self.launches) or self.over_launches == "min":
            resamples = 0
        median = self.median_s
        medians = np.empty((resamples, len(median)))
        for row, draw in enumerate(self.draws(resamples)):
            medians[row] = self._over(self.seconds[draw])
        return np.where(np.isnan(medians), median, medians)

    def at(self, points: Flags) -> Curve:
        """The curve of the chosen points."""
        return Curve(
            self.bytes[points],
            self.seconds[:, points],
            None if self.pairs is None else self.pairs[points],
            None if self.repetitions is None else self.repetitions[points],
            None if self.trains is None else tuple(compress(self.trains, points)),
            self.statistic,
            self.over_launches,
        )


def drawn(launches: int, worth: int, resamples: int) -> Iterator[Whole]:
    """Launches drawn with replacement, so many at a time as they are worth (Curve.worth); one draw
    after the other, to save memory."""
    chance = np.random.default_rng(SEED)
    for _ in range(resamples):
        yield chance.integers(launches, size=min(worth, launches))


def curve_of(points: Sequence[PointEstimate]) -> Curve:
    """The curve through points of one operation and state, with their pairs and repetitions where
    all points know them. A launch whose median is not above 0 counts as a launch without that
    point."""
    ordered = sorted(points, key=lambda point: (point.bytes, at_once(point) or 1))
    numbers = sorted({number for point in ordered for number in point.launch_numbers})
    rows = {number: row for row, number in enumerate(numbers)}
    seconds = np.full((len(numbers), len(ordered)), np.nan)
    for column, point in enumerate(ordered):
        for number, median in point.by_launch.items():
            if median > 0.0:
                seconds[rows[number], column] = median
    bad = [point.bytes for point in ordered if not point.typical_s > 0.0]
    if bad:
        raise _not_positive(bad[0])
    trains = tuple(point.train for point in ordered if point.train is not None)
    if trains and len(trains) != len(ordered):
        raise UsageError("only some of these times are of trains of messages")
    return Curve(
        np.array([float(point.bytes) for point in ordered]),
        seconds,
        _known([at_once(point) for point in ordered]),
        _known([point.repetitions for point in ordered]),
        trains or None,
        statistic_of(ordered),
    )


def at_once(point: PointEstimate) -> int | None:
    """The number of pairs, or of threads, that a curve varies; None if it varies neither."""
    return point.threads if point.is_over_threads else point.pairs if point.is_all_pairs else None


def _known(counts: Sequence[int | None]) -> Array | None:
    known = [float(count) for count in counts if count is not None]
    return np.array(known) if known and len(known) == len(counts) else None


def curve_of_arrays(
    bytes: ArrayLike,
    seconds: ArrayLike,
    pairs: ArrayLike | None = None,
    repetitions: ArrayLike | None = None,
) -> Curve:
    """The curve through plain numbers, in any order.

    bytes, pairs, repetitions: shape (points,); seconds: one-way times, shape (points,) or
    (launches, points), NaN where a launch has none.
    """
    x, t = np.asarray(bytes, dtype=np.float64), np.atleast_2d(np.asarray(seconds, dtype=np.float64))
    columns = {"bytes": x}
    columns |= {
        name: np.asarray(values, dtype=np.float64)
        for name, values in (("pairs", pairs), ("repetitions", repetitions))
        if values is not None
    }
    for name, values in columns.items():
        if values.shape != (t.shape[-1],):
            raise UsageError(
                f"{t.shape[-1]} times, but {name} has shape {values.shape}: one each is needed"
            )
        least = 0.0 if name == "bytes" else 1.0
        bad = values[~((values >= least) & np.isfinite(values))]
        if len(bad):
            raise UsageError(f"{name}: {bad[0]:g} is invalid; at least {least:g} is needed")
    wrong = ~((t > 0.0) | np.isnan(t)) | np.isinf(t)
    if wrong.any() or np.isnan(t).all(axis=0).any():
        raise _not_positive(int(x[(wrong.any(axis=0) | np.isnan(t).all(axis=0)).argmax()]))
    order = np.argsort(x, kind="stable")
    return Curve(
        x[order],
        t[:, order],
        columns["pairs"][order] if pairs is not None else None,
        columns["repetitions"][order] if repetitions is not None else None,
    )


def _not_positive(size: int) -> UsageError:
    return UsageError(
        f"a time of zero or below at {size} bytes, or none: nothing can be fitted through it",
        "the clock was too coarse for a single exchange; measure in batches",
    )


def lacks_sizes(curve: Curve, least: int) -> str | None:
    """Why a curve does not suit a model of one pair with so many different sizes; None if it
    does."""
    if curve.trains is not None:
        return "these times are of trains of messages"
    if curve.pairs is not None and len(np.unique(curve.pairs)) > 1:
        return (
            f"these times are of {curve.pairs.min():.0f} to {curve.pairs.max():.0f} pairs or "
            "threads at once"
        )
    return too_few_sizes(curve, least)


def too_few_sizes(curve: Curve, least: int) -> str | None:
    if curve.sizes >= least:
        return None
    return f"there {'is' if curve.sizes == 1 else 'are'} {curve.sizes or 'none'}"


def require(model: str, data: str, lacking: str | None, advice: str) -> None:
    """Raises UsageError with what a model needs if the data lack it."""
    if lacking:
        raise UsageError(f"{model} needs {data}; {lacking}", advice)


@dataclass(frozen=True)
class Parameter:
    """A fitted value with its 95 % bootstrap interval over launches (`bootstrap_interval`). The
    interval is None with too few launches (FEW_RULE); the value is None if the data do not
    determine it."""

    value: float | None
    interval: Interval | None = None


def parameter(value: float | None, resampled: Array, launches: int) -> Parameter:
    """The parameter with its interval from values of bootstrap resamples over launches
    (`bootstrap_interval`). No interval from too few launches, nor where neither end is finite."""
    if not carries_interval(launches) or value is None or not len(resampled):
        return Parameter(value)
    interval = bootstrap_interval(value, resampled, launches)
    return Parameter(value, interval if interval.is_known else None)


@dataclass(frozen=True)
class Segment:
    """One protocol's line, over the measured sizes from_bytes to to_bytes, inclusive. If the times
    bend, alpha and beta are of the best line and `curve` has the times."""

    from_bytes: int
    to_bytes: int
    alpha_s: float
    beta_s_per_B: float
    alpha_interval: Interval | None = None
    beta_interval: Interval | None = None
    """The intervals of both; None as for a Parameter."""
    curve: Curved | None = None
    """The smooth curve; None for a line."""

    def seconds(self, bytes_: Array) -> Array:
        """Times of these sizes. A curve continues above its largest size as its tangent there."""
        if self.curve is None:
            return self.alpha_s + self.beta_s_per_B * bytes_
        return self.curve.seconds(bytes_, float(self.to_bytes))


Predict = Callable[..., Array]
"""One-way seconds for (bytes, pairs, repetitions), arrays of one shape; models ignore what they do
not use. LogGP's takes (bytes, trains)."""


@dataclass(frozen=True)
class Fit:
    """A model through a curve. Errors are relative: |T - predicted| / T."""

    model: str
    parameters: dict[str, Parameter]
    derived: dict[str, Parameter]
    predict: Predict
    residuals: Array
    """(T - predicted) / T at each point that was fitted."""
    error_median: float | None
    """Median relative error; None, as error_max, if all points are fitted exactly because there are
    no more of them than fitted numbers."""
    error_max: float | None
    error_max_bytes: int
    launches: int
    criterion: float | None = None
    """likelihood.criterion; lower is better among fits of the same points."""
    segments: tuple[Segment, ...] = ()
    notes: tuple[str, ...] = field(default=())


def predicted_s(predict: Predict, curve: Curve) -> Array:
    """Predicted times at the curve's points."""
    if curve.trains is not None:
        return predict(curve.bytes, curve.trains)
    more = [values for values in (curve.pairs, curve.repetitions) if values is not None]
    return predict(curve.bytes, *more)


def new_fit(
    model: str,
    curve: Curve,
    predict: Predict,
    parameters: dict[str, Parameter],
    derived: dict[str, Parameter],
    free: int,
    segments: tuple[Segment, ...] = (),
    notes: Sequence[str] = (),
) -> Fit:
    """The fit with its errors and criterion; free: number of fitted numbers."""
    median = curve.median_s
    predicted = predicted_s(predict, curve)
    residuals = np.asarray((median - predicted) / median, dtype=np.float64)
    errors = np.abs(residuals)
    positive = bool((predicted > 0.0).all())
    tells = len(errors) > free
    return Fit(
        model=model,
        parameters=parameters,
        derived=derived,
        predict=predict,
        residuals=residuals,
        error_median=float(np.median(errors)) if tells else None,
        error_max=float(errors.max()) if tells else None,
        error_max_bytes=int(curve.bytes[errors.argmax()]),
        launches=curve.launches,
        criterion=criterion(np.log(median / predicted), free) if positive else None,
        segments=segments,
        notes=(*notes, *_statistic_notes(curve), *few_launches_notes(curve.launches)),
    )


def few_launches_notes(launches: int) -> list[str]:
    """A note why there are no intervals, if there are none."""
    if carries_interval(launches):
        return []
    return [f"{FEW_RULE}; there {'is' if launches == 1 else 'are'} {launches}"]


def _statistic_notes(curve: Curve) -> list[str]:
    if curve.statistic == FROM_BANDWIDTH:
        return [f"times are {FROM_BANDWIDTH} of a stream: alpha is a gap in it, not a latency"]
    notes = [] if curve.statistic == "median" else [f"through each launch's {curve.statistic}"]
    if curve.over_launches != "median":
        notes.append(f"through the {curve.over_launches} over launches")
    if curve.over_launches == "min" and carries_interval(curve.launches):
        notes.append("no interval: a bootstrap gives none for a minimum")
    return notes

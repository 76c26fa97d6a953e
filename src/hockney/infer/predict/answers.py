"""What is predicted from one run. Messages of measured sizes need no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hockney.base.errors import UsageError
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import Parameter
from hockney.infer.predict.costs import Measured
from hockney.infer.predict.fitted_channel import channel_of, check_one_curve, shown_points
from hockney.infer.predict.patterns import MESSAGE, Pattern, Prediction, predict


@dataclass(frozen=True)
class Answers:
    """The predictions from one run."""

    predictions: tuple[Prediction, ...]
    model: str | None = None
    """None where the run allows no model, so that only measured sizes have an answer."""
    notes: tuple[str, ...] = ()
    """Notes on the fit of the model."""
    refused: tuple[Pattern, ...] = ()
    """Patterns that need a model, where there is none."""
    why: UsageError | None = None
    """Why there is none."""


def answers_of(
    points: Sequence[PointEstimate],
    patterns: Sequence[Pattern],
    model: str | None = None,
    factors: Mapping[str, float] | None = None,
) -> Answers:
    """The predictions of patterns. model: None for the most detailed that the points allow;
    factors: those of --what-if by term. Raises UsageError if nothing has an answer."""
    check_one_curve(points)
    try:
        channel = channel_of(points, model).scaled(factors or {})
    except UsageError as error:
        if model is not None or factors:
            raise
        return _of_measured(patterns, shown_points(points), error)
    predictions = tuple(predict(channel, pattern) for pattern in patterns)
    return Answers(predictions, channel.model, channel.fit.notes)


def _of_measured(
    patterns: Sequence[Pattern], measured: Mapping[Measured, Parameter], why: UsageError
) -> Answers:
    """The measured sizes among the patterns. Raises `why` if there is none."""
    known = [p for p in patterns if p.name == MESSAGE and (p.bytes, 1) in measured]
    if not known:
        raise why
    return Answers(
        tuple(Prediction(p, measured[p.bytes, 1], measured=True) for p in known),
        refused=tuple(pattern for pattern in patterns if pattern not in known),
        why=why,
    )

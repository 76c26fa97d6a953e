"""Collectives beside the model: measured over predicted, message by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hockney.analysis.best import is_collective, name_of
from hockney.estimate.points import Estimates, PointEstimate
from hockney.models.collectives.parameters import LEVELS, Parameters, parameters_of_run
from hockney.models.collectives.predicted import predicted_s
from hockney.records import Run
from hockney.units import format_rate, format_seconds
from hockney.views.as_json import axes_json
from hockney.views.table import aligned, microseconds


@dataclass(frozen=True)
class Predicted:
    point: PointEstimate
    seconds: float


def predicted(run: Run, estimates: Estimates, parameters: Parameters) -> list[Predicted]:
    """Every point of an algorithm that has a schedule."""
    places = {len(launch.places): launch.places for launch in run.launches}
    points = [point for point in estimates.headline if is_collective(point)]
    times = [predicted_s(parameters, point, places.get(point.known_ranks)) for point in points]
    return [Predicted(p, time) for p, time in zip(points, times, strict=True) if time]


def predicted_lines(found: Sequence[Predicted], parameters: Parameters) -> list[str]:
    rows = [["collective", "algorithm", "ranks", "bytes", "measured", "predicted", "ratio"]]
    rows += [
        [one.point.operation, name_of(one.point), str(one.point.ranks), str(one.point.bytes),
         microseconds(one.point.typical_s), microseconds(one.seconds),
         f"{one.point.typical_s / one.seconds:.3f}"]
        for one in found
    ]  # fmt: skip
    levels = [
        f"{name}: alpha {format_seconds(level.alpha_s)}, "
        f"1/beta {format_rate(1.0 / level.beta_s_per_B) if level.beta_s_per_B else '-'}"
        for name in LEVELS
        if (level := getattr(parameters, name)) is not None
    ]
    return [
        "measured over predicted, message by message, in us; from",
        *(f"  {level}" for level in levels),
        "",
        aligned(rows) if found else "no algorithm here has a schedule to predict by",
    ]


def predicted_json(found: Sequence[Predicted]) -> list[dict[str, Any]]:
    return [
        {
            **axes_json(one.point),
            "median_s": one.point.median_s,
            "predicted_s": one.seconds,
            "ratio": one.point.typical_s / one.seconds,
        }
        for one in found
    ]


def beside_model(
    run: Run, estimates: Estimates, messages: Run
) -> tuple[Parameters, list[Predicted]]:
    """From the ping-pong times of another run."""
    from hockney.estimate import estimate

    parameters = parameters_of_run(messages, estimate(messages).headline)
    return parameters, predicted(run, estimates, parameters)

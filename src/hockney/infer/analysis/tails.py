"""Tails of single operations: quantiles from histograms that hold every one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.quantiles import launch_interval
from hockney.infer.estimate.sketch import Sketch, samples_needed
from hockney.plan.axes import Point, point_of, sort_key
from hockney.records import Run

QUANTILES = (0.5, 0.99, 0.999, 0.9999)
Sketches = Mapping[Point, Mapping[int, Sketch]]
"""Histograms by point and launch."""


@dataclass(frozen=True)
class Quantile:
    quantile: float
    seconds: float | None
    """The median of the launches' quantiles; None where no launch has enough operations."""
    interval: Interval | None
    """Confidence interval of the median over launches."""
    launches: int
    """Number of launches with enough operations."""
    whole_s: float | None
    """The quantile of the operations of all launches together."""


@dataclass(frozen=True)
class TailQuantiles:
    point: Point
    operations: int
    relative_error: float
    """Relative error of each launch's quantiles."""
    quantiles: tuple[Quantile, ...]


def sketches_of(run: Run) -> Sketches:
    """The histograms of a run; damaged records are ignored."""
    sketches: dict[Point, dict[int, Sketch]] = {}
    for record in run.tails:
        of_point = sketches.setdefault(point_of(record), {})
        try:
            sketch = Sketch.of_record(record)
            known = of_point.get(record.launch)
            of_point[record.launch] = known.merged(sketch) if known else sketch
        except ValueError:
            continue
    return {point: launches for point, launches in sketches.items() if launches}


def tails_of(sketches: Sketches) -> list[TailQuantiles]:
    """The tails of each point."""
    tails = []
    for point in sorted(sketches, key=sort_key):
        launches = list(sketches[point].values())
        if len({launch.relative_error for launch in launches}) > 1:
            continue
        whole = reduce(Sketch.merged, launches)
        quantiles = tuple(_quantile(fraction, launches, whole) for fraction in QUANTILES)
        tails.append(TailQuantiles(point, len(whole), whole.relative_error, quantiles))
    return tails


def _quantile(fraction: float, launches: list[Sketch], whole: Sketch) -> Quantile:
    needed = samples_needed(fraction)
    known = np.array([launch.quantile(fraction) for launch in launches if len(launch) >= needed])
    return Quantile(
        fraction,
        float(np.median(known)) if len(known) else None,
        launch_interval(known),
        len(known),
        whole.quantile(fraction) if len(whole) >= needed else None,
    )

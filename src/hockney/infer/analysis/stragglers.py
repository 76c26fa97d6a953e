"""Ranks that complete collectives late again and again, by when each was done on the common clock.

In each launch ranks have other numbers (--stragglers), so that a place in the algorithm, such as
the end of a tree, is another rank's each time: how late a place usually is (the median of the
ranks that had it) is taken off. What is left of each rank is judged by the test of outliers, as
slow nodes are, with a correction for all ranks and points.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hockney.infer.analysis.outlier_rule import LEAST_MEMBERS, LEAST_RATIO, SIGNIFICANCE, tested
from hockney.infer.analysis.places import SHARED, UNKNOWN, places_of, shared
from hockney.infer.estimate.differences import holm
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES
from hockney.infer.estimate.shifts import LEVEL
from hockney.plan.axes import Point, point_of, sort_key
from hockney.records import Completions, Place, Run

Array = NDArray[np.float64]

MOST_COMPARED = 64
"""Most places with which one is compared."""


@dataclass(frozen=True)
class Straggler:
    """A rank that completes late, at the point at which its ratio is largest."""

    rank: int
    point: Point
    ratio: float
    """Its completion time over that of the others."""
    interval: Interval
    """Of the ratio, over launches."""
    later_s: float
    """What that ratio is of the median rank's time, in seconds."""
    p: float
    """p, corrected for the number of ranks and points."""
    is_far: bool = False
    """Whether its place is farther from the others than most: that makes it late, too."""


@dataclass(frozen=True)
class Stragglers:
    found: tuple[Straggler, ...]
    """The latest first; a rank is there once."""
    launches: int
    """Launches of the point that has the fewest."""
    visible: float | None
    """Ratio from which on a rank would have been found at every point; None where launches are too
    few for any verdict."""


def stragglers_of(run: Run) -> Stragglers | None:
    """Judges the ranks of a run; None where nobody looked when each was done."""
    looks = _looks(run)
    if not looks:
        return None
    launches = min(len(look.seconds) for look in looks.values())
    if launches < LEAST_LAUNCHES:
        return Stragglers((), launches, None)
    tests = sum(look.seconds.shape[1] for look in looks.values())
    suspects: list[Straggler] = []
    visible = LEAST_RATIO
    for point in sorted(looks, key=sort_key):
        of_point, least = _suspects(point, looks[point], tests)
        suspects += of_point
        visible = max(visible, least)
    stragglers: dict[int, Straggler] = {}
    corrected = holm(np.array([suspect.p for suspect in suspects])).tolist()
    for straggler, p in zip(suspects, corrected, strict=True):
        is_late = (
            straggler.ratio > LEAST_RATIO and straggler.interval.low > 1.0 and p < SIGNIFICANCE
        )
        if is_late and (
            straggler.rank not in stragglers or straggler.ratio > stragglers[straggler.rank].ratio
        ):
            stragglers[straggler.rank] = replace(straggler, p=p)
    far = _far(stragglers, places_of(run))
    late = [replace(straggler, is_far=straggler.rank in far) for straggler in stragglers.values()]
    return Stragglers(tuple(sorted(late, key=lambda one: -one.ratio)), launches, visible)


def _far(ranks: Collection[int], places: Mapping[int, Place]) -> set[int]:
    """Those of the ranks whose place is farther from all others, on average, than three quarters
    of the places are; none where places are unknown."""
    others = list(places)[:: max(len(places) // MOST_COMPARED, 1)]

    def distance(rank: int) -> float:
        kinds = [shared(places.get(rank), places[other]) for other in others if other != rank]
        return math.nan if UNKNOWN in kinds else float(np.mean([*map(SHARED.index, kinds)]))

    if not ranks or len(others) < LEAST_MEMBERS:
        return set()
    usual = np.quantile([distance(rank) for rank in others], 0.75, method="higher")
    return {rank for rank in ranks if distance(rank) > usual}


@dataclass(frozen=True)
class _Looks:
    """When ranks were done at a point. Shape of both: (launches, ranks)."""

    seconds: Array
    numbers: NDArray[np.int64]
    """Their numbers in the collective."""


def _looks(run: Run) -> dict[Point, _Looks]:
    found: dict[Point, dict[int, Completions]] = {}
    for record in run.completions:
        if min(record.ns, default=0.0) > 0.0:
            found.setdefault(point_of(record), {})[record.launch] = record
    return {
        point: _Looks(
            np.array([completions.ns for completions in of.values()]) * 1e-9,
            np.array([completions.numbers for completions in of.values()]),
        )
        for point, of in found.items()
    }


def _suspects(point: Point, looks: _Looks, tests: int) -> tuple[list[Straggler], float]:
    """Every rank at one point, with a p that is not corrected, and the ratio that is found."""
    from scipy.special import stdtrit

    launches = len(looks.seconds)
    usual = np.median(looks.seconds, axis=1, keepdims=True)
    late = np.log(looks.seconds / usual)
    by_place = np.take_along_axis(late, np.argsort(looks.numbers, axis=1), axis=1)
    late -= np.median(by_place, axis=0)[looks.numbers]
    test = tested(late.mean(axis=0))
    half = float(stdtrit(launches - 1, 1.0 - LEVEL / 2.0)) * late.std(axis=0, ddof=1)
    half /= math.sqrt(launches)
    ratios, lows, highs = np.exp([test.excess, test.excess - half, test.excess + half]).tolist()
    later = (np.median(usual) * (np.exp(test.excess) - 1.0)).tolist()
    suspects = [
        Straggler(rank, point, ratio, Interval(low, high), later[rank], test.p[rank])
        for rank, (ratio, low, high) in enumerate(zip(ratios, lows, highs, strict=True))
    ]
    return suspects, test.least_found(tests, SIGNIFICANCE)

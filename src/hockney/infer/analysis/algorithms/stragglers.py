"""Ranks that complete collectives late again and again, by when each was done on the common clock.

In each launch ranks have other numbers (--stragglers), so that a place in the algorithm, such as
the end of a tree, is another rank's each time: how late a place usually is (the median of the
ranks that had it) is taken off. What is left of each rank is judged by the test of outliers, as
slow nodes are, with a correction for all ranks and points.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hockney.base.units import format_ratio, format_size
from hockney.infer.analysis.network.boards import MORE, Doubt
from hockney.infer.analysis.network.outlier_rule import (
    LEAST_MEMBERS,
    LEAST_RATIO,
    MOST_FRACTION,
    SIGNIFICANCE,
    SOUGHT,
    SURE,
    Tested,
    tested,
)
from hockney.infer.analysis.network.places import SHARED, UNKNOWN, places_of, shared
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.differences import holm
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES
from hockney.infer.estimate.shifts import LEVEL
from hockney.plan.axes import Point, point_of, sort_key
from hockney.records import Completions, Place, Run

MOST_COMPARED = 64
"""Most places with which one is compared."""
EARLIER = "compare the times with those of an earlier run"


@dataclass(frozen=True)
class Straggler:
    """A rank that completes late, at the point at which its ratio is largest."""

    rank: int
    point: Point
    ratio: float
    """Its completion time over that of the others."""
    interval: Interval
    """The interval of the ratio, over launches."""
    later_s: float
    """The seconds by which it is later, for the median rank's time."""
    p: float | None
    """p, corrected for the number of ranks and points; None of simulated times, which are exact."""
    is_far: bool = False
    """Whether its place is farther from the others than most: that makes it late, too."""

    @property
    def at(self) -> str:
        """The point in words."""
        return _point_words(self.point)


@dataclass(frozen=True)
class Stragglers:
    stragglers: tuple[Straggler, ...]
    """The latest first; a rank is there once."""
    launches: int
    """Launches of the point that has the fewest."""
    visible: float | None
    """Ratio from which on a rank would have been found at every point; None where launches are too
    few for any verdict, and where there is a doubt."""
    doubts: tuple[Doubt, ...] = ()
    """Why other ranks may be late although they were not found."""


@dataclass(frozen=True)
class _AtPoint:
    """Every rank at one point."""

    suspects: list[Straggler]
    """Every rank, with a p that is not corrected."""
    late: Tested
    fast: Tested
    """The test of the other side: ranks that are done before the rest."""


def stragglers_of(run: Run) -> Stragglers | None:
    """Judges the ranks of a run; None where it was not recorded when each was done."""
    looks = _looks(run)
    if not looks:
        return None
    launches = min(len(look.seconds) for look in looks.values())
    if launches < LEAST_LAUNCHES:
        return Stragglers((), launches, None)
    tests = sum(look.seconds.shape[1] for look in looks.values())
    points = {point: _at_point(point, looks[point]) for point in sorted(looks, key=sort_key)}
    late = _late([suspect for point in points.values() for suspect in point.suspects])
    many = _too_many(points, late)
    least = {point: at.late.least_found(tests, SIGNIFICANCE) for point, at in points.items()}
    doubts = [*many.values(), *_fast_doubts(points, tests)] or _unseen_doubts(least)
    unnamed = {straggler.rank for straggler in late if straggler.point in many}
    named = _worst(
        [straggler for straggler in late if straggler.rank not in unnamed], places_of(run)
    )
    if run.is_simulated:
        named = [replace(straggler, p=None) for straggler in named]
    visible = None if doubts else max(LEAST_RATIO, *least.values())
    return Stragglers(tuple(named), launches, visible, tuple(doubts))


def _point_words(point: Point) -> str:
    """The operation and its size; a barrier has none."""
    size = "" if point.operation.endswith("barrier") else f" of {format_size(point.bytes)}"
    return f"{point.operation}{size}"


def _late(suspects: Sequence[Straggler]) -> list[Straggler]:
    """Those that are surely late, with their corrected p."""
    corrected = holm(np.array([suspect.p for suspect in suspects])).tolist()
    return [
        replace(suspect, p=p)
        for suspect, p in zip(suspects, corrected, strict=True)
        if suspect.ratio > LEAST_RATIO and suspect.interval.low > 1.0 and p < SIGNIFICANCE
    ]


def _worst(late: Sequence[Straggler], places: Mapping[int, Place]) -> list[Straggler]:
    """Each rank at the point of its largest ratio, the latest first."""
    by_rank: dict[int, Straggler] = {}
    for straggler in sorted(late, key=lambda late_at: -late_at.ratio):
        by_rank.setdefault(straggler.rank, straggler)
    far = _far(by_rank, places)
    return [replace(worst, is_far=rank in far) for rank, worst in by_rank.items()]


def _too_many(points: Mapping[Point, _AtPoint], late: Sequence[Straggler]) -> dict[Point, Doubt]:
    """The doubt at each point where so many ranks are late that none can be named."""
    doubts = {}
    for point, at in points.items():
        count, ranks = sum(straggler.point == point for straggler in late), len(at.suspects)
        if count > max(MOST_FRACTION * ranks, 1.0):
            doubts[point] = Doubt(
                f"{count} of {ranks} ranks complete later than the rest at {_point_words(point)}: "
                "too many to say which kind is normal",
                EARLIER,
            )
    return doubts


def _fast_doubts(points: Mapping[Point, _AtPoint], tests: int) -> list[Doubt]:
    """The doubt where ranks are faster than the rest: most ranks may be late. Of several points
    the first."""
    for point, at in points.items():
        chosen = (at.fast.p * tests < SIGNIFICANCE) & (at.fast.excess > math.log(SOUGHT))
        if chosen.any():
            ratio = format_ratio(math.exp(float(at.fast.excess[chosen].max())))
            are = "are" if chosen.sum() > 1 else "is"
            why = (
                f"{chosen.sum()} of {len(chosen)} ranks {are} up to {ratio} times as fast as "
                f"the rest at {_point_words(point)}: either kind may be the normal one"
            )
            return [Doubt(why, EARLIER)]
    return []


def _unseen_doubts(least: Mapping[Point, float]) -> list[Doubt]:
    """The doubt where a rank later by SURE could stay unseen. least: the ratio that is found at
    each point."""
    worst = max(least, key=lambda point: least[point])
    if least[worst] <= SURE:
        return []
    why = (
        f"ranks differ so much at {_point_words(worst)} that one is sure to be found only from "
        f"{format_ratio(least[worst])} times as late on"
    )
    return [Doubt(why, f"{MORE}, and if they are of two kinds, {EARLIER}")]


def _far(ranks: Collection[int], places: Mapping[int, Place]) -> set[int]:
    """Those of the ranks whose place is farther from all others, on average, than three quarters
    of the places are; none where places are unknown."""
    others = list(places)[:: -(-len(places) // MOST_COMPARED) or 1]

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
    numbers: Whole
    """Their numbers in the collective."""


def _looks(run: Run) -> dict[Point, _Looks]:
    by_point: dict[Point, dict[int, Completions]] = {}
    for record in run.completions:
        if min(record.ns, default=0.0) > 0.0:
            by_point.setdefault(point_of(record), {})[record.launch] = record
    return {
        point: _Looks(
            np.array([completions.ns for completions in of.values()]) * 1e-9,
            np.array([completions.numbers for completions in of.values()]),
        )
        for point, of in by_point.items()
    }


def _at_point(point: Point, looks: _Looks) -> _AtPoint:
    from scipy.special import stdtrit

    launches = len(looks.seconds)
    usual = np.median(looks.seconds, axis=1, keepdims=True)
    late = np.log(looks.seconds / usual)
    by_place = np.take_along_axis(late, np.argsort(looks.numbers, axis=1), axis=1)
    late -= np.median(by_place, axis=0)[looks.numbers]
    means = late.mean(axis=0)
    test = tested(means)
    half = float(stdtrit(launches - 1, 1.0 - LEVEL / 2.0)) * late.std(axis=0, ddof=1)
    half /= math.sqrt(launches)
    ratios, lows, highs = np.exp([test.excess, test.excess - half, test.excess + half]).tolist()
    later = (np.median(usual) * (np.exp(test.excess) - 1.0)).tolist()
    suspects = [
        Straggler(rank, point, ratio, Interval(low, high), later[rank], test.p[rank])
        for rank, (ratio, low, high) in enumerate(zip(ratios, lows, highs, strict=True))
    ]
    return _AtPoint(suspects, test, tested(-means))

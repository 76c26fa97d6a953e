"""Two runs judged at the points that both have, and as a whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hockney.infer.analysis.comparison.run_drift import RunDrift
from hockney.infer.arrays import Array
from hockney.infer.estimate.differences import (
    Judged,
    Unseen,
    benjamini_hochberg,
    exact,
    judged,
    shift_between,
    two_samples,
    with_hidden,
    with_unseen,
)
from hockney.infer.estimate.points import PointEstimate, hidden_log
from hockney.infer.estimate.shifts import LEVEL
from hockney.infer.memory.components import BetweenRuns
from hockney.records import Run


class JudgedPairs(NamedTuple):
    points: Sequence[Judged]
    whole: Judged
    """Comparison of each launch's mean over all points."""
    means: tuple[Array, Array]
    """The launches of either run as a whole, each by the mean over points of its log time."""
    between: BetweenRuns | None
    """How much equal runs differ as a whole; None if they do not (simulated runs)."""
    unseen: Sequence[Unseen | None]
    """What launches cannot reveal of each point."""
    exact_sides: Sequence[int]
    """The runs (0, 1) that are simulated and repeat their times."""

    @property
    def is_exact(self) -> bool:
        return len(self.exact_sides) == 2

    @property
    def constant(self) -> int | None:
        """The side that is exact where the other is not."""
        return self.exact_sides[0] if len(self.exact_sides) == 1 else None


def judged_pairs(
    runs: Sequence[Run],
    pairs: Sequence[tuple[PointEstimate, PointEstimate]],
    tolerance: float,
    drift: RunDrift,
    each_point: bool = True,
) -> JudgedPairs:
    """Judges the second of two runs against the first. pairs: their points, all above 0.
    each_point: judge points too, not only the runs as a whole."""
    compared = pairs if each_point else []
    means = means_of_both(pairs)
    each, between = drift.between(pairs, means)
    sides = _exact_sides(runs, pairs)
    if len(sides) == 2:
        logs = [math.log(b.typical_s / a.typical_s) for a, b in compared]
        points = [exact(np.array([log]), tolerance) for log in logs]
        whole = exact(means[1].mean(keepdims=True) - means[0].mean(), tolerance)
        return JudgedPairs(points, whole, means, between, [None] * len(points), sides)
    constant = sides[0] if sides else None
    unseen = [unseen_part(of_point, constant) for of_point in each]
    return JudgedPairs(
        differences(compared, tolerance, unseen[: len(compared)], constant),
        two_samples(
            *means, tolerance, unseen_part(between, constant), hidden_log(*pairs), constant
        ),
        means,
        between,
        unseen,
        sides,
    )


def _exact_sides(runs: Sequence[Run], pairs: Sequence[Sequence[PointEstimate]]) -> list[int]:
    """The runs (0, 1) that are simulated and whose launches repeat their times: nothing is to test
    of them."""
    return [
        side
        for side, run in enumerate(runs)
        if run.is_simulated and all(len(set(pair[side].medians_s)) == 1 for pair in pairs)
    ]


def unseen_part(runs: BetweenRuns | None, constant: int | None) -> Unseen | None:
    """What launches cannot reveal of two runs, of which one may be exact."""
    if runs is None:
        return None
    return runs.of_two if constant is None else runs.of_one


def differences(
    pairs: Sequence[tuple[PointEstimate, PointEstimate]],
    tolerance: float,
    unseen: Sequence[Unseen | None] | None = None,
    constant: int | None = None,
) -> list[Judged]:
    """Compares the second of each pair with the first; p is corrected for the number of pairs.
    unseen: variation that each pair's launches cannot reveal; None for pairs of one run. constant:
    see shift_between."""
    parts = unseen or [None] * len(pairs)
    shifts = [
        with_hidden(
            with_unseen(shift_between(np.log(a.medians_s), np.log(b.medians_s), constant), part),
            hidden_log((a, b)),
        )
        for (a, b), part in zip(pairs, parts, strict=True)
    ]
    known = np.array([shift.p for shift in shifts if shift.p is not None])
    corrected = iter(benjamini_hochberg(known).tolist())
    return [
        judged(shift, None if shift.p is None else next(corrected), tolerance, LEVEL, part)
        for shift, part in zip(shifts, parts, strict=True)
    ]


def means_of_both(pairs: Sequence[tuple[PointEstimate, PointEstimate]]) -> tuple[Array, Array]:
    """The launches of either run, each by the mean over points of its log time against A's
    median."""
    centres = [math.log(a.typical_s) for a, _ in pairs]
    return (
        _means([first for first, _ in pairs], centres),
        _means([second for _, second in pairs], centres),
    )


def _means(points: Sequence[PointEstimate], centres: Sequence[float]) -> Array:
    """Means of the launches that have every point: a missing one would shift the mean. If no launch
    has all, as when each measures one algorithm, the first launches of all points are averaged,
    then the second, and so on: they were made in turn."""
    launches = set.intersection(*(set(point.launch_numbers) for point in points))
    if not launches:
        logs = [np.log(point.medians_s) - at for point, at in zip(points, centres, strict=True)]
        turns = min(map(len, logs))
        together: Array = np.mean([own[:turns] for own in logs], axis=0)
        return together
    values: dict[int, list[float]] = {launch: [] for launch in sorted(launches)}
    for point, centre in zip(points, centres, strict=True):
        for launch, median in point.by_launch.items():
            if launch in values:
                values[launch].append(math.log(median) - centre)
    return np.array([np.mean(ratios) for ratios in values.values()])

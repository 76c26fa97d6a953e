"""Launches that differ from the others as a whole: outliers, or modes of the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.estimate.quantiles import carries_interval
from hockney.infer.estimate.states import cluster

SLOW_LEAST, SLOW_SPREADS, SLOW_MOST = 0.10, 5.0, 0.1
SLOW_RULE = (
    "a launch is excluded when its median ratio to the median launch is more than 10 % above 1 and "
    "more than 5 robust standard deviations of all launches away, unless that holds for more than "
    "a tenth of the launches"
)
"""Text shown wherever a launch was excluded."""
SLOW_EXCLUDED = "launches excluded as outliers from medians and their intervals, and nothing else"
"""Text shown before the numbers of excluded launches and SLOW_RULE."""
MODE_MOST, MODE_LEAST = 0.1, 3
"""Slow launches are a mode, not outliers, if more than this fraction and at least this number."""
MAD_TO_SIGMA = 1.4826
"""The standard deviation of normal values over their median absolute deviation."""
WAITED = 0.10
"""Fraction of the time that a rank was ready while something else had its CPU; a launch with more
is disturbed. Our own reading of the records takes up to 5 % on a node with no core to spare."""


@dataclass(frozen=True)
class Mode:
    """Launches that were alike, and unlike the other launches."""

    launches: tuple[int, ...]
    ratio: float
    """How many times as long as in the fastest mode, or as the others (`kept_apart`), they take:
    the median over the points that show a difference."""


def launch_ratios(points: Iterable[Mapping[int, float]]) -> dict[int, float]:
    """The median over points of each launch's ratio to the median launch. points: the median of
    each launch by its number."""
    ratios: dict[int, list[float]] = {}
    for medians in points:
        centre = float(np.median(list(medians.values()))) if medians else 0.0
        if carries_interval(len(medians)) and centre > 0.0:
            for launch, median in medians.items():
                ratios.setdefault(launch, []).append(median / centre)
    return {launch: float(np.median(values)) for launch, values in ratios.items()}


def slow_launches(ratios: Mapping[int, float]) -> set[int]:
    """Launches that are outliers by SLOW_RULE."""
    slow = _apart(ratios)
    return slow if len(slow) <= SLOW_MOST * len(ratios) else set()


def kept_apart(
    ratios: Mapping[int, float], points: Iterable[Mapping[int, float]]
) -> tuple[Mode, ...]:
    """Launches that are as far from the others as SLOW_RULE asks, faster or slower, but too many to
    be outliers, with their ratio to the others. Arguments are those of `modes_of`."""
    slow, fast = _apart(ratios), _apart(ratios, sign=-1.0)
    if not slow and not fast:
        return ()
    others = [launch for launch in ratios if launch not in slow | fast]
    middle, given = _middle(ratios, others), list(points)
    return tuple(
        Mode(
            tuple(sorted(group)),
            _times_as_long(sorted(group), others, given) or _middle(ratios, group) / middle,
        )
        for group in (fast, slow)
        if len(group) > SLOW_MOST * len(ratios)
    )


def _apart(ratios: Mapping[int, float], sign: float = 1.0) -> set[int]:
    """Launches as far above the median launch as SLOW_RULE asks; with sign -1 below it."""
    if not carries_interval(len(ratios)):
        return set()
    every = np.array(list(ratios.values()))
    centre, distance = float(np.median(every)), _least_distance(every)
    return {launch for launch, ratio in ratios.items() if sign * (ratio - centre) > distance}


def _middle(ratios: Mapping[int, float], launches: Iterable[int]) -> float:
    return float(np.median([ratios[launch] for launch in launches]))


def modes_of(
    ratios: Mapping[int, float], points: Sequence[Mapping[int, float]]
) -> tuple[Mode, ...]:
    """Groups of launches, the fastest first, whose ratios are as far apart as SLOW_RULE asks of an
    outlier, each of more than a tenth of the launches; none where there is only one. points: those
    that `launch_ratios` computed the ratios from."""
    least = max(MODE_LEAST, int(MODE_MOST * len(ratios)) + 1)
    positive = {launch: ratio for launch, ratio in ratios.items() if ratio > 0.0}
    if len(positive) < 2 * least:
        return ()
    values = np.array(list(positive.values()))
    labels = cluster(values, least)
    groups = [values[labels == label] for label in range(int(labels.max()) + 1)]
    if len(groups) < 2 or any(
        float(np.median(slow) - np.median(fast)) <= max(map(_least_distance, (fast, slow)))
        for fast, slow in pairwise(groups)
    ):
        return ()
    launches = np.array(list(positive))
    members = [sorted(launches[labels == label].tolist()) for label in range(len(groups))]
    # Modes that share no point, such as those of two algorithms, are compared as a whole.
    middles = [float(np.median(group)) for group in groups]
    return tuple(
        Mode(tuple(mode), _times_as_long(mode, members[0], points) or middle / middles[0])
        for mode, middle in zip(members, middles, strict=True)
    )


def _times_as_long(
    mode: Sequence[int], fastest: Sequence[int], points: Iterable[Mapping[int, float]]
) -> float | None:
    """The median of ratios over the points that differ between two modes by more than SLOW_LEAST,
    over all if none does: points that are alike in both would hide how far apart the others are.
    None without points in both."""
    each = []
    for medians in points:
        slow, fast = ([medians[n] for n in group if n in medians] for group in (mode, fastest))
        if slow and fast and min(fast) > 0.0:
            each.append(float(np.median(slow) / np.median(fast)))
    shown = [ratio for ratio in each if abs(ratio - 1.0) > SLOW_LEAST]
    return float(np.median(shown or each)) if each else None


def _least_distance(values: Array) -> float:
    spread = MAD_TO_SIGMA * float(np.median(np.abs(values - np.median(values))))
    return max(SLOW_LEAST, SLOW_SPREADS * spread)

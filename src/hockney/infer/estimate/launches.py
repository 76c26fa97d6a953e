"""Launches that differ from the others as a whole: outliers, or modes of the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

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
WAITED = 0.10
"""Fraction of the time that a rank was ready while something else had its CPU; a launch with more
is disturbed. Our own reading of the records takes up to 5 % on a node with no core to spare."""


@dataclass(frozen=True)
class Mode:
    """Launches that were alike, and unlike the other launches."""

    launches: tuple[int, ...]
    ratio: float
    """Their median ratio to the fastest mode."""


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
    if not carries_interval(len(ratios)):
        return set()
    every = np.array(list(ratios.values()))
    limit = float(np.median(every)) + _least_distance(every)
    slow = {launch for launch, ratio in ratios.items() if ratio > limit}
    return slow if len(slow) <= SLOW_MOST * len(ratios) else set()


def modes_of(ratios: Mapping[int, float]) -> tuple[Mode, ...]:
    """Groups of launches, the fastest first, whose ratios are as far apart as SLOW_RULE asks of an
    outlier, each of more than a tenth of the launches; none where there is only one."""
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
    return tuple(
        Mode(
            tuple(sorted(launches[labels == label].tolist())),
            float(np.median(group) / np.median(groups[0])),
        )
        for label, group in enumerate(groups)
    )


def _least_distance(values: NDArray[np.float64]) -> float:
    spread = MAD_TO_SIGMA * float(np.median(np.abs(values - np.median(values))))
    return max(SLOW_LEAST, SLOW_SPREADS * spread)

"""Pairs at once by the level of the switches between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hockney.infer.analysis.network.places import SHARED
from hockney.infer.estimate.points import PointEstimate


@dataclass(frozen=True)
class LevelAtOnce:
    """The pairs of one level, at one size and number of pairs at once."""

    level: str
    bytes: int
    pairs: int
    """Pairs at once, of all levels."""
    of_level: int
    median_s: float
    slowest_s: float


def levels_at_once(points: Iterable[PointEstimate]) -> list[LevelAtOnce]:
    """Pairs at once by level, the nearest first; empty where switches are unknown."""
    times: dict[tuple[int, int, int], list[float]] = {}
    for point in points:
        if point.level is not None:
            key = SHARED.index(point.level), point.bytes, point.pairs or 1
            times.setdefault(key, []).append(point.typical_s)
    return [
        LevelAtOnce(SHARED[level], size, pairs, len(own), float(np.median(own)), max(own))
        for (level, size, pairs), own in sorted(times.items())
    ]

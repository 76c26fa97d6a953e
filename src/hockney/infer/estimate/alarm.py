"""What a detector reports."""

from __future__ import annotations

from typing import NamedTuple

from hockney.infer.estimate.interval import Interval


class Alarm(NamedTuple):
    """A change of one series."""

    series: int
    start: int
    """How many looks ago the new level began; 0 for this look."""
    first: int
    last: int
    """How many looks ago the earliest and the latest possible start are."""
    size: float
    interval: Interval
    """Logarithm of the ratio of the new level to the old one, with its interval."""
    evidence: float
    """Expected number of looks to a false alarm with as much evidence."""

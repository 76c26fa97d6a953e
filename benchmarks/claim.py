"""A stated rate and the simulation that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """What a page states about coverage, false alarms or power."""

    name: str
    where: str
    """The page and section that states it."""
    stated: str
    """The claim in words, with its figure."""
    at_most: float | None
    at_least: float | None
    run: Callable[[int, int], tuple[int, int]]
    """(n, seed) -> (count, n)."""
    n: int
    """Repetitions unless others are asked for: about a minute."""

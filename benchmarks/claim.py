"""The form of a claim: a rate that a page states, and the simulation that measures it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """A rate that is stated somewhere: of coverage, of false alarms, of power."""

    name: str
    """Lower-case words with dashes: the heading on the page of claims."""
    where: str
    """The page and section that state it."""
    stated: str
    """The claim in words."""
    at_most: float | None
    """The largest rate, as a fraction, with which the claim holds."""
    at_least: float | None
    run: Callable[[int, int], tuple[int, int]]
    """Takes the number of repetitions and a seed; returns a count, and of how many."""
    n: int
    """Repetitions that take about a minute."""

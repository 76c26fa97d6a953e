"""A rate that was measured, and the form of a claim: a rate that a page states, and the simulation
that measures it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scipy.stats import binomtest


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


@dataclass(frozen=True)
class Rate:
    """A fraction of n repetitions, with its exact 95 % interval (Clopper and Pearson 1934)."""

    count: int
    n: int

    @property
    def fraction(self) -> float:
        return self.count / self.n

    @property
    def interval(self) -> tuple[float, float]:
        exact = binomtest(self.count, self.n).proportion_ci(method="exact")
        return float(exact.low), float(exact.high)

    def refutes(self, at_most: float | None, at_least: float | None) -> bool:
        """True if the whole interval is on the wrong side of a limit."""
        low, high = self.interval
        return (at_most is not None and low > at_most) or (at_least is not None and high < at_least)

    def __str__(self) -> str:
        low, high = (100.0 * limit for limit in self.interval)
        return f"{self.count} ({low:.1f} to {high:.1f} %)"

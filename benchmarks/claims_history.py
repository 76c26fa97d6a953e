"""What the pages state about histories: false alarms at any look, small steps, and what is found.

A history is looked at after each run, up to the 60th.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from claim import Claim
from numpy.typing import NDArray

from hockney.infer.analysis.history.changes import LAST, LEAST_RUNS, changes_or_drift

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator], Array]

RUNS, TOLERANCE = 60, 0.05
"""Runs of a history, and the tolerance that is usual."""
CURVES, EVERY = 10, 6
"""Curves of a run, and the runs from look to look at so many."""
WHERE = "docs/method.md, Histories"


def correlated(rng: np.random.Generator, n: int, correlation: float) -> Array:
    """n values of standard deviation 1 whose neighbours correlate so."""
    values = rng.standard_normal(n)
    for at in range(1, n):
        values[at] = correlation * values[at - 1] + math.sqrt(1.0 - correlation**2) * values[at]
    return values


def first_alarm(
    values: Array, tolerance: float = TOLERANCE, series: int = 1, every: int = 1
) -> int | None:
    """Number of runs after which a change or a drift is first reported; None if none is. series:
    how many share an error rate. every: the runs from look to look; a change is sought as it would
    have been after each run, whenever one looks."""
    for count in range(len(values), LEAST_RUNS + LAST - 1, -every)[::-1]:
        changes, drift = changes_or_drift(values[:count], tolerance, series)
        if changes or drift is not None:
            return count
    return None


def unchanged(correlation: float, deviation: float) -> Draw:
    return lambda rng: deviation * correlated(rng, RUNS, correlation)


def stepping(
    ratio: float, deviation: float, before: int = RUNS // 2, after: int = RUNS // 2
) -> Draw:
    levels = np.repeat([0.0, math.log(ratio)], [before, after])
    return lambda rng: levels + deviation * rng.standard_normal(len(levels))


def drifting(ratio: float, deviation: float, runs: int = 30) -> Draw:
    line = np.linspace(0.0, math.log(ratio), runs)
    return lambda rng: line + deviation * rng.standard_normal(runs)


def alarms(draw: Draw, tolerance: float = TOLERANCE) -> Callable[[int, int], tuple[int, int]]:
    """Counts histories with an alarm at any look."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        return sum(first_alarm(draw(rng), tolerance) is not None for _ in range(n)), n

    return run


def alarms_of_curves(draw: Draw, curves: int) -> Callable[[int, int], tuple[int, int]]:
    """Counts histories of several curves of which one has an alarm."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        each = ([draw(rng) for _ in range(curves)] for _ in range(n))
        return sum(
            any(first_alarm(values, 0.0, curves, EVERY) is not None for values in of) for of in each
        ), n

    return run


def detected(draw: Draw, wanted: str) -> Callable[[int, int], tuple[int, int]]:
    """Counts histories that as a whole are called one change ("step") or a drift ("drift")."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        count = 0
        for _ in range(n):
            changes, drift = changes_or_drift(draw(rng), TOLERANCE)
            count += drift is not None if wanted == "drift" else len(changes) == 1
        return count, n

    return run


def named_within(
    nights: int, before: int, deviation: float
) -> Callable[[int, int], tuple[int, int]]:
    """Counts histories of a run a night in which a step of 10 % is reported within so many nights.
    before: the nights before the step. Neighbours correlate by 0.5."""

    def is_named(values: Array) -> bool:
        looks = range(before + LAST, before + nights + 1)
        return any(changes_or_drift(values[:count], TOLERANCE) != ([], None) for count in looks)

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        level = np.repeat([0.0, math.log(1.1)], [before, nights])
        draws = (level + deviation * correlated(rng, before + nights, 0.5) for _ in range(n))
        return sum(map(is_named, draws)), n

    return run


def run_lengths(draw: Draw, n: int, seed: int) -> Array:
    """Numbers of runs until the first alarm; infinite where there was none."""
    rng = np.random.default_rng(seed)
    return np.array([first_alarm(draw(rng)) or math.inf for _ in range(n)])


CORRELATIONS = (0.0, 0.3, 0.5, 0.7, 0.9)
FALSE = "1 % of histories of 60 runs without a change show one at any look, at most"
SMALL = "a step within the tolerance is reported as anything, at any look, in at most 1 %"

CLAIMS: list[Claim] = [
    *(
        Claim(
            name=f"history: false alarms, correlation {correlation:g}, tolerance {tolerance:.0%}",
            where=WHERE,
            stated=FALSE,
            at_most=0.01,
            at_least=None,
            run=alarms(unchanged(correlation, 0.03), tolerance),
            n=500,
        )
        for correlation in CORRELATIONS
        for tolerance in (0.0, TOLERANCE)
    ),
    Claim(
        name=f"history: false alarms of {CURVES} curves, correlation 0.9, tolerance 0%",
        where=WHERE,
        stated="1 % of histories show one in any of their curves, at most",
        at_most=0.01,
        at_least=None,
        run=alarms_of_curves(unchanged(0.9, 0.03), CURVES),
        n=400,
    ),
    *(
        Claim(
            name=f"history: step of {step:.1%}, deviation {deviation:.1%}",
            where=WHERE,
            stated=SMALL,
            at_most=0.01,
            at_least=None,
            run=alarms(stepping(1.0 + step, deviation)),
            n=500,
        )
        for step in (0.03, 0.04, 0.045, 0.05)
        for deviation in (0.005, 0.02)
    ),
    Claim(
        name="history: step of 10 % in the middle of 30 runs, deviation 1 %",
        where=WHERE,
        stated="found as one change in at least 95 %",
        at_most=None,
        at_least=0.95,
        run=detected(stepping(1.1, 0.01, 15, 15), "step"),
        n=1000,
    ),
    *(
        Claim(
            name=f"history: {nights} nights of a step of 10 %, {before} before, "
            f"deviation {deviation:.0%}",
            where=WHERE,
            stated=f"reported within so many nights in at least {at_least:.0%}",
            at_most=None,
            at_least=at_least,
            run=named_within(nights, before, deviation),
            n=400,
        )
        for nights, before, deviation, at_least in (
            (3, 30, 0.01, 0.9),
            (7, 7, 0.01, 0.9),
            (14, 30, 0.02, 0.6),
        )
    ),
    Claim(
        name="history: drift of 20 % over 30 runs, deviation 1 %",
        where=WHERE,
        stated="reported as a drift in at least 95 %",
        at_most=None,
        at_least=0.95,
        run=detected(drifting(1.2, 0.01), "drift"),
        n=1000,
    ),
]

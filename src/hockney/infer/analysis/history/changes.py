"""Changes of level and drifts in a series of numbers.

A history is looked at after each run, and its runs may be correlated: the machine of one night
resembles that of the night before. The limits hold for all looks together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hockney.infer.analysis.history.autocorrelation import (
    Evidence,
    levels_likelihood,
    line,
    step,
    without_outliers,
)
from hockney.infer.arrays import Array, Whole

CALIBRATED_RUNS = 60.0
"""Length in runs of the simulated histories, for which probabilities are stated."""
FALSE_ALARMS = 0.01
"""Largest fraction of histories of 60 runs without a change in which one is reported at any look: a
daily check must not give a false alarm each month."""
STEP_LIMIT, DRIFT_LIMIT = 29.0, 23.0
"""Limits of twice the logarithm of the likelihood ratio of a change against none. Simulated
histories of 60 runs, looked at after each run, with correlations of 0 to 0.9 between neighbours,
reach one of them in at most FALSE_ALARMS (benchmarks/claims_history.py)."""
SIZE_LIMIT = 12.0
"""Limit of twice the logarithm of the likelihood ratio of a change against one within the
tolerance, which histories with a step as large as the tolerance reach in at most FALSE_ALARMS."""
LEAST_RUNS, LAST = 4, 3
"""Runs needed on each side of a change; LAST of them after it suffice if they are the newest and
all beyond every run before."""
RARER = 3.0
"""By how much a limit is higher than one that is reached e times as often, or less."""
MOST_RUNS = 120
"""The newest runs at a level with which the next ones are compared."""
CHANGE_RULE = (
    "the level changes where a step is 2 million times as likely as none, whatever the correlation "
    "of neighbouring runs up to 0.95, and 400 times as likely as a step within the tolerance "
    "(likelihood ratios, looked at after each run), with at least 4 runs on either side, or the "
    "last 3, all beyond every other; at most 1 % of histories of 60 runs without a change show "
    "one at any time, an average run length of some 6,000 runs"
)
DRIFT_RULE = (
    "a slow drift is reported instead where a line explains the runs better than steps, is 100,000 "
    "times as likely as no change, and 400 times as likely as any step or drift within the "
    "tolerance"
)


class Change(NamedTuple):
    at: int
    """Index of the first value of the new level."""
    ratio: float
    """Median after the change over the median before, not of logarithms."""
    run_length: float
    """Average number of runs to a false alarm as clear."""


class Drift(NamedTuple):
    """A slow change of the whole series."""

    ratio: float
    """The last value over the first, along the line; not of logarithms."""
    run_length: float
    """Average number of runs to a false alarm as clear."""


def changes_or_drift(
    values: Array, tolerance: float, series: int = 1
) -> tuple[list[Change], Drift | None]:
    """The changes of level by CHANGE_RULE, or the drift by DRIFT_RULE. values: logarithms, shape
    (runs,). series: how many are looked at, which share an error rate."""
    changes, more = change_points(values, tolerance, series), RARER * math.log(series)
    n = len(values)
    if n < 2 * LEAST_RUNS:
        return changes, None
    cleaned, limit = without_outliers(values), math.log1p(tolerance)
    drift, single = line(cleaned, limit), step(cleaned, _places(n), limit)
    beyond = 2.0 * (drift.likelihood - max(drift.within, single.within))
    is_clear = drift.ratio >= DRIFT_LIMIT + more and beyond >= SIZE_LIMIT + more
    if not is_clear or drift.likelihood < single.likelihood:
        return changes, None
    levels = levels_likelihood(cleaned, [change.at for change in changes])
    if 2.0 * (levels - drift.likelihood) > (2 * len(changes) - 1) * math.log(n):  # Schwarz
        return changes, None
    return [], Drift(math.exp(drift.size), _run_length(drift, DRIFT_LIMIT + more))


def change_points(values: Array, tolerance: float, series: int = 1) -> list[Change]:
    """Each change of level by CHANGE_RULE, ascending. values: logarithms, shape (runs,). series:
    how many are looked at, which share an error rate."""
    limit, more = math.log1p(tolerance), RARER * math.log(series)
    cleaned, start = without_outliers(values) if len(values) else values, 0
    changes: list[tuple[int, float]] = []
    while first := _first_change(cleaned[start:], values[start:], limit, more):
        start += first.at
        changes.append((start, _run_length(first, STEP_LIMIT + more)))
    return _lasting(values, _placed(cleaned, changes), tolerance)


def _first_change(cleaned: Array, values: Array, tolerance: float, more: float) -> Evidence | None:
    """The first change that becomes visible as runs come in one by one. more: what is added to the
    limits."""
    n = len(cleaned)
    for count in range(LEAST_RUNS + LAST, n + 1):
        start = max(count - MOST_RUNS, 0)
        places = _places(count - start)
        if count == n and _are_beyond(values[start:count]):
            places = np.append(places, count - start - LAST)
        if not len(places):
            continue
        evidence = step(cleaned[start:count], places, tolerance)
        if evidence.ratio >= STEP_LIMIT + more and evidence.beyond >= SIZE_LIMIT + more:
            return evidence._replace(at=start + evidence.at)
    return None


def _places(n: int) -> Whole:
    return np.arange(LEAST_RUNS, n - LEAST_RUNS + 1)


def _are_beyond(values: Array) -> bool:
    """Whether the last runs all lie above, or below, every run before."""
    before, last = values[:-LAST], values[-LAST:]
    return bool(last.min() > before.max() or last.max() < before.min())


def _placed(values: Array, changes: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """The changes, each moved to where it best divides the runs between its neighbours."""
    bounds = [0, *(at for at, _ in changes), len(values)]
    placed = list(changes)
    for number, (at, run_length) in enumerate(changes):
        low, high = bounds[number], bounds[number + 2]
        if high - at >= LEAST_RUNS:
            places = range(low + LEAST_RUNS, high - LEAST_RUNS + 1)
            at = min(places, key=lambda place: _deviations(values[low:high], place - low))
        bounds[number + 1] = at
        placed[number] = (at, run_length)
    return placed


def _deviations(values: Array, place: int) -> float:
    """The sum of absolute deviations from the medians of both parts."""
    parts = np.split(values, [place])
    return sum(float(np.abs(part - np.median(part)).sum()) for part in parts)


def _lasting(values: Array, changes: Sequence[tuple[int, float]], tolerance: float) -> list[Change]:
    """The changes that last: the smallest is dropped until all exceed the tolerance, as later runs
    may show that a level did not last."""
    left = list(changes)
    while left:
        places = [0, *(at for at, _ in left), len(values)]
        medians = [float(np.median(values[a:b])) for a, b in pairwise(places)]
        sizes = np.diff(medians)
        smallest = int(np.abs(sizes).argmin())
        if abs(sizes[smallest]) > math.log1p(tolerance):
            return [
                Change(at, math.exp(size), run_length)
                for (at, run_length), size in zip(left, sizes.tolist(), strict=True)
            ]
        del left[smallest]
    return []


def _run_length(evidence: Evidence, limit: float) -> float:
    """By the chance that a history of CALIBRATED_RUNS without a change reaches this ratio at any
    look: beyond the limit, simulated maxima become rarer by a factor of e in RARER or less."""
    p = FALSE_ALARMS * min(1.0, math.exp((limit - evidence.ratio) / RARER))
    return CALIBRATED_RUNS / p

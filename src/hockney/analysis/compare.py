"""Whether two runs differ. Launches are the independent units; p is corrected for many points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hockney.errors import AskedWronglyError
from hockney.estimate.points import Estimates, PointEstimate
from hockney.lazy import lazy_imports
from hockney.records import Run
from hockney.spec.axes import CIRCUMSTANCES, key_without

with lazy_imports():
    from scipy.stats import mannwhitneyu

    from hockney.analysis import Analysis

SIGNIFICANCE = 0.05
SAME_STATE = 0.25
"""Two states are the same when their core-to-core latencies differ by less than this on a log
scale: states of one machine differ by a factor of two and more, one state scatters by a few per
cent."""
MOST_LAUNCHES = 1000
"""A larger number of launches that would decide is not suggested."""

LARGEST_LOG = 709.0
"""The largest logarithm of a double."""
MOST_EXACT = 10_000
"""Differences, as of 100 launches each: the exact distribution of more takes minutes, and by the
normal one the interval is wider by one rank at most."""
NORMAL_QUANTILE = 1.959963984540054
"""The normal quantile of 1 - SIGNIFICANCE / 2."""
MOST_DIFFERENCES = 10_000_000
"""Some 100 MiB, as of 3,000 launches each."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """B against A at one point, or over all of them: ratio of medians of launches, B over A."""

    ratio: float
    low: float | None
    high: float | None
    p: float | None
    """p of the rank-sum test over launches, corrected by Benjamini-Hochberg over many points."""
    verdict: str
    """faster, slower, same (within the tolerance) or unknown."""
    launches_needed: int | None
    """About how many launches of each would decide; None unless the verdict is unknown."""


@dataclass(frozen=True)
class PointDifference:
    base: PointEstimate
    other: PointEstimate
    difference: Difference


@dataclass(frozen=True)
class Comparison:
    base: Run
    other: Run
    points: tuple[PointDifference, ...]
    overall: Difference | None
    """Compares each launch's mean over all points; None where nothing could be compared."""
    notes: tuple[str, ...]

    @property
    def verdict(self) -> str:
        return self.overall.verdict if self.overall else "unknown"

    def is_slower(self, tolerance: float) -> bool:
        """Whether B is slower than the tolerance allows, as a whole or surely at some point."""
        surely = any(
            point.difference.verdict == "slower" and (point.difference.low or 0.0) > 1.0 + tolerance
            for point in self.points
        )
        return self.verdict == "slower" or surely


def compare(first: Analysis, second: Analysis, tolerance: float) -> Comparison:
    """Compares two runs of one experiment. Smaller differences than `tolerance` count as equal."""
    base, other = first.run, second.run
    if base.header.experiment != other.header.experiment:
        raise AskedWronglyError(
            f"{base.path} holds {base.header.experiment} and {other.path} "
            f"{other.header.experiment}: different experiments cannot be compared"
        )
    notes = _unlike(base, other)
    states, words = _matching_states(first, second)
    notes += words
    pairs = _pairs(first.estimates, second.estimates, states) if states else []
    found = zip(pairs, differences(pairs, tolerance), strict=True)
    points = tuple(PointDifference(a, b, difference) for (a, b), difference in found)
    overall = _overall(pairs, tolerance) if pairs else None
    if states and not pairs:
        notes.append("the two runs have no size in common")
    elif pairs and overall is None:
        notes.append("no launch has every point, so that only points are compared")
    return Comparison(base, other, points, overall, tuple(notes))


def _definition(run: Run) -> str | None:
    return run.launches[0].definition if run.launches else None


def _unlike(base: Run, other: Run) -> list[str]:
    """Notes definitions of a sample that differ between the runs."""
    first, second = _definition(base), _definition(other)
    if first == second:
        return []
    return [f"unlike definitions: {base.label}: {first}; {other.label}: {second}"]


def _matching_states(first: Analysis, second: Analysis) -> tuple[tuple[int, int] | None, list[str]]:
    """Which state of each: on one host that of the same core-to-core latency, preferably of most
    rounds; across hosts each one's headline."""
    hosts = {one.run.header.environment.get("host") for one in (first, second)}
    if len(hosts) > 1:
        return (0, 0), []
    if first.states.probe != "handover" or second.states.probe != "handover":
        return (0, 0), []
    best: tuple[float, int, int] | None = None
    for a in first.states.states:
        for b in second.states.states:
            if not a.handover_s or not b.handover_s:
                continue
            fraction = min(a.fraction, b.fraction)
            alike = abs(math.log(a.handover_s / b.handover_s)) < SAME_STATE
            if alike and (best is None or fraction > best[0]):
                best = (fraction, a.id, b.id)
    if best is None:
        states = [
            ", ".join(f"{1e9 * (state.handover_s or 0.0):.0f} ns" for state in found.states.states)
            for found in (first, second)
        ]
        return None, [
            "the machine was in different states: core-to-core latency "
            f"{states[0]} in {first.label}, {states[1]} in {second.label}; measure again"
        ]
    fraction, a_id, b_id = best
    notes = []
    if (a_id, b_id) != (0, 0):
        handover = first.estimates.state(a_id).handover_s or 0.0
        notes.append(
            "compared in the state that both runs were in: core-to-core latency "
            f"{1e9 * handover:.0f} ns, at least {100.0 * fraction:.0f} % of rounds"
        )
    return (a_id, b_id), notes


def _pairs(
    first: Estimates, second: Estimates, states: tuple[int, int]
) -> list[tuple[PointEstimate, PointEstimate]]:
    ours, theirs = (
        [point for point in estimates.own(state) if min(point.medians_s) > 0.0]
        for estimates, state in zip((first, second), states, strict=True)
    )
    # The one pair of a run may be any two ranks; of several each is compared with itself.
    left_out = list(CIRCUMSTANCES)
    for name in CIRCUMSTANCES:
        if all(_are_apart(points, left_out) for points in (ours, theirs)):
            break
        left_out.remove(name)
    others = {key_without(point, *left_out): point for point in theirs}
    keys = [(point, key_without(point, *left_out)) for point in ours]
    return [(point, others[key]) for point, key in keys if key in others]


def _are_apart(points: Sequence[PointEstimate], left_out: Sequence[str]) -> bool:
    """Whether all the points still differ without those axes."""
    return len({key_without(point, *left_out) for point in points}) == len(points)


def differences(
    pairs: Sequence[tuple[PointEstimate, PointEstimate]], tolerance: float
) -> list[Difference]:
    """Compares the second of each pair with the first; p is corrected for the number of pairs."""
    logs = [(np.log(a.medians_s), np.log(b.medians_s)) for a, b in pairs]
    raw = [rank_sum(*both) for both in logs]
    corrected = iter(benjamini_hochberg(np.array([p for p in raw if p is not None])).tolist())
    return [
        judge(*both, None if p is None else next(corrected), tolerance)
        for both, p in zip(logs, raw, strict=True)
    ]


def _overall(
    pairs: list[tuple[PointEstimate, PointEstimate]], tolerance: float
) -> Difference | None:
    """Of each launch the mean over points of its log time against A's median: one number each.
    None where no launch has every point, as of collectives measured by algorithm."""
    centres = [math.log(a.typical_s) for a, _ in pairs]
    typical = [_typical([pair[side] for pair in pairs], centres) for side in (0, 1)]
    if not all(map(len, typical)):
        return None
    return judge(typical[0], typical[1], rank_sum(typical[0], typical[1]), tolerance)


def _typical(points: list[PointEstimate], centres: list[float]) -> Array:
    """Takes only launches that have every point: a missing one would shift the mean."""
    launches = set.intersection(*(set(point.launch_numbers) for point in points))
    values: dict[int, list[float]] = {launch: [] for launch in sorted(launches)}
    for point, centre in zip(points, centres, strict=True):
        for launch, median in zip(point.launch_numbers, point.medians_s, strict=True):
            if launch in values:
                values[launch].append(math.log(median) - centre)
    return np.array([np.mean(ratios) for ratios in values.values()])


def rank_sum(first: Array, second: Array) -> float | None:
    """Two-sided p of the exact rank-sum test; None with fewer than two values on a side."""
    if min(len(first), len(second)) < 2:
        return None
    return float(mannwhitneyu(first, second, alternative="two-sided", method="auto").pvalue)


def shift_interval(first: Array, second: Array) -> tuple[float, float] | None:
    """95 % interval of the shift from first to second: order statistics of all differences, with
    ranks from the exact distribution of the rank sum (Moses; Hollander & Wolfe, Nonparametric
    Statistical Methods, 4.3), of many launches by its normal approximation. None where so
    few values cannot give 95 %."""
    m, n = len(first), len(second)
    if m < 2 or n < 2:
        return None
    if m * n > MOST_DIFFERENCES:
        raise AskedWronglyError(f"{m} launches against {n} are more than can be compared")
    below = _below(m, n)
    if below == 0:
        return None
    differences = np.sort((second[:, None] - first[None, :]).ravel())
    return float(differences[below - 1]), float(differences[-below])


def _below(m: int, n: int) -> int:
    """How many differences on each side are outside of the interval."""
    if m * n > MOST_EXACT:
        sigma = math.sqrt(m * n * (m + n + 1) / 12.0)
        return int(m * n / 2.0 - NORMAL_QUANTILE * sigma)
    cumulative = np.cumsum(_rank_sum_counts(m, n)) / math.comb(m + n, n)
    return int(np.searchsorted(cumulative, SIGNIFICANCE / 2.0, side="right"))


def _rank_sum_counts(m: int, n: int) -> Array:
    """In how many of all orders U takes each value 0 .. m n: coefficients of the Gaussian
    binomial, product over i of (1 - q^(n+i)) / (1 - q^i)."""
    counts = np.zeros(m * n + 1)
    counts[0] = 1.0
    for i in range(1, m + 1):
        for u in range(m * n, n + i - 1, -1):
            counts[u] -= counts[u - n - i]
        for u in range(i, m * n + 1):
            counts[u] += counts[u - i]
    return counts


def benjamini_hochberg(p: Array) -> Array:
    """Adjusted p values that keep the false discovery rate (Benjamini & Hochberg 1995)."""
    if len(p) == 0:
        return p
    order = np.argsort(p)
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


def judge(first: Array, second: Array, p: float | None, tolerance: float) -> Difference:
    """first, second: log times of launches."""
    ratio = _exp(float(np.median(second)) - float(np.median(first)))
    shift = shift_interval(first, second)
    if shift is None:
        needed = 4 if min(len(first), len(second)) < 4 else None
        return Difference(ratio, None, None, p, "unknown", needed)
    low, high = _exp(shift[0]), _exp(shift[1])
    if 1.0 - tolerance <= low and high <= 1.0 + tolerance:
        return Difference(ratio, low, high, p, "same", None)
    if p is not None and p < SIGNIFICANCE and not low <= 1.0 <= high:
        return Difference(ratio, low, high, p, "slower" if low > 1.0 else "faster", None)
    half = (shift[1] - shift[0]) / 2.0
    count = max(len(first), len(second))
    needed = math.ceil(count * (half / math.log1p(tolerance)) ** 2)
    return Difference(
        ratio, low, high, p, "unknown", max(needed, count + 1) if needed < MOST_LAUNCHES else None
    )


def _exp(log: float) -> float:
    """Infinite where the result exceeds a double: an imported log may hold 1e-300 s."""
    return math.exp(log) if log < LARGEST_LOG else math.inf

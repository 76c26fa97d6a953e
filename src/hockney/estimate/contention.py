"""What pairs do to each other: one number of pairs at once against another, in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hockney.estimate.points import Estimates, PointEstimate, estimate, estimate_point
from hockney.records import Run

LEAST_RISE = 0.10
"""By so much the time of the most pairs is above that of the fewest, or there is no knee."""
LEAST_COUNTS = 3
"""Numbers of pairs: two are a slowdown, no curve."""

Array = NDArray[np.float64]
Key = tuple[str, str | None, int, int]
"""Operation, algorithm, bytes and ranks."""


@dataclass(frozen=True)
class Contention:
    """One size and number of pairs at once."""

    together: PointEstimate
    """Of each visit the slowest pair."""
    each: tuple[PointEstimate, ...]
    """Of every pair, or with --every-iteration of every rank, by time."""
    slowdown: float | None
    """A pair's time over its time alone, the median of those pairs that were also measured alone;
    None where none was."""

    @property
    def pairs(self) -> int:
        return (self.together.known_ranks) // 2

    @property
    def typical_s(self) -> float:
        return float(np.median([point.typical_s for point in self.each]))

    @property
    def best(self) -> PointEstimate:
        return self.each[0]

    @property
    def worst(self) -> PointEstimate:
        return self.each[-1]

    @property
    def messages_per_s(self) -> float | None:
        """Of all pairs. Where each sent as many messages as the others, over the time until the
        last was done: then bandwidth is Hager & Wellein's 4 x n / T_b, with T_b the time of n round
        trips of two pairs. Else all spoke for the same time, and their rates add up."""
        if self.together.repetitions is not None:
            last_s = self.together.typical_s
            return self.pairs / last_s if last_s > 0.0 else None
        seconds = [point.typical_s for point in self.each]
        return sum(1.0 / time for time in seconds) if min(seconds) > 0.0 else None

    @property
    def aggregate_Bps(self) -> float | None:
        """Of all pairs; None for empty messages."""
        rate = self.messages_per_s
        return rate * self.together.bytes if rate and self.together.bytes else None


@dataclass(frozen=True)
class Knee:
    """The contention curve of one size: T(k) = max(T_alone, c + k b / plateau) of a typical pair,
    so that one slow pair does not bend it."""

    operation: str
    algorithm: str | None
    bytes: int
    pairs: float | None
    """From where on pairs wait for each other; None where they do not, up to most_pairs."""
    plateau_Bps: float | None
    """What all pairs together come to; None without a knee or for empty messages."""
    most_pairs: int
    error: float
    """Largest relative deviation of a measured time from the curve."""


def points_to_fit(run: Run) -> list[PointEstimate]:
    """Of pairs at once the slowest of each visit; else every point of the experiment."""
    estimates = estimate(run)
    if run.header.experiment == "pairs" and run.samples:
        return at_once(run, estimates)
    return estimates.own()


def at_once(run: Run, estimates: Estimates) -> list[PointEstimate]:
    """Of every size and number of pairs at once the slowest pair: of each visit the largest of the
    pairs' medians. In the headline state, without slow launches."""
    slowest: dict[Key, dict[int, dict[int, float]]] = {}
    repetitions: dict[Key, set[int]] = {}
    for samples in run.samples:
        if not samples.ns or not samples.peers:
            continue
        if (
            estimates.states.of(samples.launch, samples.round) != 0
            or samples.launch in estimates.slow_launches
        ):
            continue
        key = (samples.operation, samples.algorithm, samples.bytes, samples.ranks)
        repetitions.setdefault(key, set()).add(samples.repetitions)
        visits = slowest.setdefault(key, {}).setdefault(samples.launch, {})
        seconds = float(np.median(samples.ns)) * 1e-9
        visits[samples.round] = max(visits.get(samples.round, 0.0), seconds)
    points = []
    for key, launches in sorted(slowest.items(), key=lambda item: _order(item[0])):
        arrays = {launch: np.array(list(visits.values())) for launch, visits in launches.items()}
        counts = repetitions[key]
        points.append(
            replace(
                estimate_point((*key, ()), 0, arrays),
                pairs=key[3] // 2,
                repetitions=counts.pop() if len(counts) == 1 else None,
            )
        )
    return points


def _order(key: Key) -> tuple[str, int, str, int, int]:
    """Under each size the windows by their number: window 2 before window 16."""
    operation, algorithm, size, ranks = key
    words, _, last = (algorithm or "").rpartition(" ")
    window = int(last) if last.isdecimal() else 0
    return operation, size, words if window else last, window, ranks


def contention(run: Run, estimates: Estimates) -> list[Contention]:
    """Every size and number of pairs at once."""
    each: dict[Key, list[PointEstimate]] = {}
    for point in estimates.own():
        if point.peers:
            key = (point.operation, point.algorithm, point.bytes, point.ranks or 0)
            each.setdefault(key, []).append(point)
    found = []
    for together in at_once(run, estimates):
        key = (together.operation, together.algorithm, together.bytes, together.known_ranks)
        if key in each:
            alone = each.get((*key[:3], 2), [])
            ordered = tuple(sorted(each[key], key=lambda point: point.typical_s))
            slowdown = _slowdown(ordered, alone) if together.known_ranks > 2 else None
            found.append(Contention(together, ordered, slowdown))
    return found


def _slowdown(each: Sequence[PointEstimate], alone: Sequence[PointEstimate]) -> float | None:
    before = {point.peers: point.typical_s for point in alone}
    ratios = [p.typical_s / before[p.peers] for p in each if before.get(p.peers)]
    return float(np.median(ratios)) if ratios else None


def knees(curve: Sequence[Contention]) -> list[Knee]:
    """Of each size that was measured with several numbers of pairs at once."""
    by_size: dict[tuple[str, str | None, int], list[Contention]] = {}
    for one in curve:
        point = one.together
        by_size.setdefault((point.operation, point.algorithm, point.bytes), []).append(one)
    return [
        _knee(key, sorted(counts, key=lambda one: one.pairs))
        for key, counts in by_size.items()
        if len(counts) >= LEAST_COUNTS and counts[0].typical_s > 0.0
    ]


def _knee(key: tuple[str, str | None, int], curve: Sequence[Contention]) -> Knee:
    pairs = np.array([float(one.pairs) for one in curve])
    seconds = np.array([one.typical_s for one in curve])
    most = curve[-1].pairs
    if seconds[-1] < (1.0 + LEAST_RISE) * seconds[0]:
        flat = float(np.exp(np.log(seconds).mean()))
        return Knee(*key, None, None, most, float(np.abs(seconds / flat - 1.0).max()))
    alone, constant, slope, error = min(
        (_two_lines(pairs, seconds, split) for split in range(1, len(pairs))),
        key=lambda found: found[3],
    )
    return Knee(
        *key,
        max((alone - constant) / slope, float(pairs[0])),
        key[2] / slope if key[2] else None,
        most,
        error,
    )


def _two_lines(pairs: Array, seconds: Array, split: int) -> tuple[float, float, float, float]:
    """T_alone, c and the slope over pairs of T(k) = max(T_alone, c + slope k), c from 0 to T_alone,
    with points before `split` on the first and the rest on the second line; and the largest
    relative error. One point alone on the second does not tell c: 0 is taken."""
    from scipy.optimize import lsq_linear

    alone = float(np.exp(np.log(seconds[:split]).mean()))
    k, t = pairs[split:], seconds[split:]
    if len(k) == 1:
        constant, slope = 0.0, float(t[0] / k[0])
    else:
        columns = np.column_stack([alone / t, alone * k / t])
        found = lsq_linear(columns, np.ones(len(t)), bounds=([0.0, 1e-12], [1.0, np.inf])).x
        constant, slope = alone * float(found[0]), alone * float(found[1])
    curve = np.maximum(alone, constant + slope * pairs)
    return alone, constant, slope, float(np.abs(curve / seconds - 1.0).max())

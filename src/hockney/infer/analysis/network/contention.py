"""Contention between pairs: times at different numbers of pairs at once, in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from hockney.infer.analysis.network.outlier_rule import LEAST_RATIO
from hockney.infer.arrays import Array
from hockney.infer.estimate.by_launch import visit_medians_ns
from hockney.infer.estimate.cells import headline_rows
from hockney.infer.estimate.estimating import estimate_point
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.plan.axes import Point, grouped, grouped_by, key_without, point_of, sort_key
from hockney.records import Run

LEAST_RISE = 0.10
"""Least relative rise of a pair's time, over its time with the fewest pairs, for a knee. A curve
that misses a time by as much does not show whether there is a rise."""
LEAST_COUNTS = 3
"""Numbers of pairs that a knee needs; two give only a slowdown."""
NOT_REPEATED = "no pair was measured at every number of pairs"
MISFIT = "no curve of contention describes the times"
OTHERS_SLOWER = "pairs that were not measured with the fewest become slower"
"""Why a knee is not known."""
OF_PAIRS = ("peers", "level", "pairs", "ranks")
"""Axes in which one number of pairs at once differs from another."""


def over_pairs(points: Sequence[PointEstimate]) -> tuple[float, float | None, float | None]:
    """The time of one pair and its confidence interval; of several pairs the median pair, the
    fastest and the slowest."""
    if len(points) == 1:
        return points[0].typical_s, low_of(points[0].interval), high_of(points[0].interval)
    times = [point.typical_s for point in points]
    return float(np.median(times)), min(times), max(times)


@dataclass(frozen=True)
class Contention:
    """One size and number of pairs at once."""

    together: PointEstimate
    """The slowest pair of each visit."""
    each: tuple[PointEstimate, ...]
    """Points of every pair, or with --every-iteration of every rank, the fastest first."""
    slowdown: float | None
    """A pair's time over its time alone, the median of those pairs that were also measured alone;
    None where none was."""

    @property
    def pairs(self) -> int:
        return self.together.pairs or 1

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
    def worst_stands_out(self) -> bool:
        """Whether the slowest pair takes more than LEAST_RATIO times as long as the median one."""
        return self.worst.typical_s > LEAST_RATIO * self.typical_s

    @property
    def messages_per_s(self) -> float | None:
        """The rate of all pairs, of all their threads. If each sent equally many messages, it is
        over the time until the last was done: bandwidth is then Hager & Wellein's 4 x n / T_b, with
        T_b the time of n round trips of two pairs. If all communicated for the same time, their
        rates add up."""
        at_once = self.together.messages_at_once
        if self.together.repetitions is not None:
            last_s = self.together.typical_s
            return at_once * self.pairs / last_s if last_s > 0.0 else None
        seconds = [point.typical_s for point in self.each]
        return at_once * sum(1.0 / time for time in seconds) if min(seconds) > 0.0 else None

    @property
    def aggregate_Bps(self) -> float | None:
        """Bandwidth of all pairs together; None for empty messages."""
        rate = self.messages_per_s
        return rate * self.together.bytes if rate and self.together.bytes else None


@dataclass(frozen=True)
class Knee:
    """The contention curve of one size: T(k) = max(T_alone, c + k b / plateau). It is fitted to
    times over those of the same pairs with the fewest at once, so that pairs that differ do not
    bend it."""

    point: Point
    """The point, without a number of pairs."""
    pairs: float | None
    """The number of pairs from which pairs wait for each other; None if they do not, up to
    most_pairs, or if that is unknown."""
    plateau_Bps: float | None
    """Bandwidth of all pairs beyond the knee, were all like the median pair; None without a knee or
    for empty messages."""
    most_pairs: int
    error: float | None
    """Largest relative deviation of a measured time from the curve; None without a curve."""
    unknown: str | None = None
    """Why it is not known whether there is a knee; None where it is."""


def at_once(run: Run, estimates: Estimates) -> list[PointEstimate]:
    """The slowest pair at every size and number of pairs at once: for each visit the largest of the
    pairs' medians. In the headline state, without slow launches."""
    visits, slowest = run.samples, dict[Point, dict[int, dict[int, float]]]()
    repetitions: dict[Point, set[int]] = {}
    keys = [msgspec.structs.replace(point, peers=(), level=None) for point in visits.visited]
    has_peers = np.array([bool(point.peers) for point in visits.visited], dtype=np.bool_)
    rows = headline_rows(run, estimates.states)
    slow = np.isin(visits.column("launch")[rows], estimates.slow_launches)
    rows = rows[has_peers[visits.codes[rows]] & ~slow]
    medians = visit_medians_ns(visits, rows) * 1e-9
    columns = [visits.column(name)[rows].tolist() for name in ("launch", "round", "repetitions")]
    codes = visits.codes[rows].tolist()
    for code, launch, round_, times, seconds in zip(codes, *columns, medians.tolist(), strict=True):
        key = keys[code]
        repetitions.setdefault(key, set()).add(times)
        of_launch = slowest.setdefault(key, {}).setdefault(launch, {})
        of_launch[round_] = max(of_launch.get(round_, 0.0), seconds)
    points = []
    for key in sorted(slowest, key=lambda key: (key.operation, key.bytes, sort_key(key))):
        launches = slowest[key]
        arrays = {launch: np.array(list(visits.values())) for launch, visits in launches.items()}
        counts = repetitions[key]
        points.append(
            msgspec.structs.replace(
                estimate_point(key, 0, arrays),
                repetitions=counts.pop() if len(counts) == 1 else None,
            )
        )
    return points


def contention(slowest: Sequence[PointEstimate], estimates: Estimates) -> list[Contention]:
    """The contention at every size and number of pairs at once. slowest: from `at_once`."""
    of_pairs = [point for point in estimates.own() if point.peers]
    each = grouped(of_pairs, "peers", "level")
    alone = grouped((point for point in of_pairs if point.pairs == 1), *OF_PAIRS)
    contentions = []
    for together in slowest:
        points = each.get(key_without(together, "peers", "level"))
        if points:
            ordered = tuple(sorted(points, key=lambda point: point.typical_s))
            before = alone.get(key_without(together, *OF_PAIRS), [])
            slowdown = _slowdown(ordered, before) if (together.pairs or 1) > 1 else None
            contentions.append(Contention(together, ordered, slowdown))
    return contentions


def _slowdown(each: Sequence[PointEstimate], alone: Sequence[PointEstimate]) -> float | None:
    before = {point.peers: point.typical_s for point in alone}
    ratios = [p.typical_s / before[p.peers] for p in each if before.get(p.peers)]
    return float(np.median(ratios)) if ratios else None


def knees(curve: Sequence[Contention]) -> list[Knee]:
    """A knee for each size that was measured with at least LEAST_COUNTS numbers of pairs."""
    by_size = grouped_by(curve, lambda contention: contention.together, *OF_PAIRS)
    return [
        _knee(sorted(counts, key=lambda contention: contention.pairs))
        for counts in by_size.values()
        if len(counts) >= LEAST_COUNTS and counts[0].typical_s > 0.0
    ]


def _knee(curve: Sequence[Contention]) -> Knee:
    point = msgspec.structs.replace(point_of(curve[0].together), pairs=None, ranks=None)
    most = curve[-1].pairs
    times = [_slowdown(contention.each, curve[0].each) for contention in curve]
    if not all(times):
        return Knee(point, None, None, most, None, NOT_REPEATED)
    relative = np.array(times, dtype=float)
    rises = relative[-1] >= 1.0 + LEAST_RISE
    off_flat = float(np.abs(relative / np.exp(np.log(relative).mean()) - 1.0).max())
    knee, slope, error = _bent(curve, relative) if rises else (None, None, off_flat)
    if error >= LEAST_RISE:
        return Knee(point, None, None, most, error, MISFIT)
    if slope is None:
        return Knee(point, None, None, most, error, OTHERS_SLOWER if _later_rise(curve) else None)
    # The median pair's time alone, had each been measured alone.
    alone_s = curve[-1].typical_s / float(relative[-1])
    plateau_Bps = point.bytes / (slope * alone_s) if point.bytes else None
    return Knee(point, knee, plateau_Bps, most, error)


def _bent(curve: Sequence[Contention], relative: Array) -> tuple[float, float, float]:
    """The knee, the slope over pairs beyond it and the largest relative error of the best curve
    through relative times."""
    pairs = np.array([float(contention.pairs) for contention in curve])
    alone, constant, slope, error = min(
        (_two_lines(pairs, relative, split) for split in range(1, len(pairs))),
        key=lambda lines: lines[3],
    )
    return max((alone - constant) / slope, float(pairs[0])), slope, error


def _later_rise(curve: Sequence[Contention]) -> bool:
    """Whether most pairs are slower at last than where each was first measured, which for some is
    beyond the fewest pairs."""
    first = {point.peers: point for contention in reversed(curve[:-1]) for point in contention.each}
    slowdown = _slowdown(curve[-1].each, list(first.values()))
    return slowdown is not None and slowdown >= 1.0 + LEAST_RISE


def _two_lines(pairs: Array, times: Array, split: int) -> tuple[float, float, float, float]:
    """T_alone, c and the slope over pairs of T(k) = max(T_alone, c + slope k), c from 0 to T_alone,
    with points before `split` on the first and the rest on the second line; and the largest
    relative error. One point alone on the second does not determine c: 0 is taken."""
    from scipy.optimize import lsq_linear

    alone = float(np.exp(np.log(times[:split]).mean()))
    k, t = pairs[split:], times[split:]
    if len(k) == 1:
        constant, slope = 0.0, float(t[0] / k[0])
    else:
        columns = np.column_stack([alone / t, alone * k / t])
        coefficients = lsq_linear(columns, np.ones(len(t)), bounds=([0.0, 1e-12], [1.0, np.inf])).x
        constant, slope = alone * float(coefficients[0]), alone * float(coefficients[1])
    curve = np.maximum(alone, constant + slope * pairs)
    return alone, constant, slope, float(np.abs(curve / times - 1.0).max())

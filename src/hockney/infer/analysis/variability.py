"""Variability of times: over the repetitions of each rank, and over all ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from hockney.base.grouping import by_key
from hockney.infer.analysis.network.outlier_rule import (
    LEAST_MEMBERS,
    LEAST_RATIO,
    SIGNIFICANCE,
    tested,
)
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.cells import headline_rows
from hockney.infer.estimate.differences import holm
from hockney.infer.estimate.points import Estimates
from hockney.infer.estimate.sketch import quantile_of
from hockney.plan import workload_of
from hockney.plan.axes import Point, sort_key
from hockney.records import Run

Rows = Whole


@dataclass(frozen=True)
class Spread:
    """Distribution of all samples of one rank, or of all ranks, at one point."""

    point: Point
    """The point, without its pair of ranks."""
    rank: int | None
    """The rank; None for all ranks together."""
    samples: int
    mean_s: float
    std_s: float | None
    min_s: float
    p5_s: float | None
    """5 % quantile; None, as the other quantiles, with too few samples (samples_needed)."""
    median_s: float
    p95_s: float | None
    p99_s: float | None
    max_s: float

    @property
    def relative_std(self) -> float | None:
        return None if self.std_s is None or not self.mean_s else self.std_s / self.mean_s


def variability(run: Run, estimates: Estimates) -> list[Spread]:
    """For each size all ranks together, then each rank, from every sample of the headline state.

    Where only pairs were timed, a sample counts for both of its ranks.
    """
    workload = workload_of(run.header.options)
    each_rank = workload is not None and workload.times_every_iteration
    visits, rows_of = run.samples, dict[Point, dict[int, list[Rows]]]()
    rows = headline_rows(run, estimates.states)
    codes = visits.codes[rows]
    by_point = rows[np.argsort(codes, kind="stable")]
    counts = np.bincount(codes, minlength=len(visits.visited))
    parts = np.split(by_point, np.cumsum(counts)[:-1]) if len(counts) else []
    for point, part in zip(visits.visited, parts, strict=True):
        key = msgspec.structs.replace(point, peers=(), level=None)
        for rank in (point.peers[:1] if each_rank else point.peers) if len(part) else ():
            rows_of.setdefault(key, {}).setdefault(rank, []).append(part)
    spreads = []
    for key in sorted(rows_of, key=sort_key):
        ranks = {
            rank: visits.values(np.sort(np.concatenate(parts_of_rank))) * 1e-9
            for rank, parts_of_rank in sorted(rows_of[key].items())
        }
        spreads.append(_spread(key, None, np.concatenate(list(ranks.values()))))
        spreads += [_spread(key, rank, seconds) for rank, seconds in ranks.items()]
    return spreads


def _spread(point: Point, rank: int | None, seconds: Array) -> Spread:
    p5, p95, p99 = (quantile_of(seconds, fraction) for fraction in (0.05, 0.95, 0.99))
    return Spread(
        point,
        rank,
        samples=len(seconds),
        mean_s=float(seconds.mean()),
        std_s=float(seconds.std(ddof=1)) if len(seconds) > 1 else None,
        min_s=float(seconds.min()),
        p5_s=p5,
        median_s=float(np.median(seconds)),
        p95_s=p95,
        p99_s=p99,
        max_s=float(seconds.max()),
    )


@dataclass(frozen=True)
class SlowRank:
    """A rank whose mean is an outlier among the ranks' means."""

    rank: int
    point: Point
    """The point at which its ratio is largest."""
    ratio: float
    """The rank's mean over the median of the ranks' means."""
    p: float | None
    """p, corrected for the number of ranks and points; None of simulated times, which are exact."""


def slow_ranks(spreads: Sequence[Spread], is_simulated: bool = False) -> list[SlowRank]:
    """Ranks whose mean, which every disturbance moves, is an outlier by the test of
    network/outlier_rule.py, the slowest first."""
    known = [spread for spread in spreads if spread.rank is not None and spread.mean_s > 0.0]
    suspects: list[tuple[Spread, float]] = []
    chances: list[float] = []
    for members in by_key(known, lambda spread: spread.point).values():
        if len(members) >= LEAST_MEMBERS:
            test = tested(np.log([member.mean_s for member in members]))
            suspects += zip(members, np.exp(test.excess).tolist(), strict=True)
            chances += test.p.tolist()
    worst: dict[int, SlowRank] = {}
    for (spread, ratio), p in zip(suspects, holm(np.array(chances)).tolist(), strict=True):
        if spread.rank is None or ratio <= LEAST_RATIO or p >= SIGNIFICANCE:
            continue
        if spread.rank not in worst or ratio > worst[spread.rank].ratio:
            sure = None if is_simulated else p
            worst[spread.rank] = SlowRank(spread.rank, spread.point, ratio, sure)
    return sorted(worst.values(), key=lambda slow_rank: -slow_rank.ratio)

"""The congestion factor: victims' times under load over their times alone, in the same launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from hockney.infer.analysis.tails import Sketches
from hockney.infer.arrays import Array
from hockney.infer.estimate.cells import cells_of
from hockney.infer.estimate.differences import Judged, exact, paired
from hockney.infer.estimate.sketch import Sketch, samples_needed
from hockney.infer.estimate.states import States
from hockney.plan.axes import Point, sort_key
from hockney.plan.variants import DEFAULT_TOLERANCE
from hockney.plan.workloads import Workload
from hockney.plan.workloads.congestion import Congestion
from hockney.records import Run

MEDIAN = 0.5
QUANTILES = (MEDIAN, 0.99, 0.999)
"""Quantiles that are compared: the median, and tails."""
TOO_FEW = "too few"
"""Text shown where a quantile needs more samples than any launch has."""

OfLaunches = Mapping[int, Array | Sketch]
"""Samples of each launch, or a histogram of them."""
Times = Mapping[Point, OfLaunches]


@dataclass(frozen=True)
class Factor:
    """One quantile of the victims' times under load, over that of their times alone."""

    quantile: float
    isolated_s: float
    """The median over launches of the quantile of times alone."""
    loaded_s: float
    judged: Judged
    """The launches' ratios, judged."""
    launches: int
    """Number of launches with enough samples of both."""

    def surely_above(self, limit: float) -> bool:
        interval = self.judged.interval
        return interval is not None and interval.low > limit


@dataclass(frozen=True)
class Congested:
    """A victim at one size under one load."""

    point: Point
    factors: tuple[Factor, ...]
    """Factors by quantile, the median's first; those with too few samples are missing."""
    load_Bps: float | None
    """Rate of all aggressors together: the median over visits."""
    most_factor: float | None
    """Largest factor that the plan allows."""

    @property
    def median(self) -> Factor:
        return self.factors[0]

    def factor(self, quantile: float) -> Factor | None:
        """The factor of a quantile; None with too few samples."""
        return next((factor for factor in self.factors if factor.quantile == quantile), None)

    @property
    def exceeds(self) -> bool:
        """Whether a factor is surely above what the plan allows."""
        limit = self.most_factor
        return limit is not None and any(factor.surely_above(limit) for factor in self.factors)


@dataclass(frozen=True)
class Worst:
    """The worst of several loads: by the median, and by a tail, which may be another load's."""

    median: Congested
    """With the largest factor of medians."""
    tail: Congested | None
    """With the largest factor of a tail that exceeds that one; where none does, `median` if it has
    a tail; else None."""
    tail_factor: Factor | None
    """That factor; None without `tail`."""

    @classmethod
    def of(cls, rows: Sequence[Congested]) -> Worst:
        worst = max(rows, key=lambda row: row.median.judged.ratio)
        most = worst.median.judged.ratio
        tails = [
            (row, factor) for row in rows for factor in row.factors if factor is not row.median
        ]
        above = [each for each in tails if each[1].judged.ratio > most]
        own = [each for each in tails if each[0] is worst]
        tail = max(above or own, key=lambda each: each[1].judged.ratio, default=None)
        return cls(worst, *(tail or (None, None)))


def isolated_of(point: Point) -> Point:
    """The point of the same victim without a load."""
    return replace(
        point, aggressor=None, load_bytes=None, load_window=None, burst_s=None, gap_s=None
    )


def congested(
    run: Run, states: States, workload: Workload | None, sketches: Sketches
) -> list[Congested]:
    """Every victim under every load, against the same victim alone: medians by the samples, tails
    by the histograms of all operations where there are some. Empty unless congestion was
    measured."""
    if not isinstance(workload, Congestion):
        return []
    samples = _by_launch(run, states)
    rates = _rates(run)
    victims = []
    for point in sorted(samples, key=sort_key):
        alone = isolated_of(point)
        if point.aggressor is None or alone not in samples:
            continue
        each: list[Factor | None] = []
        for quantile in QUANTILES:
            times: Times = samples if quantile == MEDIAN or not sketches else sketches
            both = times.get(alone, {}), times.get(point, {})
            each.append(_factor(quantile, *both, run.is_simulated))
        if each[0] is not None:
            factors = tuple(factor for factor in each if factor is not None)
            victims.append(Congested(point, factors, rates.get(point), workload.most_factor))
    return victims


def _by_launch(run: Run, states: States) -> Times:
    """The samples of each launch in the headline state, in seconds. No launch is excluded as slow:
    with roles drawn anew, launches differ because placements do."""
    samples: dict[Point, OfLaunches] = {}
    for (point, state), cell in cells_of(run, states).items():
        if state == 0:
            parts = np.split(cell.seconds(), np.cumsum(cell.counts)[:-1])
            samples[point] = dict(zip(cell.numbers.tolist(), parts, strict=True))
    return samples


def _factor(
    quantile: float, alone: OfLaunches, loaded: OfLaunches, is_exact: bool
) -> Factor | None:
    """The factor of one quantile; None if no launch has enough samples."""
    needed = 1 if quantile == MEDIAN else samples_needed(quantile)
    pairs = np.array(
        [
            (_quantile(alone[launch], quantile), _quantile(times, quantile))
            for launch, times in loaded.items()
            if launch in alone and min(len(alone[launch]), len(times)) >= needed
        ]
    ).reshape(-1, 2)
    pairs = pairs[(pairs > 0.0).all(axis=1)]
    if not len(pairs):
        return None
    log_ratios = np.log(pairs[:, 1] / pairs[:, 0])
    isolated_s, loaded_s = np.median(pairs, axis=0).tolist()
    judged = (exact if is_exact else paired)(log_ratios, DEFAULT_TOLERANCE)
    return Factor(quantile, isolated_s, loaded_s, judged, len(pairs))


def _quantile(times: Array | Sketch, quantile: float) -> float:
    if isinstance(times, Sketch):
        return times.quantile(quantile)
    return float(np.quantile(times, quantile))


def _rates(run: Run) -> dict[Point, float]:
    """The rate of all aggressors: the median over visits."""
    visits = run.samples
    rates, codes = visits.column("load_Bps"), visits.codes
    return {
        point: float(np.median(known))
        for code, point in enumerate(visits.visited)
        if len(known := rates[(codes == code) & ~np.isnan(rates)])
    }

"""Estimates each point of a run: the median of each launch, then the median over launches."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.by_launch import Launches, launches_of, medians_of
from hockney.infer.estimate.cells import Cell, Cells, cells_of
from hockney.infer.estimate.clock_steps import resolution_s, within_a_step
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.launches import kept_apart, launch_ratios, modes_of, slow_launches
from hockney.infer.estimate.points import AUXILIARY, Estimates, PointEstimate
from hockney.infer.estimate.quantiles import deciding_interval, launch_interval
from hockney.infer.estimate.states import States, find_states
from hockney.infer.estimate.summaries import Statistics, Typical, spread, statistics_of, typical
from hockney.plan.axes import Point, sort_key
from hockney.records import Run

THREADS, WORTH_THREADS = 2, 2_000_000
"""Cells that are reduced in parallel, whose samples are in memory meanwhile, and the number of
samples from which a run is worth that."""

Medians = dict[tuple[Point, int], tuple[Whole, Array]]
"""Numbers of the launches and their medians, by point and state."""
Steps = dict[tuple[Point, int], float]
"""The step of the clock in the times of each cell, in seconds."""


def estimate(run: Run, states: States | None = None, every_launch: bool = False) -> Estimates:
    """Estimates every point in every state with enough rounds; points without samples from their
    imported statistics. states: those of the run, where they are known. every_launch: exclude
    none from the medians."""
    states = states or find_states(run)
    of_visits = cells_of(run, states)
    cells = _reduced(of_visits)
    own = {name: _own_medians(run, states, name) for name in ("own_mean_ns", "own_max_ns")}
    known = {cell: (launches.numbers, launches.medians) for cell, launches in cells.items()}
    steps = _steps(run, of_visits, known)
    medians = _headline(known, steps)
    ratios = launch_ratios(medians)
    slow = set() if every_launch else slow_launches(ratios)
    ended = run.finish is not None and run.finish.reason == "precision" and not run.is_simulated
    points = []
    for cell, launches in cells.items():
        kept = _without(slow, launches)
        decided = ended and cell[1] == 0 and cell[0].operation not in AUXILIARY
        point = _of_launches(*cell, launches, kept, decided, steps[cell])
        means = {name[:-2] + "s": _median_over(own[name].get(cell), kept) for name in own}
        points.append(msgspec.structs.replace(point, **means))
    measured = {key for key, _ in cells}
    for key, statistics in statistics_of(run).items():
        chosen = None if key in measured else typical(statistics)
        if chosen is not None:
            chosen = chosen.as_one() if run.has_unrelated_rows else chosen
            points.append(_summary_point(key, statistics, chosen))
    points.sort(key=lambda point: (point.state, point.is_auxiliary, sort_key(point)))
    modes = modes_of(ratios, medians)
    apart = () if modes else kept_apart(ratios, medians)
    return Estimates(tuple(points), states, tuple(sorted(slow)), modes, apart)


def _reduced(cells: Cells) -> dict[tuple[Point, int], Launches]:
    """The launches of each cell; with many samples two cells at once, as numpy releases the
    GIL."""

    def reduced(cell: Cell) -> Launches:
        return launches_of(cell.numbers, cell.counts, cell.seconds())

    if sum(int(cell.counts.sum()) for cell in cells.values()) < WORTH_THREADS:
        return {key: reduced(cell) for key, cell in cells.items()}
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(THREADS) as threads:
        return dict(zip(cells, threads.map(reduced, cells.values()), strict=True))


@dataclass(frozen=True)
class LeastKnown:
    """The headline point that most needs more launches."""

    point: Point
    median_s: float
    interval: Interval | None
    """Interval over the launches so far; None if they are too few."""
    deciding: Interval | None
    """The interval that ends the run when it is narrow (deciding_interval)."""

    @property
    def precision(self) -> float:
        """Relative half-width of the interval; infinite without one."""
        return self._relative(self.interval)

    @property
    def deciding_precision(self) -> float:
        """Relative half-width of the deciding interval; infinite without one."""
        return self._relative(self.deciding)

    def _relative(self, interval: Interval | None) -> float:
        if interval is None:
            return math.inf
        half = interval.half_width
        return half / self.median_s if self.median_s else math.inf if half else 0.0


def least_known(run: Run, sizes: Container[int] | None = None) -> LeastKnown | None:
    """The least known headline point; None without samples. Called after every launch, so it
    computes nothing else. sizes: the bytes that count; None for all."""
    of_visits = cells_of(run, find_states(run))
    cells = _medians_of(of_visits)
    slow = list(slow_launches(launch_ratios(_headline(cells, _steps(run, of_visits, cells)))))
    points = []
    for (key, state), (numbers, medians) in cells.items():
        if sizes is not None and key.bytes not in sizes:
            continue
        if state == 0 and key.operation not in AUXILIARY:
            kept = medians[~np.isin(numbers, slow)]
            interval = launch_interval(kept)
            # Simulated launches do not vary by chance: any interval of them decides.
            deciding = interval if run.is_simulated else deciding_interval(kept)
            points.append(LeastKnown(key, float(np.median(kept)), interval, deciding))
    return max(points, key=lambda point: (point.deciding_precision, point.precision), default=None)


def is_precise(run: Run, precision: float) -> bool:
    """True if a run may end: every headline interval over the first half of its launches is inside
    the asked precision."""
    worst = least_known(run)
    return worst is not None and worst.deciding_precision <= precision


def _medians_of(cells: Cells) -> Medians:
    return {
        cell: (visits.numbers, medians_of(visits.counts, visits.seconds()))
        for cell, visits in cells.items()
    }


def _own_medians(run: Run, states: States, times: str) -> Medians:
    """The ranks' own durations, which only collectives have."""
    return _medians_of(cells_of(run, states, times)) if run.samples.has(times) else {}


def _steps(run: Run, cells: Cells, medians: Medians) -> Steps:
    resolution = resolution_s(run)
    return {
        key: cell.clock_step_s(resolution, float(medians[key][1][0])) for key, cell in cells.items()
    }


def _median_over(known: tuple[Whole, Array] | None, kept: Launches) -> float | None:
    """The median over the kept launches of each one's median."""
    if known is None:
        return None
    medians = known[1][np.isin(known[0], kept.numbers)]
    return float(np.median(medians)) if len(medians) else None


def _without(slow: set[int], launches: Launches) -> Launches:
    """The launches without slow ones, unless none would remain."""
    others = ~np.isin(launches.numbers, list(slow))
    return launches if others.all() or not others.any() else launches.where(others)


def _headline(cells: Medians, steps: Steps) -> list[dict[int, float]]:
    """The medians of each launch, by its number, of every point in the headline state; alike where
    no more than a step of the clock is between them."""
    return [
        dict(zip(numbers.tolist(), within_a_step(medians, steps[key]).tolist(), strict=True))
        for key, (numbers, medians) in cells.items()
        if key[1] == 0
    ]


def estimate_point(key: Point, state: int, launches: dict[int, Array]) -> PointEstimate:
    """Estimates a point from the samples of each launch, in seconds."""
    counts = np.array([len(values) for values in launches.values()])
    seconds = np.concatenate(list(launches.values()))
    reduced = launches_of(np.array(list(launches)), counts, seconds)
    return _of_launches(key, state, reduced, reduced, ended=False)


def _of_launches(
    key: Point, state: int, every: Launches, kept: Launches, ended: bool, step_s: float = 0.0
) -> PointEstimate:
    """The estimate of a point. kept: launches of the median and its interval; every: launches of
    all other numbers. ended: the run ended because it was precise. step_s: that of the clock, half
    of which a median may be off."""
    size, count = key.bytes, int(every.counts.sum())
    centre = float(np.median(kept.medians))
    p5, p25, p75, p95, p99 = map(_median_of_known, every.quantiles.T)
    mean = float(every.means.mean())
    # Each launch weighs the same: the variance within launches, and that of their means.
    variance = float((every.variances + (every.means - mean) ** 2).mean())
    several = every.counts > 1
    own = every.counts[several]
    within = np.sqrt(every.variances[several] * own / (own - 1))
    return _over_launches(
        key,
        state,
        kept.numbers,
        kept.medians,
        ended,
        samples=count,
        effective_samples=float(every.effective_sizes.sum()),
        statistic="median",
        min_s=float(every.lowest.min()),
        p5_s=p5,
        p25_s=p25,
        p75_s=p75,
        p95_s=p95,
        mean_s=mean,
        std_s=float(np.sqrt(variance)) if count > 1 else None,
        p99_s=p99,
        max_s=float(every.highest.max()),
        within_std_s=float(np.median(within)) if len(within) else None,
        between_std_s=_deviation(every.medians),
        bandwidth_Bps=key.messages_at_once * size / centre if size and centre > 0.0 else None,
        rounding=step_s / 2.0 / centre if step_s and centre > 0.0 else None,
    )


def _median_of_known(values: Array) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None


def _deviation(values: Array) -> float | None:
    return float(values.std(ddof=1)) if len(values) > 1 else None


def _summary_point(key: Point, statistics: Statistics, chosen: Typical) -> PointEstimate:
    return _over_launches(
        key,
        0,
        np.array(list(chosen.seconds)),
        np.array(list(chosen.seconds.values())),
        False,
        samples=0,
        effective_samples=None,
        statistic=chosen.statistic,
        **spread(statistics),
        within_std_s=None,
        between_std_s=_deviation(np.array(list(chosen.seconds.values()))),
        bandwidth_Bps=chosen.bandwidth_Bps,
        rounding=chosen.rounding,
    )


def _over_launches(
    key: Point,
    state: int,
    numbers: Whole,
    typical_s: Array,
    ended: bool,
    **known: Any,
) -> PointEstimate:
    """Adds what follows from each launch's one number."""
    centre, hidden = float(np.median(typical_s)), known.get("rounding") or 0.0
    interval = launch_interval(typical_s, ended)
    if interval is not None:
        interval = interval.including(centre * (1.0 - hidden), centre * (1.0 + hidden))
    return PointEstimate(
        **msgspec.structs.asdict(key),
        state=state,
        launches=len(typical_s),
        typical_s=centre,
        interval=interval,
        medians_s=tuple(typical_s.tolist()),
        launch_numbers=tuple(numbers.tolist()),
        **known,
    )

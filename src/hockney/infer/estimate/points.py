"""Estimates of each point: the median of each launch, then the median over launches."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from hockney.infer.estimate.by_launch import Launches, launches_of, medians_of
from hockney.infer.estimate.cells import Cell, Cells, cells_of
from hockney.infer.estimate.clock_steps import resolution_s, within_a_step
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.launches import (
    Mode,
    kept_apart,
    launch_ratios,
    modes_of,
    slow_launches,
)
from hockney.infer.estimate.quantiles import deciding_interval, launch_interval
from hockney.infer.estimate.states import State, States, find_states
from hockney.infer.estimate.summaries import Statistics, Typical, spread, statistics_of, typical
from hockney.plan.axes import Axes, Key, Point, curve_key, sort_key
from hockney.records import Run

AUXILIARY = frozenset({"handover", "copy", "late", "message"})
"""Operations measured in addition to the experiment's: the hardware without MPI; sends to a late
receiver, which show the protocol; and single messages, from which halos are predicted."""

THREADS, WORTH_THREADS = 2, 2_000_000
"""Cells that are reduced in parallel, whose samples are in memory meanwhile, and the number of
samples from which a run is worth that."""


class PointEstimate(Axes, frozen=True, kw_only=True):
    """The estimate of a point. Times are seconds, one way or per operation; None where they are
    unknown. For all pairs at once they are those of the slowest pair."""

    state: int
    launches: int
    """Launches of the median. A slow one is excluded by SLOW_RULE, from the median, its interval
    and the ranks' own durations only."""
    samples: int
    """Samples of all launches; 0 if only statistics are known."""
    effective_samples: float | None
    statistic: str
    """The number that represents each launch: its median, or a statistic of an imported log."""
    typical_s: float
    """The median over launches of that statistic."""
    interval: Interval | None
    """In seconds; None with too few launches (FEW_RULE)."""
    min_s: float | None
    p5_s: float | None
    p25_s: float | None
    p75_s: float | None
    p95_s: float | None
    mean_s: float | None
    std_s: float | None
    p99_s: float | None
    """Median over launches of the 99 % quantile, as p5_s to p95_s of theirs, over the launches with
    enough samples (sketch.samples_needed); None without one."""
    max_s: float | None
    within_std_s: float | None
    """Standard deviation of samples inside a launch, the median over launches."""
    between_std_s: float | None
    """Standard deviation of the launches' medians."""
    bandwidth_Bps: float | None
    medians_s: tuple[float, ...]
    """The number that represents each launch: its median, or its `statistic`."""
    launch_numbers: tuple[int, ...]
    repetitions: int | None = None
    """Repetitions of a batch, where they are known and the same in all."""
    rounding: float | None = None
    """What the printed digits of a log or the steps of a coarse clock hide, as a fraction of
    typical_s, which the interval holds as well; null where it is unknown."""
    own_mean_s: float | None = None
    """Mean over the ranks of a collective of their own durations, as other suites print it; a
    median over launches as median_s is."""
    own_max_s: float | None = None
    """Longest of the own durations of a collective's ranks; a median over launches as median_s
    is."""

    @property
    def median_s(self) -> float | None:
        """The median; None if another statistic represents the point."""
        return self.typical_s if self.statistic == "median" else None

    @property
    def is_auxiliary(self) -> bool:
        return self.operation in AUXILIARY

    @property
    def precision(self) -> float | None:
        """Relative half-width of the interval over launches."""
        if self.interval is None or not self.typical_s:
            return None
        return self.interval.half_width / self.typical_s


@dataclass(frozen=True)
class Estimates:
    """All points of a run, those of the headline state first."""

    points: tuple[PointEstimate, ...]
    states: States
    slow_launches: tuple[int, ...]
    """Launches that are slow as a whole, excluded from medians and their intervals by SLOW_RULE."""
    modes: tuple[Mode, ...] = ()
    """Modes of the launches, the fastest first; empty if all launches are alike."""
    kept_apart: tuple[Mode, ...] = ()
    """Launches that are too many to be excluded as outliers, but no modes of their own."""

    @property
    def headline(self) -> tuple[PointEstimate, ...]:
        """The points of the state of most rounds."""
        return self.in_state(0)

    def in_state(self, state: int) -> tuple[PointEstimate, ...]:
        return tuple(point for point in self.points if point.state == state)

    def shown(self, all_states: bool) -> tuple[PointEstimate, ...]:
        """The points of the headline state, or of all states."""
        return self.points if all_states else self.headline

    def numbers(self, all_states: bool) -> range:
        """The numbers of the headline state, or of all states."""
        return range(len(self.states.states) if all_states else 1)

    def own(self, state: int = 0) -> list[PointEstimate]:
        """The points of the experiment's own operations (not AUXILIARY)."""
        return [point for point in self.in_state(state) if not point.is_auxiliary]

    def state(self, number: int) -> State:
        return self.states.states[number]


def by_curve(points: Iterable[PointEstimate]) -> dict[Key, list[PointEstimate]]:
    """Groups points by curve (plan.axes.curve_key)."""
    curves: dict[Key, list[PointEstimate]] = {}
    for point in points:
        curves.setdefault(curve_key(point), []).append(point)
    return curves


def statistic_of(points: Iterable[PointEstimate]) -> str:
    """The statistic that represents these points: median, unless they were imported."""
    return " or ".join(dict.fromkeys(point.statistic for point in points)) or "median"


def hidden_log(*pairs: tuple[PointEstimate, PointEstimate]) -> float:
    """Mean error that the rounding of times may cause in the log ratios."""
    each = [-math.log1p(-min(point.rounding or 0.0, 0.99)) for pair in pairs for point in pair]
    return 2.0 * sum(each) / len(each)


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


Medians = dict[tuple[Point, int], tuple[NDArray[np.int64], NDArray[np.float64]]]
"""Numbers of the launches and their medians, by point and state."""


def _medians_of(cells: Cells) -> Medians:
    return {
        cell: (visits.numbers, medians_of(visits.counts, visits.seconds()))
        for cell, visits in cells.items()
    }


def _own_medians(run: Run, states: States, times: str) -> Medians:
    """The ranks' own durations, which only collectives have."""
    return _medians_of(cells_of(run, states, times)) if run.samples.has(times) else {}


Steps = dict[tuple[Point, int], float]
"""The step of the clock in the times of each cell, in seconds."""


def _steps(run: Run, cells: Cells, medians: Medians) -> Steps:
    resolution = resolution_s(run)
    return {
        key: cell.clock_step_s(resolution, float(medians[key][1][0])) for key, cell in cells.items()
    }


def _median_over(
    known: tuple[NDArray[np.int64], NDArray[np.float64]] | None, kept: Launches
) -> float | None:
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


def estimate_point(
    key: Point, state: int, launches: dict[int, NDArray[np.float64]]
) -> PointEstimate:
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


def _median_of_known(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None


def _deviation(values: NDArray[np.float64]) -> float | None:
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
    numbers: NDArray[np.int64],
    typical_s: NDArray[np.float64],
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

"""Estimates of each point: the median of each launch, then the median over launches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from hockney.estimate.launches import Mode, launch_ratios, modes_of, slow_launches
from hockney.estimate.quantiles import LEAST_TO_STOP, Interval, effective_size, launch_interval
from hockney.estimate.states import State, States, find_states
from hockney.estimate.summaries import Statistics, Typical, spread, statistics_of, typical
from hockney.records import Run, Samples
from hockney.spec.axes import Axes, Key, Point, curve_key, point_of, sort_key

AUXILIARY = frozenset({"handover", "copy", "late"})
"""Operations measured in addition to the experiment's: the hardware without MPI, and sends to a
late receiver, which show the protocol."""
LEAST_ROUNDS = 3
"""Rounds that a state needs in a launch with several states."""


class PointEstimate(Axes, frozen=True, kw_only=True):
    """The estimate of a point. Times are seconds, one way or per operation; None where they are
    unknown. For all pairs at once they are those of the slowest pair."""

    state: int
    launches: int
    samples: int
    """0 where only statistics are known."""
    effective_samples: float | None
    statistic: str
    """The number that represents each launch: its median, or a statistic of an imported log."""
    typical_s: float
    """The median over launches of that statistic."""
    low_s: float | None
    high_s: float | None
    confidence: float | None
    """Confidence of the interval low_s to high_s."""
    min_s: float | None
    p5_s: float | None
    p25_s: float | None
    p75_s: float | None
    p95_s: float | None
    mean_s: float | None
    std_s: float | None
    p99_s: float | None
    max_s: float | None
    within_std_s: float | None
    """Standard deviation of samples inside a launch, the median over launches."""
    between_std_s: float | None
    """Standard deviation of the launches' medians."""
    bandwidth_Bps: float | None
    medians_s: tuple[float, ...]
    """The number of each launch: its median, or its `statistic`."""
    launch_numbers: tuple[int, ...]
    repetitions: int | None = None
    """Repetitions of a batch, where they are known and the same in all."""
    own_mean_s: float | None = None
    """For a collective, as other suites print it: the mean over ranks of their own durations, a
    median as median_s is."""
    own_max_s: float | None = None
    """The same for the longest duration."""

    @property
    def median_s(self) -> float | None:
        """None where the point is represented by another statistic."""
        return self.typical_s if self.statistic == "median" else None

    @property
    def is_auxiliary(self) -> bool:
        return self.operation in AUXILIARY

    @property
    def precision(self) -> float | None:
        """Relative half-width of the interval over launches."""
        if self.low_s is None or self.high_s is None or not self.typical_s:
            return None
        return (self.high_s - self.low_s) / 2.0 / self.typical_s


@dataclass(frozen=True)
class Estimates:
    """All points of a run, those of the headline state first."""

    points: tuple[PointEstimate, ...]
    states: States
    slow_launches: tuple[int, ...]
    """Slow as a whole, and excluded from the headline by SLOW_RULE."""
    modes: tuple[Mode, ...] = ()
    """Where launches are of several kinds: these, the fastest first."""

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
        """The points of the headline state, or of all states."""
        return range(len(self.states.states) if all_states else 1)

    def own(self, state: int = 0) -> list[PointEstimate]:
        """The points of the experiment's own operations (not AUXILIARY)."""
        return [point for point in self.in_state(state) if not point.is_auxiliary]

    def state(self, number: int) -> State:
        return self.states.states[number]


Cells = dict[tuple[Point, int], dict[int, NDArray[np.float64]]]
"""Seconds of each (point, state), by launch, in the order in which they were measured."""


def by_curve(points: Iterable[PointEstimate]) -> dict[Key, list[PointEstimate]]:
    """Groups points by curve (spec.axes.curve_key)."""
    found: dict[Key, list[PointEstimate]] = {}
    for point in points:
        found.setdefault(curve_key(point), []).append(point)
    return found


def statistic_of(points: Iterable[PointEstimate]) -> str:
    """The statistic that represents these points: median, unless they were imported."""
    return " or ".join(dict.fromkeys(point.statistic for point in points)) or "median"


def estimate(run: Run, states: States | None = None, every_launch: bool = False) -> Estimates:
    """Estimates every point in every state with enough rounds; points without samples from their
    imported statistics. states: those of the run, where they are known. every_launch: exclude
    none."""
    states = states or find_states(run)
    cells = collect(run, states)
    has_own = any(samples.own_mean_ns for samples in run.samples)
    own_mean, own_max = (
        collect(run, states, name) if has_own else {} for name in ("own_mean_ns", "own_max_ns")
    )
    ratios = _ratios(cells)
    slow = set() if every_launch else slow_launches(ratios)
    chosen = run.finish is not None and run.finish.reason == "precision"
    points = []
    for cell, launches in cells.items():
        kept = {n: values for n, values in launches.items() if n not in slow} or launches
        point = estimate_point(*cell, kept, chosen)
        points.append(
            msgspec.structs.replace(
                point,
                own_mean_s=_median_over(own_mean.get(cell), kept),
                own_max_s=_median_over(own_max.get(cell), kept),
            )
        )
    measured = {key for key, _ in cells}
    for key, statistics in statistics_of(run).items():
        found = typical(statistics)
        if key not in measured and found is not None:
            points.append(_summary_point(key, statistics, found))
    points.sort(key=lambda point: (point.state, point.is_auxiliary, sort_key(point)))
    return Estimates(tuple(points), states, tuple(sorted(slow)), modes_of(ratios))


@dataclass(frozen=True)
class LeastKnown:
    """The headline point with the widest relative interval over the launches so far."""

    point: Point
    median_s: float
    interval: Interval | None
    """None where there are too few launches for one."""

    @property
    def precision(self) -> float:
        """Relative half-width of the interval; infinite without one."""
        if self.interval is None:
            return math.inf
        width = self.interval.high - self.interval.low
        return width / 2.0 / self.median_s if self.median_s else math.inf if width else 0.0


def least_known(run: Run) -> LeastKnown | None:
    """None without samples. It is called after every launch, so it computes nothing else."""
    cells = collect(run, find_states(run))
    slow = slow_launches(_ratios(cells))
    found = []
    for (key, state), launches in cells.items():
        if state == 0 and key.operation not in AUXILIARY:
            medians = [np.median(values) for n, values in launches.items() if n not in slow]
            may_stop = len(medians) >= LEAST_TO_STOP
            interval = launch_interval(np.array(medians), chosen=True) if may_stop else None
            found.append(LeastKnown(key, float(np.median(medians)), interval))
    return max(found, key=lambda known: known.precision, default=None)


def is_precise(run: Run, precision: float) -> bool:
    """True if every headline interval over launches is inside the asked precision."""
    worst = least_known(run)
    return worst is not None and worst.precision <= precision


def _median_over(
    launches: dict[int, NDArray[np.float64]] | None, kept: Container[int]
) -> float | None:
    """The median over the kept launches of each one's median."""
    medians = [np.median(values) for n, values in (launches or {}).items() if n in kept]
    return float(np.median(medians)) if medians else None


def collect(run: Run, states: States, times: str = "ns") -> Cells:
    """The samples of each point in each state with enough rounds. times: which list of
    the samples."""
    found: dict[tuple[Point, int, int], list[Samples]] = {}
    for samples in run.samples:
        state = states.of(samples.launch, samples.round)
        if state is None:
            continue
        visited = (point_of(samples), state, samples.launch)
        if visited in found:
            found[visited].append(samples)
        else:
            found[visited] = [samples]
    states_seen = Counter((key, launch) for key, _, launch in found)
    cells: Cells = {}
    for (key, state, launch), samples_of in found.items():
        visits = [ns for ns in map(attrgetter(times), samples_of) if ns]
        if visits and (len(visits) >= LEAST_ROUNDS or states_seen[key, launch] == 1):
            seconds = np.fromiter(chain.from_iterable(visits), np.float64) * 1e-9
            cells.setdefault((key, state), {})[launch] = seconds
    return cells


def _ratios(cells: Cells) -> dict[int, float]:
    """How slow each launch was as a whole, in the headline state."""
    return launch_ratios(
        {launch: float(np.median(values)) for launch, values in launches.items()}
        for (_, state), launches in cells.items()
        if state == 0
    )


def estimate_point(
    key: Point, state: int, launches: dict[int, NDArray[np.float64]], chosen: bool = False
) -> PointEstimate:
    """Estimates a point from the samples of each launch, in seconds. chosen: the run ended because
    its intervals were narrow."""
    size = key.bytes
    medians = {number: float(np.median(values)) for number, values in launches.items()}
    median = float(np.median(list(medians.values())))
    quantiles = np.median(
        [np.quantile(values, (0.05, 0.25, 0.75, 0.95, 0.99)) for values in launches.values()],
        axis=0,
    )
    count = sum(len(values) for values in launches.values())
    several = count > 1
    means = np.array([values.mean() for values in launches.values()])
    mean = float(means.mean())
    # Each launch weighs the same: the variance within launches, and that of their means.
    variance = float(np.mean([((values - mean) ** 2).mean() for values in launches.values()]))
    within = [float(values.std(ddof=1)) for values in launches.values() if len(values) > 1]
    spread = [float(value) if several else None for value in quantiles]
    return _over_launches(
        key,
        state,
        medians,
        chosen,
        samples=count,
        effective_samples=sum(effective_size(values) for values in launches.values()),
        statistic="median",
        min_s=float(min(values.min() for values in launches.values())),
        p5_s=spread[0],
        p25_s=spread[1],
        p75_s=spread[2],
        p95_s=spread[3],
        mean_s=mean,
        std_s=float(np.sqrt(variance)) if several else None,
        p99_s=spread[4],
        max_s=float(max(values.max() for values in launches.values())),
        within_std_s=float(np.median(within)) if within else None,
        bandwidth_Bps=size / median if size and median > 0.0 else None,
    )


def _summary_point(key: Point, statistics: Statistics, found: Typical) -> PointEstimate:
    return _over_launches(
        key,
        0,
        found.seconds,
        False,
        samples=0,
        effective_samples=None,
        statistic=found.statistic,
        **spread(statistics),
        within_std_s=None,
        bandwidth_Bps=found.bandwidth_Bps,
    )


def _over_launches(
    key: Point, state: int, typical_s: dict[int, float], chosen: bool, **known: Any
) -> PointEstimate:
    """Adds what follows from each launch's one number."""
    values = np.array(list(typical_s.values()))
    interval: Interval | None = launch_interval(values, chosen)
    return PointEstimate(
        **msgspec.structs.asdict(key),
        state=state,
        launches=len(values),
        typical_s=float(np.median(values)),
        low_s=interval.low if interval else None,
        high_s=interval.high if interval else None,
        confidence=interval.confidence if interval else None,
        between_std_s=float(values.std(ddof=1)) if len(values) > 1 else None,
        medians_s=tuple(values.tolist()),
        launch_numbers=tuple(typical_s),
        **known,
    )

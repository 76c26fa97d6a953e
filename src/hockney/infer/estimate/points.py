"""The estimate of a point, and those of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from hockney.base.grouping import by_key
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.launches import Mode
from hockney.infer.estimate.states import State, States
from hockney.plan.axes import Axes, Key, curve_key

AUXILIARY = frozenset({"handover", "copy", "late", "message"})
"""Operations measured in addition to the experiment's: the hardware without MPI; sends to a late
receiver, which show the protocol; and single messages, from which halos are predicted."""


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
    def by_launch(self) -> dict[int, float]:
        """`medians_s` by the numbers of the launches."""
        return dict(zip(self.launch_numbers, self.medians_s, strict=True))

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


Pair = tuple[int, int]
"""The lower rank first."""


def slower_by_pair(points: Iterable[PointEstimate]) -> dict[Pair, PointEstimate]:
    """The points of pairs of ranks; where both ranks or directions have one, the slower."""
    slower: dict[Pair, PointEstimate] = {}
    for point in points:
        pair = min(point.peers), max(point.peers)
        if pair not in slower or slower[pair].typical_s < point.typical_s:
            slower[pair] = point
    return slower


def by_curve(points: Iterable[PointEstimate]) -> dict[Key, list[PointEstimate]]:
    """Groups points by curve (plan.axes.curve_key)."""
    return by_key(points, curve_key)


def statistic_of(points: Iterable[PointEstimate]) -> str:
    """The statistic that represents these points: median, unless they were imported."""
    return " or ".join(dict.fromkeys(point.statistic for point in points)) or "median"


def hidden_log(*pairs: tuple[PointEstimate, PointEstimate]) -> float:
    """Mean error that the rounding of times may cause in the log ratios."""
    each = [-math.log1p(-min(point.rounding or 0.0, 0.99)) for pair in pairs for point in pair]
    return 2.0 * sum(each) / len(each)

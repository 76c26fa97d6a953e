"""Times of a program's collectives: as they were measured, or by the simulated schedule of the
algorithm that its library is assumed to choose.

Measured times hold for the machine that they were measured on. For other message costs they change
in proportion to the schedule's time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.bootstrap import worth
from hockney.infer.fitting.fit import SEED
from hockney.infer.predict.collectives import LEAST_S, dependencies, time
from hockney.infer.predict.costs import Costs, CostsOf, slower
from hockney.infer.predict.parameters import Parameters
from hockney.infer.predict.schedules import SCHEDULES, schedules_name
from hockney.plan.arrivals import TOGETHER
from hockney.plan.axes import CIRCUMSTANCES, key_without, texts_apart
from hockney.plan.workloads.collective import DEFAULT
from hockney.profiling.mix import Item

LATENCY_S = 1e-6
"""The latency that is added for the sensitivity."""
MOST_SIMULATED = 256
"""Most ranks of a simulated collective; larger ones take the time of so many."""
MOST_DEPENDING = 32
"""Ranks of the largest collective whose rank dependencies are computed; in larger ones all depend
on the last."""
RENDEZVOUS_BYTES = 64 * 1024
"""Size from which on messages leave when their receiver is ready, as is assumed."""

CollectiveTime = Callable[[Item], Array]
"""Times from one rank's start to another's end in an item: see collectives.dependencies()."""
CompletionTime = Callable[[str, int, int], tuple[float, float]]
"""Two numbers of a collective by name, ranks and bytes: see CollectiveTimes."""


class CollectiveTimes(NamedTuple):
    """Times of collectives on a machine."""

    between_ranks: CollectiveTime
    completion: CompletionTime
    """Seconds from the common start to the last end, and how many seconds more the added latency
    makes of these."""


@dataclass(frozen=True)
class _Scheduled:
    """A collective by the messages of an algorithm."""

    name: str
    algorithm: str
    ranks: int
    bytes: int
    seconds: float
    parameters: Parameters

    def with_costs(self, costs_of: CostsOf) -> _Scheduled:
        return _scheduled(costs_of, self.name, self.algorithm, self.ranks, self.bytes)


class ProgramCollectives:
    def __init__(self, points: Sequence[PointEstimate]) -> None:
        """points: measured collectives."""
        self._points = points
        self._used: set[tuple[str, int]] = set()
        self.sources: set[str] = set()
        """The sources of the times that were used: "measured" and "schedules"."""
        self.assumed: set[tuple[str, str]] = set()
        """The collectives of which the schedule was needed, and its algorithm."""

    @cached_property
    def measured(self) -> Mapping[tuple[str, int], Mapping[int, PointEstimate]]:
        """The points of each collective as programs call it, by name and ranks, then by bytes in
        ascending order; of several equal ones the first. Raises UsageError where it was measured in
        several ways."""
        by_collective: dict[tuple[str, int], dict[int, PointEstimate]] = {}
        for point in filter(_is_usual, self._points):
            of_it = by_collective.setdefault((point.operation, point.known_ranks), {})
            other = of_it.setdefault(point.bytes, point)
            if key_without(other, *CIRCUMSTANCES) != key_without(point, *CIRCUMSTANCES):
                raise _measured_twice(other, point)
        return {key: dict(sorted(of_it.items())) for key, of_it in by_collective.items()}

    @property
    def launches(self) -> int | None:
        """The launches of the measured collectives that were used, of which one has the fewest;
        None where none was."""
        points = [point for key in self._used for point in self.measured[key].values()]
        return min((point.launches for point in points), default=None)

    def times(
        self,
        costs_of: CostsOf,
        measured_with: CostsOf,
        added_s: float = 0.0,
        draw: int | None = None,
    ) -> CollectiveTimes:
        """Times on a machine of these message costs, and so many seconds more for each message.
        measured_with: the costs of the machine that collectives were measured on, whose algorithms
        its library keeps. draw: the number of a bootstrap resample of the launches of measured
        ones; None for all launches."""
        is_unchanged = costs_of is measured_with

        @cache
        def before(name: str, ranks: int, bytes_: int) -> _Scheduled:
            return _fastest(measured_with, name, ranks, bytes_)

        @cache
        def now(name: str, ranks: int, bytes_: int) -> _Scheduled:
            chosen = before(name, ranks, bytes_)
            return chosen if is_unchanged else chosen.with_costs(costs_of)

        @cache
        def depending(name: str, ranks: int, bytes_: int) -> Array:
            """Rank dependencies in units of the completion time."""
            chosen = now(name, ranks, bytes_)
            if ranks > MOST_DEPENDING or not chosen.seconds:
                return np.ones((ranks, ranks))
            how = (chosen.parameters, chosen.name, chosen.algorithm, ranks, bytes_, chosen.seconds)
            return dependencies(*how) / chosen.seconds

        @cache
        def added(name: str, ranks: int, bytes_: int) -> float:
            chosen = now(name, ranks, bytes_)
            return chosen.with_costs(slower(costs_of, added_s)).seconds - chosen.seconds

        def whole(name: str, ranks: int, bytes_: int) -> float:
            known = self.measured.get((name, ranks))
            self.sources.add("schedules" if known is None else "measured")
            here = now(name, ranks, bytes_)
            if known is None:
                self.assumed.add((name, here.algorithm))
                return here.seconds
            self._used.add((name, ranks))
            sizes = list(known)
            of_them = [_median_s(point, draw) for point in known.values()]
            nearest = min(max(bytes_, sizes[0]), sizes[-1])
            there = before(name, ranks, nearest)
            measured_s = float(np.interp(bytes_, sizes, of_them))
            # Beyond the measured sizes, and with other costs, it changes as its schedule does.
            if not there.seconds or (is_unchanged and nearest == bytes_):
                return measured_s
            self.sources |= {"schedules"} if nearest != bytes_ else set()
            self.assumed.add((name, here.algorithm))
            return measured_s * here.seconds / there.seconds

        def seconds(item: Item) -> Array:
            of_it = item.operation, len(item.ranks), item.bytes
            each = max(sum(completion(*of_it)), LEAST_S) * depending(*of_it)
            return np.roll(each, (item.root, item.root), axis=(0, 1))

        def completion(name: str, ranks: int, bytes_: int) -> tuple[float, float]:
            more_s = added(name, ranks, bytes_) if added_s else 0.0
            return whole(name, ranks, bytes_), more_s

        return CollectiveTimes(seconds, completion)

    def with_latencies(
        self, costs_of: CostsOf, measured_with: CostsOf, draw: int | None = None
    ) -> CompletionTime:
        """Seconds of a collective, and the number of latencies in sequence in it. Arguments as of
        `times`."""
        times = self.times(costs_of, measured_with, LATENCY_S, draw)

        @cache
        def of_collective(name: str, ranks: int, bytes_: int) -> tuple[float, float]:
            if ranks < 2:
                return 0.0, 0.0
            whole_s, more_s = times.completion(name, ranks, bytes_)
            return max(whole_s, LEAST_S), more_s / LATENCY_S

        return of_collective


def _is_usual(point: PointEstimate) -> bool:
    """Whether the library made a collective in its usual way, and all ranks began it together and
    undisturbed."""
    is_disturbed = point.aggressor is not None or point.groups is not None or point.overlap
    return (
        point.algorithm in (None, DEFAULT)
        and point.form is None
        and point.arrival in (None, TOGETHER)
        and point.known_ranks > 0
        and point.typical_s > 0.0
        and not (is_disturbed or point.has_own_calls)
    )


def _measured_twice(first: PointEstimate, second: PointEstimate) -> UsageError:
    what = f"{first.operation} of {first.known_ranks} ranks and {format_size(first.bytes)}"
    ways = " and ".join(way or "as usual" for way in texts_apart([[first], [second]]))
    return UsageError(
        f"--on has {what} twice: {ways}", "name files with one of them, as the program calls it"
    )


def _median_s(point: PointEstimate, draw: int | None) -> float:
    """The median over launches, or over those of a resample: the same launches at all points."""
    if draw is None:
        return point.typical_s
    seconds = np.array(point.medians_s)
    chance = np.random.default_rng([SEED, draw])
    drawn = chance.integers(len(seconds), size=_worth(point.medians_s))
    return float(np.median(seconds[drawn]))


@lru_cache(maxsize=1024)
def _worth(medians_s: tuple[float, ...]) -> int:
    return worth(np.log(medians_s))


def _scheduled(costs_of: CostsOf, name: str, algorithm: str, ranks: int, bytes_: int) -> _Scheduled:
    parameters = Parameters(costs_of=costs_of, eager_bytes=RENDEZVOUS_BYTES)
    taken = time(parameters, name, algorithm, ranks, bytes_)
    return _Scheduled(name, algorithm, ranks, bytes_, taken, parameters)


def _fastest(costs_of: CostsOf, name: str, ranks: int, bytes_: int) -> _Scheduled:
    """The schedule of the fastest algorithm, which a library is assumed to choose. If it is not
    known what a message costs its ranks, all of its latency is taken for that in the choice: else
    a rank could send to all others at once, and linear algorithms would win for that alone."""
    name = schedules_name(name)
    ranks = min(ranks, MOST_SIMULATED)

    def to_choose(size: int, senders: int) -> Costs:
        costs = costs_of(size, senders)
        return costs if costs.gap_s is not None else Costs(0.0, costs.s_per_B, costs.latency_s)

    candidates = []
    for algorithm in SCHEDULES.find(name).ALGORITHMS:
        try:
            candidates.append(_scheduled(to_choose, name, algorithm, ranks, bytes_))
        except UsageError:  # it needs other numbers of ranks
            continue
    if not candidates:
        raise UsageError(f"{name} on {ranks} ranks has no schedule that can be simulated")
    chosen = min(candidates, key=lambda candidate: candidate.seconds)
    return chosen.with_costs(costs_of)

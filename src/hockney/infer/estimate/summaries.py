"""Statistics that other programs computed: by point, and which one represents it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import fmean, median

from hockney.plan.axes import Point, point_of
from hockney.records import LARGEST_NUMBER, Run, Summary

CENTRES = ("median", "mean", "best trial", "min")
RATES = ("bandwidth", "median bandwidth")
"""Statistics that may represent a point, the best first; without one it is only in the table."""
FROM_BANDWIDTH = "bytes / bandwidth"
"""The statistic of a point of which only a bandwidth is known: how long a message takes in a stream
of them, which is no latency."""
VALUES = ("value_s", "value_Bps", "value_per_s", "value_s_per_B", "value")

Launches = dict[int, Summary]
Statistics = dict[str, Launches]
"""Numbers by the statistic's name, in the order of the log, then by launch."""


def value_of(summary: Summary) -> float | None:
    """The number of a summary, in its own unit."""
    return next((v for name in VALUES if (v := getattr(summary, name)) is not None), None)


def statistics_of(run: Run) -> dict[Point, Statistics]:
    """All statistics of each point. Negative and too large numbers are ignored."""
    by_point: dict[Point, Statistics] = {}
    for summary in run.summaries:
        value = value_of(summary)
        if value is None or not 0.0 <= value <= LARGEST_NUMBER or summary.bytes < 0:
            continue
        by_point.setdefault(point_of(summary), {}).setdefault(summary.statistic, {})[
            summary.launch
        ] = summary
    return by_point


@dataclass(frozen=True)
class LogNumber:
    """A statistic of a log, the median over launches."""

    field: str
    """The member of VALUES that has the number, which shows its unit."""
    value: float
    launches: int


def log_numbers(run: Run) -> dict[Point, dict[str, LogNumber]]:
    """The statistics of each point over launches, by the log's names."""
    return {
        point: {name: _over_launches(launches) for name, launches in statistics.items()}
        for point, statistics in statistics_of(run).items()
    }


def _over_launches(launches: Launches) -> LogNumber:
    first = next(iter(launches.values()))
    field = next(name for name in VALUES if getattr(first, name) is not None)
    value = median(value_of(summary) or 0.0 for summary in launches.values())
    return LogNumber(field, value, len(launches))


@dataclass(frozen=True)
class Typical:
    """The statistic that represents a point, with each launch's number."""

    statistic: str
    seconds: dict[int, float]
    bandwidth_Bps: float | None
    rounding: float | None = None
    """What the digits of its best printed number hide, as a fraction of it; None if unknown."""

    def as_one(self) -> Typical:
        """The median of its numbers, whose relation is unknown: no interval follows from them."""
        return replace(self, seconds={min(self.seconds): median(self.seconds.values())})


def typical(statistics: Statistics) -> Typical | None:
    """Prefers a time to a bandwidth; None where neither is known."""
    size = next(iter(next(iter(statistics.values())).values())).bytes
    for name in CENTRES:
        launches = statistics.get(name, {})
        seconds = {n: s.value_s for n, s in launches.items() if s.value_s is not None}
        if seconds:
            centre = median(seconds.values())
            rate = size / centre if size and centre > 0.0 else None
            return Typical(name, seconds, rate, _rounding(launches))
    for name in RATES:
        rated = {n: s for n, s in statistics.get(name, {}).items() if s.value_Bps}
        rates = {n: s.value_Bps or 0.0 for n, s in rated.items()}
        if rates and size:
            seconds = {n: size / rate for n, rate in rates.items()}
            return Typical(FROM_BANDWIDTH, seconds, median(rates.values()), _rounding(rated))
    return None


def _rounding(launches: Launches) -> float | None:
    """The least of the launches: equal numbers that are rounded alike do not average out."""
    known = [s.rounding for s in launches.values() if s.rounding is not None]
    return min(known) if len(known) == len(launches) else None


SPREAD = ("min", "p5", "p25", "p75", "p95", "mean", "std", "p99", "max")
"""Other statistics that a log may give of a point."""
COMBINED: dict[str, Callable[[list[float]], float]] = {"min": min, "max": max, "mean": fmean}
"""How numbers of several launches are combined; those of other statistics by their median."""


def spread(statistics: Statistics) -> dict[str, float | None]:
    """Other statistics by name with unit, such as p95_s: the extremes over launches, the mean of
    means, the median of quantiles. Deviations of several launches are not combined: their means are
    not known to agree."""
    by_name: dict[str, float | None] = {}
    for name in SPREAD:
        launches = statistics.get(name, {})
        values = [s.value_s for s in launches.values() if s.value_s is not None]
        is_known = len(values) == 1 or (values and name != "std")
        by_name[f"{name}_s"] = COMBINED.get(name, median)(values) if is_known else None
    return by_name

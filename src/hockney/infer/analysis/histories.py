"""Many runs of one system in the order of their start: trends, change points, and whether the last
runs are worse."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockney.base.units import format_size
from hockney.infer.analysis.autocorrelation import step, without_outliers
from hockney.infer.analysis.changes import LAST, LEAST_RUNS, changes_or_drift
from hockney.infer.analysis.course import LEAST_RUN_LENGTH, course_of
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.plan import plan_facts
from hockney.records import Run

Array = NDArray[np.float64]

FEW_RUNS = 120
"""Most runs that are judged as a whole; more are judged one after the other."""
CALIBRATED_RUNS = 60.0
"""Runs of a history for which changes.py states its chances."""

CURVES = "curves"
"""Fact of a run: the number of curves, as of algorithms, whose median stands for a size."""
WORSE_RULE = (
    "worse: the level since the last change is worse than the level before it by more than the "
    "tolerance, or a drift made it worse by more than that"
)
MANY_RULE = (
    "of more than 120 runs, a level changes where an e-detector reaches 6,000, the least average "
    "run length, and the interval of the change lies beyond the tolerance"
)
VOLATILE = (
    "load",
    "command",
    "env.SLURM_JOB",
    "env.SLURM_STEP",
    "env.SLURM_TASK_PID",
    "env.PBS_JOBID",
    "env.LSB_JOBID",
    "env.FLUX_",
    "env.PMI",
    "env.HYDRA_",
)
"""Prefixes of names in the environment that differ from run to run and explain nothing."""
SAME_STATE = 0.25
"""Log difference of core-to-core latencies below which two runs were in one state: one state
scatters by a few per cent, states differ by half and more."""


@dataclass(frozen=True)
class RunFacts:
    """One run, as a history keeps it."""

    id: str
    started: datetime
    label: str
    file: str
    system: str
    latencies: dict[int, tuple[float, float | None, float | None]]
    """The time in seconds with its interval, by message size in bytes."""
    facts: dict[str, str]
    """Circumstances of the run: names with their values."""


@dataclass(frozen=True)
class RunPoint:
    id: str
    started: datetime
    file: str
    value: float
    low: float | None
    high: float | None


class Trending(NamedTuple):
    """A slow change of the whole series."""

    ratio: float
    """The last run over the first, along the line."""
    run_length: float
    """Average number of runs to a false alarm as clear."""


@dataclass(frozen=True)
class ChangePoint:
    """The first run of a new level."""

    index: int
    started: datetime
    first: datetime
    last: datetime
    """Starts of the earliest and latest run at which the new level may have begun."""
    ratio: float
    """Median after over median before."""
    run_length: float
    """Average number of runs to a false alarm as clear."""
    changed: tuple[tuple[str, str | None, str | None], ...]
    """Differences between the records of this run and the one before: name, before, after."""


@dataclass(frozen=True)
class Trend:
    """One number of a system over its runs; latency in s, bandwidth in B/s."""

    what: str
    unit: str
    bytes: int
    points: tuple[RunPoint, ...]
    changes: tuple[ChangePoint, ...]
    drift: Trending | None
    """A slow change of the whole series, which excludes changes of level; None without one."""
    worse: str | None
    """Why the last runs are worse, by WORSE_RULE; None where they are not."""
    enough: bool
    """Whether there are enough runs to judge the last ones."""

    @property
    def level(self) -> float:
        """The median since the last change point."""
        start = self.changes[-1].index if self.changes else 0
        return float(np.median([point.value for point in self.points[start:]]))


@dataclass(frozen=True)
class History:
    system: str
    runs: tuple[RunFacts, ...]
    trends: tuple[Trend, ...]
    left_out: tuple[str, ...]
    """Files whose runs share nothing with most of the others."""

    @property
    def worse(self) -> list[str]:
        return [f"{trend.what}: {trend.worse}" for trend in self.trends if trend.worse]


def facts_of(run: Run, estimates: Estimates) -> RunFacts | None:
    """The facts of a run; None without a point or a date."""
    started = _time(run.header.started)
    points = estimates.own()
    if started is None or not points:
        return None
    by_size: dict[int, list[PointEstimate]] = {}
    for point in points:
        by_size.setdefault(point.bytes, []).append(point)
    every = {size: _typical(of) for size, of in sorted(by_size.items())}
    typical = {
        size: found for size, found in every.items() if found[0] > 0.0
    }  # ratios are of these
    return RunFacts(
        run.header.id,
        started,
        run.label,
        str(run.path or ""),
        system_of(run),
        typical,
        _facts(run, estimates) | _curves(by_size.values()),
    )


def _curves(of_sizes: Iterable[Sequence[PointEstimate]]) -> dict[str, str]:
    """How many curves are one number here, where they are several."""
    most = max(map(len, of_sizes))
    return {CURVES: str(most)} if most > 1 else {}


def _time(text: str | None) -> datetime | None:
    try:
        started = datetime.fromisoformat((text or "").replace("Z", "+00:00"))
        return started.replace(tzinfo=started.tzinfo or timezone.utc).astimezone(timezone.utc)
    except (ValueError, OverflowError):  # the first and last days of the calendar, elsewhere
        return None


def _typical(points: Sequence[PointEstimate]) -> tuple[float, float | None, float | None]:
    """The time and its interval; of several points the median, without an interval."""
    centres = [float(np.median(point.medians_s)) for point in points]
    if len(points) == 1:
        return centres[0], points[0].low_s, points[0].high_s
    return float(np.median(centres)), None, None


def system_of(run: Run) -> str:
    """The system of a run, whose runs are comparable: the experiment, and the user's label or else
    the MPI library (any version) and the hosts."""
    if run.header.label:
        return f"{run.header.experiment}, {run.header.label}"
    if not run.launches:
        return run.header.experiment
    first = run.launches[0]
    hosts = sorted({place.host or "unknown" for place in first.places})
    words = [run.header.experiment, first.mpi.library or "unknown MPI", " and ".join(hosts)]
    return ", ".join([*words, "simulated"] if first.simulated else words)


def _facts(run: Run, estimates: Estimates) -> dict[str, str]:
    facts: dict[str, str] = {"hockney": run.header.hockney}
    facts |= _flat("", run.header.environment) | _flat("option.", plan_facts(run.header.options))
    if run.launches:
        first = run.launches[0]
        facts |= {
            "MPI version": f"{first.mpi.library or '-'} {first.mpi.version or '-'}",
            "launcher": first.launcher or "-",
            "definition": first.definition or "-",
            "places": ", ".join(f"{p.host} CPU {p.pu}" for p in first.places),
            "simulated": str(first.simulated),
        }
    handover = estimates.states.states[0].handover_s
    if handover:
        facts["core-to-core latency"] = f"{handover * 1e9:.1f} ns"
    return {name: value for name, value in facts.items() if not name.startswith(VOLATILE)}


def _flat(prefix: str, values: dict[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(f"{prefix}{name}.", value)
        else:
            flat[prefix + name] = str(value)
    return flat


def histories(runs: Sequence[RunFacts], tolerance: float, together: bool = False) -> list[History]:
    """One history of each system, or of all runs together."""
    systems: dict[str, list[RunFacts]] = {}
    for run in sorted(runs, key=lambda run: run.started):
        systems.setdefault("all runs" if together else run.system, []).append(run)
    return [_history(name, of, tolerance) for name, of in sorted(systems.items())]


def _history(system: str, runs: Sequence[RunFacts], tolerance: float) -> History:
    counts = Counter(size for run in runs for size in run.latencies)
    common = [size for size, count in counts.items() if 2 * count > len(runs)]
    ends = {min(common), max(common)} if common else set()
    kept = [run for run in runs if ends and ends <= run.latencies.keys()]
    left_out = tuple(run.file for run in runs if not (ends and ends <= run.latencies.keys()))
    if not kept:
        return History(system, tuple(runs), (), left_out)
    trends = [_trend(kept, min(common), False, tolerance)]
    if max(common) > 0:
        trends.append(_trend(kept, max(common), True, tolerance))
    return History(system, tuple(runs), tuple(trends), left_out)


def _trend(runs: Sequence[RunFacts], size: int, bandwidth: bool, tolerance: float) -> Trend:
    points = [_point(run, size, bandwidth) for run in runs]
    logs = np.log([point.value for point in points])
    found, drift = _changes(points, logs, tolerance)
    changes = tuple(
        ChangePoint(
            change.at,
            points[change.at].started,
            points[change.first].started,
            points[change.last].started,
            change.ratio,
            change.run_length,
            _differences(runs[change.at - 1], runs[change.at]),
        )
        for change in found
    )
    sign = -1.0 if bandwidth else 1.0
    worse, enough = _worse(sign * logs, [change.index for change in changes], tolerance)
    drifted = sign * math.log(drift.ratio) if drift else 0.0
    if drifted > 0.0:
        worse, enough = f"a drift made it {math.exp(drifted):.3f} times worse", True
    together = {run.facts[CURVES] for run in runs if CURVES in run.facts}
    of_curves = f", median of {' or '.join(sorted(together))} curves" if together else ""
    what = f"{'bandwidth' if bandwidth else 'time'} at {format_size(size)}{of_curves}"
    unit = "B/s" if bandwidth else "s"
    return Trend(what, unit, size, tuple(points), changes, drift, worse, enough)


class _Found(NamedTuple):
    at: int
    first: int
    last: int
    ratio: float
    run_length: float


def _changes(
    points: Sequence[RunPoint], logs: Array, tolerance: float
) -> tuple[list[_Found], Trending | None]:
    """The changes of level, or the drift: of few runs by likelihood ratios, of many by the sequence
    that is valid at every look."""
    if len(logs) <= FEW_RUNS:
        found, drift = changes_or_drift(logs, tolerance)
        ends = [0, *(change.at for change in found), len(logs)]
        few = [
            _Found(at, *_begun(logs[ends[i] : ends[i + 2]], ends[i]), ratio, CALIBRATED_RUNS / p)
            for i, (at, ratio, p) in enumerate(found)
        ]
        return few, Trending(drift.ratio, CALIBRATED_RUNS / drift.p) if drift else None
    times = np.array([point.started.timestamp() for point in points])
    changes = course_of(times, logs[:, None], tolerance, LEAST_RUN_LENGTH).changes
    ends = [0, *(change.at for change in changes), len(logs)]
    many = []
    for i, level_change in enumerate(changes):
        before, after = (np.median(logs[ends[j] : ends[j + 1]]) for j in (i, i + 1))
        ratio = math.exp(float(after - before))
        many.append(
            _Found(
                level_change.at,
                level_change.first,
                level_change.last,
                ratio,
                level_change.run_length,
            )
        )
    return many, None


def _begun(logs: Array, start: int) -> tuple[int, int]:
    """The first and the last index at which a step in these runs may have begun: where it is at
    least 1/20 as likely as at the best one."""
    cleaned, places = without_outliers(logs), np.arange(1, len(logs))
    likely = np.array(
        [step(cleaned, places[i : i + 1], 0.0).likelihood for i in range(len(places))]
    )
    near = places[likely >= likely.max() - math.log(20.0)]
    return start + int(near[0]), start + int(near[-1])


def _point(run: RunFacts, size: int, bandwidth: bool) -> RunPoint:
    value, low, high = run.latencies[size]
    if bandwidth:
        value, low, high = size / value, size / high if high else None, size / low if low else None
    return RunPoint(run.id, run.started, run.file, value, low, high)


def _differences(
    before: RunFacts, after: RunFacts
) -> tuple[tuple[str, str | None, str | None], ...]:
    found = []
    for name in sorted(before.facts.keys() | after.facts.keys()):
        first, second = before.facts.get(name), after.facts.get(name)
        if first != second and not (name == "core-to-core latency" and _one_state(first, second)):
            found.append((name, first, second))
    return tuple(found)


def _one_state(first: str | None, second: str | None) -> bool:
    if not first or not second:
        return False
    return abs(math.log(float(first.split()[0]) / float(second.split()[0]))) < SAME_STATE


def _worse(badness: Array, changes: Sequence[int], tolerance: float) -> tuple[str | None, bool]:
    """Why the last runs are worse by WORSE_RULE, and whether the runs at the last level could show
    another change. badness: logarithms that rise as the system gets worse."""
    enough = len(badness) - (changes[-1] if changes else 0) >= LEAST_RUNS + LAST
    if not changes:
        return None, enough
    before = badness[changes[-2] if len(changes) > 1 else 0 : changes[-1]]
    step = float(np.median(badness[changes[-1] :]) - np.median(before))
    if step > math.log1p(tolerance):
        return f"{math.exp(step):.3f} times worse since the last change point", True
    return None, enough

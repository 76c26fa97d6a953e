"""The facts of one run that a history and a watch keep: its times by curve, and its
circumstances."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

import numpy as np

from hockney.base.grouping import by_key
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.plan import plan_facts
from hockney.plan.axes import curve_text
from hockney.records import Run

MOST_CURVES = 16
"""Most curves of a run that are kept apart."""
POINTS = "points"
"""Fact of a run: what the times of a curve are medians of, such as "6 points" or "120 pairs"."""
HANDOVER = "core-to-core latency"
"""Fact of a run: RunFacts.handover_s in words."""
MOST_HOSTS = 4
"""Most hosts that the words for a system name."""
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

KnownTime = tuple[float, float | None, float | None]
"""A time in seconds with its interval."""
Times = dict[int, KnownTime]
"""Times by message size in bytes."""


@dataclass(frozen=True)
class RunFacts:
    """One run, as a history keeps it."""

    id: str
    started: datetime
    label: str
    file: str
    system: str
    short_system: str
    """The system, of more than MOST_HOSTS hosts the first and how many others there are."""
    curves: Mapping[str, Times]
    """By the curve's name, such as an algorithm; empty for the median of too many curves."""
    facts: dict[str, str]
    """Circumstances of the run: names with their values."""
    cut: str | None = None
    """What is missing in its file (Run.cut)."""
    handover_s: float | None = None
    """The core-to-core latency of its usual state; None where it is unknown."""
    curve_names: Mapping[str, str] = field(default_factory=dict)
    """Names for people of the curves of variants, such as "MPICH 5.0.2", by the curve's own."""
    kind: str = ""
    """The system without its hosts; empty where it has the user's label or no hosts."""

    @property
    def latencies(self) -> Times:
        """The median over curves; of several without an interval."""
        return _by_size(entry for times in self.curves.values() for entry in times.items())


def facts_of(
    run: Run, estimates: Estimates, variant_names: Mapping[str, str] | None = None
) -> RunFacts | None:
    """The facts of a run; None without a point or a date. variant_names: names for people."""
    started = time_of(run.header.started)
    points = estimates.own()
    if started is None or not points:
        return None
    curves = by_key(points, curve_text)
    if len(curves) > MOST_CURVES:
        curves = {"": list(points)}
    together = _together(run, curves)
    return RunFacts(
        run.header.id,
        started,
        run.label,
        str(run.path or ""),
        system_of(run),
        system_of(run, MOST_HOSTS),
        {name: _times(of) for name, of in sorted(curves.items())},
        _facts(run, estimates) | together,
        run.cut,
        estimates.states.states[0].handover_s,
        {
            name: shown
            for name, of in curves.items()
            if name and (shown := curve_text(of[0], variant_names)) != name
        },
        kind_of(run),
    )


def _together(run: Run, curves: Mapping[str, Sequence[PointEstimate]]) -> dict[str, str]:
    if run.pair_times:  # of each level a point has the median
        ends = np.concatenate([block.peers for block in run.pair_times]).astype(np.int64)
        pairs = len(np.unique(ends[:, 0] << 32 | ends[:, 1]))
        return {POINTS: f"{pairs} pairs"} if pairs > 1 else {}
    most = max(max(Counter(point.bytes for point in of).values()) for of in curves.values())
    return {POINTS: f"{most} points"} if most > 1 else {}


def _times(points: Sequence[PointEstimate]) -> Times:
    every = _by_size(
        (p.bytes, (float(np.median(p.medians_s)), low_of(p.interval), high_of(p.interval)))
        for p in points
    )
    return {size: time for size, time in every.items() if time[0] > 0.0}  # ratios are of these


def _by_size(each: Iterable[tuple[int, KnownTime]]) -> Times:
    """The time of each size; of several the median, without an interval."""
    by_size: dict[int, list[KnownTime]] = {}
    for size, time in each:
        by_size.setdefault(size, []).append(time)
    return {
        size: of[0] if len(of) == 1 else (float(np.median([t for t, *_ in of])), None, None)
        for size, of in sorted(by_size.items())
    }


def time_of(text: str | None) -> datetime | None:
    """A date of a record; None where there is none."""
    try:
        started = datetime.fromisoformat((text or "").replace("Z", "+00:00"))
        return started.replace(tzinfo=started.tzinfo or timezone.utc).astimezone(timezone.utc)
    except (ValueError, OverflowError):  # a day that the calendar does not have in UTC
        return None


def system_of(run: Run, most_hosts: int | None = None) -> str:
    """The system of a run, whose runs are comparable: the experiment, and the user's label or else
    the MPI library (any version) and the hosts, of more than `most_hosts` the first alone."""
    if run.header.label:
        return f"{run.header.experiment}, {run.header.label}"
    if not run.launches:
        return run.header.experiment
    hosts = sorted({place.host or "unknown" for place in run.launches[0].places})
    if most_hosts is not None and len(hosts) > most_hosts:
        hosts = [hosts[0], f"{len(hosts) - 1} more"]
    before, after = _around_hosts(run)
    return ", ".join([*before, " and ".join(hosts), *after])


def kind_of(run: Run) -> str:
    """The system of a run without its hosts; empty where it has the user's label or no hosts."""
    if run.header.label or not run.launches:
        return ""
    before, after = _around_hosts(run)
    return ", ".join([*before, *after])


def _around_hosts(run: Run) -> tuple[list[str], list[str]]:
    """The words of a system before its hosts and after them."""
    first = run.launches[0]
    before = [run.header.experiment, first.mpi.library or "unknown MPI"]
    return before, ["simulated"] if first.simulated else []


def shortened(system: str, most_hosts: int) -> str:
    """A system without a label, of more hosts than that the first one, how many others there are,
    and a digest of all by which they differ from others as many."""
    hosts = system.split(" and ")
    if len(hosts) <= most_hosts:
        return system
    digest = hashlib.blake2b(system.encode(), digest_size=4).hexdigest()
    return f"{hosts[0]} and {len(hosts) - 1} more ({digest})"


def system_label(system: str) -> str:
    """A system without a label of the user's as one that each metric repeats."""
    name, end = shortened(system, MOST_HOSTS), ", simulated"
    return f"{name}{end}" if name != system and system.endswith(end) else name


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
        facts[HANDOVER] = f"{handover * 1e9:.1f} ns"
    return {name: value for name, value in facts.items() if not name.startswith(VOLATILE)}


def _flat(prefix: str, values: dict[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(f"{prefix}{name}.", value)
        else:
            flat[prefix + name] = str(value)
    return flat

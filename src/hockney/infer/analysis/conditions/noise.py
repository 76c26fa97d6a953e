"""Disturbances of the ranks while they were measured, from counters that they read themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hockney.base.grouping import by_key
from hockney.base.units import format_ratio
from hockney.infer.estimate.launches import WAITED
from hockney.records import Noise, Run

STOLEN, STOLEN_LEAST_S = 0.02, 0.03
"""Least fraction of a rank's run, and three kernel ticks of 10 ms, the unit of the counter."""
IDLE = 0.15
"""Largest fraction of the time that a rank neither runs nor waits for a CPU: ranks spin, so that
more means a throttled quota, or an MPI that sleeps."""
SLOWER_WORK = 1.25
"""Largest ratio of the fixed work's 90 % quantile to its 10 %; beyond are a changing frequency or a
busy sibling thread."""
TEXTS = {
    "waited": "other processes held a rank's CPU for {percent:.0f} % of a launch; stop them, or "
    "pin the ranks elsewhere with --cpus",
    "quota": "the CPU quota of a cgroup throttled the ranks {times:.0f} times, for {seconds} s of "
    "all its CPUs together; lift it, or restrict the CPUs instead (cpuset; of a container "
    "--cpuset-cpus in the place of --cpus)",
    "throttled": "a rank was kept off its CPU for {percent:.0f} % of a launch though nothing else "
    "ran there: a CPU quota (cgroup) throttles it, or this MPI sleeps while it waits",
    "stolen": "the hypervisor took {percent:.1f} % of a CPU; measure when its other guests are "
    "quiet, or on dedicated hosts",
    "moved": "ranks moved between CPUs {size:.0f} times; pin them with --place core",
    "slower work": "the same arithmetic took up to {size:.2f} times as long in some rounds: the "
    "clock frequency changes or a sibling thread is busy; fix the governor, leave siblings idle",
}
"""Sentences by kind of disturbance."""
LEAST_PROBES = 10
"""Fewest timings of the fixed work that its quantiles need."""


@dataclass(frozen=True)
class Disturbance:
    """A disturbance beyond its limit."""

    kind: str
    """Kind: waited, quota, throttled, stolen, moved or slower work."""
    size: float
    """The worst rank's fraction of the time; for a quota the seconds of all stops, for moved the
    number, for slower work the ratio."""
    times: float = 0.0
    """For a quota: the number of stops in all launches."""

    @property
    def text(self) -> str:
        words = TEXTS[self.kind]
        return "disturbed: " + words.format(
            size=self.size,
            percent=100.0 * self.size,
            times=self.times,
            seconds=format_ratio(self.size, 2),
        )


def disturbances(run: Run) -> list[Disturbance]:
    """The disturbances beyond their limits; empty for a simulated run."""
    every = list(run.noises)
    if not every or run.is_simulated:
        return []
    groups = list(by_key(every, lambda noise: (noise.launch, noise.rank)).values())
    quota = list(_quota(groups))
    looked_for = (
        ("waited", max(map(waited, groups)), WAITED),
        ("throttled", 0.0 if quota else _throttled(groups), IDLE),
        ("stolen", _stolen(groups), STOLEN),
        ("moved", sum(noise.migrations or 0.0 for noise in every), 0.0),
        ("slower work", _slower_work(groups), SLOWER_WORK),
    )
    others = [Disturbance(kind, size) for kind, size, most in looked_for if size > most]
    return [*quota, *others]


def held_by_others(run: Run) -> float:
    """The fraction of a launch for which other processes held the CPU of a rank: the median over
    ranks and launches, 0 where the kernel does not report it."""
    held = [waited([noise]) for noise in run.noises]
    return 0.0 if run.is_simulated or not held else float(np.median(held))


def _quota(groups: list[list[Noise]]) -> Iterator[Disturbance]:
    """The stops by a quota. All ranks of a cgroup count the same ones: the worst one's are taken,
    and added up over the launches."""
    worst: dict[int, tuple[float, float]] = {}
    for group in groups:
        times = sum(noise.throttled or 0.0 for noise in group)
        took_s = sum(noise.throttled_s or 0.0 for noise in group)
        worst[group[0].launch] = max((times, took_s), worst.get(group[0].launch, (0.0, 0.0)))
    times, took_s = (sum(column) for column in zip(*worst.values(), strict=True))
    if times:
        yield Disturbance("quota", took_s, times)


def waited(group: list[Noise]) -> float:
    """The fraction of a launch that a rank waited while its CPU was taken. The kernel also counts
    the stops by a quota there, which no other process causes."""
    waited, stopped = _fraction(group, "waited_s"), _fraction(group, "throttled_s")
    return max(waited - stopped, 0.0)


def _fraction(group: Iterable[Noise], field: str) -> float:
    """A counter as a fraction of the wall time over which it was recorded."""
    values = [(getattr(noise, field), noise.wall_s) for noise in group]
    known = [(value, wall) for value, wall in values if wall and value is not None]
    wall = sum(wall for _, wall in known)
    return sum(value for value, _ in known) / wall if wall else 0.0


def _throttled(groups: list[list[Noise]]) -> float:
    """The largest fraction of a launch that a rank neither ran nor waited for a CPU that another
    had."""
    known = [group for group in groups if any(noise.cpu_s is not None for noise in group)]
    return max(
        (1.0 - _fraction(group, "cpu_s") - _fraction(group, "waited_s") for group in known),
        default=0.0,
    )


def _stolen(groups: list[list[Noise]]) -> float:
    """Largest fraction of a rank's time that the hypervisor took. Each record counts from the last
    one with the counter, so all wall time counts."""
    worst = 0.0
    every = (noise for group in groups for noise in group)
    for looks in by_key(every, lambda noise: noise.rank).values():
        stolen = sum(noise.steal_s or 0.0 for noise in looks)
        if stolen >= STOLEN_LEAST_S:
            worst = max(worst, stolen / sum(noise.wall_s or 0.0 for noise in looks))
    return worst


def _slower_work(groups: list[list[Noise]]) -> float:
    """The largest ratio of the slow quantile of the fixed work to the fast one."""
    ratios = [
        noise.probe_high_s / noise.probe_low_s
        for group in groups
        for noise in group
        if noise.probe_low_s and noise.probe_high_s
    ]
    for group in groups:
        work = [noise.probe_s for noise in group if noise.probe_s]
        if len(work) >= LEAST_PROBES:
            low, high = np.quantile(work, (0.1, 0.9))
            ratios.append(float(high / low))
    return max(ratios, default=0.0)

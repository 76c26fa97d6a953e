"""What disturbed the ranks while they were measured, from what they saw of it themselves."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hockney.records import Noise, Run

WAITED = 0.10
"""Share of the time that a rank stood ready while something else had its CPU. Our own reading of
the records takes up to 5 % on a node with no core to spare."""
STOLEN, STOLEN_LEAST_S = 0.02, 0.03
"""Of a rank's whole run, and at least three of the kernel's ticks of 10 ms: it counts in these."""
IDLE = 0.15
"""A rank that spins has its CPU all the time; less is a throttled quota, or an MPI that sleeps."""
SLOWER_WORK = 1.25
"""The fixed work's 90 % quantile over its 10 %: a changing frequency or a busy sibling thread."""


def disturbances(run: Run) -> list[str]:
    """One sentence for each thing that took more than its share, with what to do."""
    by_rank: dict[tuple[int, int], list[Noise]] = {}
    for noise in run.noises:
        by_rank.setdefault((noise.launch, noise.rank), []).append(noise)
    if not by_rank or any(launch.simulated for launch in run.launches):
        return []
    groups = list(by_rank.values())
    found = [
        _waited(groups),
        _throttled(groups),
        _stolen(groups),
        _moved(groups),
        _slower_work(groups),
    ]
    return [words for words in found if words]


def _share(group: Iterable[Noise], field: str) -> float:
    """Of the wall time of those looks that tell it."""
    values = [(getattr(noise, field), noise.wall_s) for noise in group]
    told = [(value, wall) for value, wall in values if wall and value is not None]
    wall = sum(wall for _, wall in told)
    return sum(value for value, _ in told) / wall if wall else 0.0


def _waited(groups: list[list[Noise]]) -> str | None:
    worst = max(_share(group, "waited_s") for group in groups)
    if worst <= WAITED:
        return None
    return (
        f"other processes held a rank's CPU for {100.0 * worst:.0f} % of a launch; stop them, or "
        "pin the ranks elsewhere with --cpus"
    )


def _throttled(groups: list[list[Noise]]) -> str | None:
    """Neither running nor waiting for a CPU that another had."""
    told = [group for group in groups if any(noise.cpu_s is not None for noise in group)]
    missing = max(
        (1.0 - _share(group, "cpu_s") - _share(group, "waited_s") for group in told), default=0.0
    )
    if missing <= IDLE:
        return None
    return (
        f"a rank was kept off its CPU for {100.0 * missing:.0f} % of a launch though nothing else "
        "ran there: a CPU quota (cgroup) throttles it, or this MPI sleeps while it waits"
    )


def _stolen(groups: list[list[Noise]]) -> str | None:
    """Each look tells what was taken since the last one that told, so all of the time counts."""
    worst = 0.0
    for rank in {noise.rank for group in groups for noise in group}:
        looks = [noise for group in groups for noise in group if noise.rank == rank]
        stolen = sum(noise.steal_s or 0.0 for noise in looks)
        if stolen >= STOLEN_LEAST_S:
            worst = max(worst, stolen / sum(noise.wall_s or 0.0 for noise in looks))
    if worst <= STOLEN:
        return None
    return (
        f"the hypervisor took {100.0 * worst:.1f} % of a CPU; measure when its other guests are "
        "quiet, or on dedicated hosts"
    )


def _moved(groups: list[list[Noise]]) -> str | None:
    moves = sum(noise.migrations or 0.0 for group in groups for noise in group)
    if not moves:
        return None
    return f"ranks moved between CPUs {moves:.0f} times; pin them with --place core"


def _slower_work(groups: list[list[Noise]]) -> str | None:
    ratios = [
        noise.probe_high_s / noise.probe_low_s
        for group in groups
        for noise in group
        if noise.probe_low_s and noise.probe_high_s
    ]
    for group in groups:
        work = [noise.probe_s for noise in group if noise.probe_s]
        if len(work) >= 10:
            low, high = np.quantile(work, (0.1, 0.9))
            ratios.append(float(high / low))
    if not ratios or max(ratios) <= SLOWER_WORK:
        return None
    return (
        f"the same arithmetic took up to {max(ratios):.2f} times as long in some rounds: the clock "
        "frequency changes or a sibling thread is busy; fix the governor, leave siblings idle"
    )

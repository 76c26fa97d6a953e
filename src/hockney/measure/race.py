"""Racing: an algorithm is not measured further at sizes where it is surely not the best.

An algorithm has lost a size if another one of the same collective and number of ranks was faster
in each of its launches than this one in any, by a margin. Three launches of each do that by chance
in one of twenty cases where both are the same, two in one of six, so that the margin of two is what
keeps those that are alike in the race; that of three keeps what differs by little."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

import numpy as np
from msgspec.structs import replace

from hockney.estimate.points import AUXILIARY
from hockney.records import Run
from hockney.spec import Case
from hockney.spec.workloads.collective import DEFAULT, Collective

MARGINS = {2: 0.25, 3: 0.05}
"""Relative, by the fewest launches of both."""
Times = dict[tuple[int, str | None], list[float]]
"""The medians of launches, by size and pattern of arrival."""


class Runner(Protocol):
    """A case and how far it was measured."""

    case: Case
    run: Run
    is_done: bool


R = TypeVar("R", bound=Runner)


class Race:
    """Decides after each launch which cases have lost. The library's own decision is what the
    others are compared with, and stays."""

    def __init__(self) -> None:
        self._times: dict[int, Times] = {}
        self._seen: dict[int, int] = {}
        self.lost: list[str] = []
        """What is not measured further, in words."""

    def drop(self, runners: Sequence[Runner]) -> None:
        """Leaves out sizes that cases have lost, and ends those that have lost all."""
        for one in runners:
            self._add(one)
        for group in self.groups(runners):
            for one in group:
                if not one.is_done and not is_default(one.case):
                    self._keep(one, self._open(one, group))

    def groups(self, runners: Sequence[R]) -> list[list[R]]:
        """Those that are in one race: of the same collective and number of ranks."""
        groups: dict[Hashable, list[R]] = {}
        for one in runners:
            groups.setdefault(_group(one.case), []).append(one)
        return list(groups.values())

    def standing(self, runner: Runner, group: Sequence[Runner]) -> Times:
        """The times of a case where it has not lost."""
        others = [self._times[id(other)] for other in group if other is not runner]
        return {
            key: times
            for key, times in self._times[id(runner)].items()
            if not any(_is_behind(times, other.get(key, [])) for other in others)
        }

    def _add(self, runner: Runner) -> None:
        """Takes the samples that were measured since the last time."""
        samples = runner.run.samples
        times = self._times.setdefault(id(runner), {})
        by_launch: dict[tuple[tuple[int, str | None], int], list[float]] = {}
        for number in range(self._seen.get(id(runner), 0), len(samples)):
            one = samples[number]
            if one.operation not in AUXILIARY and one.phase is None:
                by_launch.setdefault(((one.bytes, one.arrival), one.launch), []).extend(one.ns)
        self._seen[id(runner)] = len(samples)
        for (size, _), ns in by_launch.items():
            times.setdefault(size, []).append(float(np.median(ns)))

    def _open(self, runner: Runner, group: Sequence[Runner]) -> set[int]:
        """The sizes that a case has not lost, in some pattern of arrival."""
        seen = {size for size, _ in self._times[id(runner)]}
        unseen = {size.bytes for size in runner.case.workload.sizes} - seen
        return unseen | {size for size, _ in self.standing(runner, group)}

    def _keep(self, runner: Runner, sizes: set[int]) -> None:
        workload = runner.case.workload
        left = tuple(size for size in workload.sizes if size.bytes in sizes)
        if not left:
            runner.is_done = True
            launches = max(map(len, self._times[id(runner)].values()))
            self.lost.append(f"{runner.case.name}: out of the race after {launches} launches")
        elif len(left) < len(workload.sizes):
            runner.case = replace(runner.case, workload=replace(workload, sizes=left))


def _is_behind(own: Sequence[float], other: Sequence[float]) -> bool:
    launches = min(len(own), len(other), max(MARGINS))
    return launches in MARGINS and max(other) * (1.0 + MARGINS[launches]) < min(own)


def _group(case: Case) -> Hashable:
    workload = case.workload
    name = workload.collective if isinstance(workload, Collective) else workload.experiment
    return name, case.placement.ranks


def is_default(case: Case) -> bool:
    return isinstance(case.workload, Collective) and case.workload.algorithm == DEFAULT

"""Racing: an algorithm that is surely the best at no size is not measured further.

An algorithm has lost a size if another one of the same collective and number of ranks was faster
in each of its launches than this one in any, by MARGIN. Three launches of each do that by chance in
one of twenty cases where both are the same; MARGIN keeps what differs by little in the race."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

import numpy as np

from hockney.estimate.points import AUXILIARY
from hockney.records import Run
from hockney.spec import Case
from hockney.spec.workloads.collective import DEFAULT, Collective

LEAST_LAUNCHES = 3
MARGIN = 0.05
"""Relative."""
Times = dict[Hashable, list[float]]
"""The medians of launches, by size and pattern of arrival."""


class Runner(Protocol):
    """A case and how far it was measured."""

    case: Case
    run: Run
    is_done: bool


class Race:
    """Decides after each launch which cases have lost. The library's own decision is what the
    others are compared with, and stays."""

    def __init__(self) -> None:
        self._times: dict[int, Times] = {}
        self._seen: dict[int, int] = {}
        self.lost: list[str] = []
        """What is not measured further, in words."""

    def drop(self, runners: Sequence[Runner]) -> None:
        """Ends the cases that have lost."""
        for one in runners:
            self._add(one)
        groups: dict[Hashable, list[Runner]] = {}
        for one in runners:
            groups.setdefault(_group(one.case), []).append(one)
        for group in groups.values():
            for one in group:
                if not one.is_done and not _is_default(one.case) and self._has_lost(one, group):
                    one.is_done = True
                    launches = max(map(len, self._times[id(one)].values()))
                    self.lost.append(f"{one.case.name}: out of the race after {launches} launches")

    def _add(self, runner: Runner) -> None:
        """Takes the samples that were measured since the last time."""
        samples = runner.run.samples
        times = self._times.setdefault(id(runner), {})
        by_launch: dict[tuple[Hashable, int], list[float]] = {}
        for number in range(self._seen.get(id(runner), 0), len(samples)):
            one = samples[number]
            if one.operation not in AUXILIARY and one.phase is None:
                by_launch.setdefault(((one.bytes, one.arrival), one.launch), []).extend(one.ns)
        self._seen[id(runner)] = len(samples)
        for (size, _), ns in by_launch.items():
            times.setdefault(size, []).append(float(np.median(ns)))

    def _has_lost(self, runner: Runner, group: Sequence[Runner]) -> bool:
        own = self._times[id(runner)]
        others = [self._times[id(other)] for other in group if other is not runner]
        return bool(own) and all(
            any(_is_behind(times, other.get(size, [])) for other in others)
            for size, times in own.items()
        )


def _is_behind(own: Sequence[float], other: Sequence[float]) -> bool:
    enough = min(len(own), len(other)) >= LEAST_LAUNCHES
    return enough and max(other) * (1.0 + MARGIN) < min(own)


def _group(case: Case) -> Hashable:
    workload = case.workload
    name = workload.collective if isinstance(workload, Collective) else workload.experiment
    return name, case.placement.ranks


def _is_default(case: Case) -> bool:
    return isinstance(case.workload, Collective) and case.workload.algorithm == DEFAULT

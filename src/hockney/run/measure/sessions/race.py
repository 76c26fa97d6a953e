"""Racing: an algorithm is not measured further at sizes where that would gain next to nothing.

After each launch of all that are still in the race at a size, each is compared there with the
fastest. The expected gain of an algorithm is how much faster than the fastest the remaining
launches may yet show it to be, on average, with 0 where they show it to be slower (expected
opportunity cost: Chick & Inoue 2001). Those with the least expected gains have lost, as long as
these add up to no more than GAIN: of several that are alike one stays, the sooner the fewer
launches remain. Means are of the logarithms of the medians of launches. One launch does not show
how launches scatter: after the first only those have lost that take several times as long."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from hockney.base.units import how_many
from hockney.infer.estimate.launches import WAITED
from hockney.infer.estimate.points import AUXILIARY
from hockney.plan import Case
from hockney.plan.workloads.collective import DEFAULT, Collective
from hockney.records import Run
from hockney.run.measure.sessions.answer import Answer

GAIN = 0.005
"""Largest expected loss of time at a size, as a fraction, by all cases that leave after one launch
of each. It is a sixth of the difference that matters (algorithms/best.py)."""
LEAST_FREEDOM = 2
"""Least degrees of freedom: with fewer the expectation is infinite."""
NO_SCATTER = 1e-12
"""Least standard deviation: simulated launches do not scatter."""
FAR_BEHIND = 3.0
"""A case leaves after one launch if its lower quartile is more than this multiple of the least
upper quartile: other work on the machine may well double the time of a launch."""
FIRST_PART = 1.0 / 3.0
"""The first launch measures for this part of the time: it needs to show who is far behind."""
Array = NDArray[np.float64]
Key = tuple[int, str | None]
"""A size (bytes) and a pattern of arrival."""
Times = dict[Key, list[float]]
"""The median of each launch, by size and pattern of arrival."""


@dataclass
class _Seen:
    """What the launches of a case have shown so far."""

    samples: int = 0
    times: Times = field(default_factory=dict)
    quartiles: dict[Key, tuple[float, float]] = field(default_factory=dict)
    """Quartiles of the first launch (ns); from 0 to infinity where that was disturbed."""
    lost: set[Key] = field(default_factory=set)


class Race:
    """Decides after each launch which cases have lost. The library's own decision always stays: the
    others are compared with it."""

    def __init__(self, launches: int | None = None) -> None:
        """launches: the requested number of each case; None if only the budget limits them."""
        self._launches = launches
        self._seen: dict[int, _Seen] = {}
        self._looks: dict[tuple[Hashable, Key], int] = {}
        """Launches of each case at the last comparison, by group and key."""
        self.lost: list[str] = []
        """A line for each case that is not measured further."""

    def drop(self, runners: Sequence[Answer]) -> None:
        """Leaves out sizes that cases have lost, and ends those that have lost all."""
        for runner in runners:
            self._add(runner)
        for group in self.groups(runners):
            for key in {key for runner in group for key in self._seen[id(runner)].times}:
                self._compare(key, group)
            for runner in group:
                if not runner.is_done and not is_default(runner.case):
                    self._keep(runner)

    def groups(self, runners: Sequence[Answer]) -> list[list[Answer]]:
        """The cases of each race: those of one collective and number of ranks."""
        groups: dict[Hashable, list[Answer]] = {}
        for runner in runners:
            groups.setdefault(_group(runner.case), []).append(runner)
        return list(groups.values())

    def standing(self, runner: Answer) -> Times:
        """The times of a case at the keys where it has not lost."""
        seen = self._seen[id(runner)]
        return {key: times for key, times in seen.times.items() if key not in seen.lost}

    def _add(self, runner: Answer) -> None:
        """Takes the samples measured since the last call."""
        samples = runner.run.samples
        seen = self._seen.setdefault(id(runner), _Seen())
        by_launch: dict[tuple[Key, int], list[float]] = {}
        for number in range(seen.samples, len(samples)):
            sample = samples[number]
            if sample.operation not in AUXILIARY and sample.phase is None:
                by_launch.setdefault(((sample.bytes, sample.arrival), sample.launch), []).extend(
                    sample.ns
                )
        seen.samples = len(samples)
        firsts = {launch for key, launch in by_launch if key not in seen.quartiles}
        disturbed = {launch for launch in firsts if _is_disturbed(runner.run, launch)}
        for (key, launch), ns in by_launch.items():
            low, median, high = np.quantile(ns, (0.25, 0.5, 0.75)).tolist()
            seen.times.setdefault(key, []).append(median)
            if key not in seen.quartiles:
                seen.quartiles[key] = (0.0, np.inf) if launch in disturbed else (low, high)

    def _compare(self, key: Key, group: Sequence[Answer]) -> None:
        """Finds who has lost at a size, once all that are in the race there have one more
        launch."""
        racing = [
            runner
            for runner in group
            if key not in self._seen[id(runner)].lost
            if any(size.bytes == key[0] for size in runner.case.workload.sizes)
        ]
        seen = [self._seen[id(runner)] for runner in racing]
        counts = [
            len(history.times.get(key, ()))
            for runner, history in zip(racing, seen, strict=True)
            if not runner.is_done
        ]
        launches = min(counts, default=0)
        look = (_group(group[0].case), key)
        if launches <= self._looks.get(look, 0):
            return
        self._looks[look] = launches
        left = 1.0 if self._launches is None else 1.0 - launches / self._launches
        if left <= 0.0:
            return  # nothing is measured further
        seen = [history for history in seen if key in history.times]
        if launches == 1:
            quartiles = [history.quartiles[key] for history in seen]
            least = min(high for _, high in quartiles)
            behind = [low > FAR_BEHIND * least for low, _ in quartiles]
        else:
            every = [self._seen[id(runner)].times.get(key, []) for runner in group]
            behind = _behind([history.times[key][:launches] for history in seen], every, left)
        for history, is_behind in zip(seen, behind, strict=True):
            if is_behind:
                history.lost.add(key)

    def _keep(self, runner: Answer) -> None:
        """Measures a case no further at the sizes that it has lost in all patterns of arrival."""
        workload, seen = runner.case.workload, self._seen[id(runner)]
        measured = {size for size, _ in seen.times}
        standing = {size for size, _ in self.standing(runner)}
        left = tuple(s for s in workload.sizes if s.bytes in standing or s.bytes not in measured)
        if not left:
            runner.is_done = True
            launches = max(map(len, seen.times.values()))
            made = how_many(launches, "launch")
            self.lost.append(f"{runner.case.name}: out of the race after {made}")
        elif len(left) < len(workload.sizes):
            runner.case = replace(runner.case, workload=replace(workload, sizes=left))


def _is_disturbed(run: Run, launch: int) -> bool:
    """Whether other work took too much of a launch's time: then it shows nobody far behind."""
    rounds = [record for record in run.rounds if record.launch == launch]
    waited_s = sum(record.waited_s or 0.0 for record in rounds)
    return waited_s > WAITED * sum(record.wall_s or 0.0 for record in rounds)


def _behind(
    times: Sequence[Sequence[float]], every: Sequence[Sequence[float]], left: float
) -> list[bool]:
    """Which cases need not be measured further. The scatter is pooled over all cases; a case that
    scatters more has its own. every: the times of all cases, also of those that have lost. left:
    the fraction of the variance of means that the remaining launches can resolve, which is the
    remaining fraction of launches."""
    logs = [np.log(case_times) for case_times in times]
    means = np.array([log.mean() for log in logs])
    known = [np.log(case_times) for case_times in every if len(case_times) > 1]
    freedom = sum(len(log) - 1 for log in known)
    pooled = sum(float(((log - log.mean()) ** 2).sum()) for log in known) / freedom
    own = [float(log.var(ddof=1)) if len(log) > 1 else 0.0 for log in logs]
    errors = np.array(
        [max(pooled, variance) / len(log) for variance, log in zip(own, logs, strict=True)]
    )
    fastest = int(means.argmin())
    deviations = np.sqrt(left * (errors + errors[fastest]))
    gains = _expected_gains(means - means[fastest], deviations, max(freedom, LEAST_FREEDOM))
    gains[fastest] = np.inf
    order = np.argsort(gains)
    behind = np.zeros(len(times), dtype=bool)
    behind[order] = np.cumsum(gains[order]) < GAIN
    is_behind: list[bool] = behind.tolist()
    return is_behind


def _expected_gains(above: Array, deviations: Array, freedom: int) -> Array:
    """The mean of max(0, -x) where x has Student's distribution around `above`."""
    from scipy.special import gammaln, stdtr

    deviations = np.maximum(deviations, NO_SCATTER)
    z = above / deviations
    log_scale = gammaln((freedom + 1) / 2) - gammaln(freedom / 2) - 0.5 * np.log(freedom * np.pi)
    density = np.exp(log_scale - (freedom + 1) / 2 * np.log1p(z**2 / freedom))
    gains: Array = deviations * (
        density * (freedom + z**2) / (freedom - 1) - z * stdtr(freedom, -z)
    )
    return gains


def _group(case: Case) -> Hashable:
    workload = case.workload
    name = workload.collective if isinstance(workload, Collective) else workload.experiment
    return name, case.placement.ranks


def is_default(case: Case) -> bool:
    return isinstance(case.workload, Collective) and case.workload.algorithm == DEFAULT

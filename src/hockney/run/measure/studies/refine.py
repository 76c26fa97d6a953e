"""Finds where the curve breaks: launches around each jump or kink locate the switch to the byte, or
as closely as noise allows, and identify the protocols on both sides."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from msgspec import structs

from hockney.base.units import parse_sizes
from hockney.infer.estimate import estimate
from hockney.infer.fitting.fit import Curve, curve_of
from hockney.infer.fitting.partition import LEAST_SIZES
from hockney.infer.fitting.switches import Bracket, brackets_of, narrowed
from hockney.infer.models import segmented
from hockney.plan import Plan, single, sizes_of
from hockney.plan.workloads import Workload
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import Run, Switch
from hockney.run.measure.sessions.budget import StepsClock, of_one_launch
from hockney.run.measure.sessions.session import Session
from hockney.run.measure.studies.late import LateTimes, late_by

SURVEY_PER_OCTAVE = 8
"""Sizes per octave: SimGrid's fit of a real MPI has regimes of two thirds of an octave, and
detecting a regime takes three sizes."""
INSIDE = 7
"""Sizes between the ends of a bracket in one launch; they narrow it by a factor of eight."""
ANCHORS = 4
"""Sizes beyond each end of a bracket, through which the two lines are fitted."""
MOST_LAUNCHES = 32
"""Most launches after the survey; eight narrow an octave at 16 MiB to the byte."""
NEAREST = 8
"""Bytes from a bracket of the farthest size beside it in a launch that looks closely."""
STUCK = 0.75
"""A launch that leaves more than this fraction of a bracket is limited by noise."""
FIRST_FRACTION = 0.4
"""The launches of the plan itself get this fraction of the budget."""
PARTS = 8
"""The next launch gets one of so many parts of the remaining budget."""
LATE_FRACTION = 0.15
"""So much of the budget is kept for late receivers, which name the protocols, while breaks are
looked for."""
LEAST_S = 0.15
"""No launch measures for less than this."""


@dataclass
class Refinement:
    """Decides after each launch what to measure next. Three steps: a survey of the whole curve and
    launches around its breaks; the same again with sizes close to the breaks, which may hide
    others; launches with late receivers."""

    plan: Plan
    now: Callable[[], float] = time.monotonic
    survey: int | None = None
    """The launch of the first survey."""
    last_survey: int | None = None
    has_no_survey: bool = False
    """True if the budget was spent before a survey."""
    open: list[Bracket] = field(default_factory=list)
    done: list[Bracket] = field(default_factory=list)
    lost: list[Bracket] = field(default_factory=list)
    """Breaks of a survey that further launches did not confirm."""
    close: set[Bracket] = field(default_factory=set)
    """Open brackets with a jump that two lines through far sizes did not show again: more than one
    change may be near. The sizes beside them are taken."""
    late: LateTimes | None = None
    sizes: list[int] = field(default_factory=list)
    """Sizes of the last survey."""
    ended_by: str = "steps"
    """What ended the search: nothing is left to look for, or "budget" or "launches" were spent."""
    clock: StepsClock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = StepsClock(self.plan, self.now)

    @property
    def workload(self) -> Pingpong:
        workload = self.plan.first.workload
        assert isinstance(workload, Pingpong)
        return workload

    def first(self) -> Plan:
        """The plan itself, with its fraction of the budget."""
        sampling = self.plan.sampling
        sampling = structs.replace(sampling, budget_s=FIRST_FRACTION * sampling.budget_s)
        return structs.replace(self.plan, sampling=sampling)

    def next(self, session: Session) -> Plan | None:
        """The plan of the next launch; None at the end, after the switches are recorded."""
        run, last = session.run, len(session.run.launches) - 1
        if self.survey is None and not self._has_time():
            self.has_no_survey = True
            session.reason = "budget"
            return None
        if self.survey is None:
            self.survey = self.last_survey = last + 1
            self.sizes = survey_sizes(self.workload)
            return self._one_launch(self._pingpong(self.sizes, floor=self.workload.floor))
        if self.late is None:
            self._learn(curve_of_launch(run, last), last)
            if self.open and self._may_search(last):
                known = [*self.open, *self.done]
                around = {
                    size for bracket in self.open for size in self._sizes_around(bracket, known)
                }
                return self._one_launch(self._pingpong(around))
            self._close()
            if self.last_survey == self.survey and self.done and self._may_search(last):
                self.last_survey = last + 1
                self.sizes = sorted({*self.sizes, *steps_away(self.done, self.sizes)})
                return self._one_launch(self._pingpong(self.sizes))
            if not self._has_time():
                self._record(session, {})
                return None
            self.late = LateTimes(late_by(_slowest_s(run)))
            ends = {size for edges in self._edges() for size in edges}
            return self._one_launch(self.late.workload(self.workload, ends))
        self.late.learn(run, last)
        between = self.late.sizes_between()
        if between and self._may_go_on(last):
            return self._one_launch(self.late.workload(self.workload, between))
        self.done = joined(self.done, self.late.changes())
        self._record(session, self.late.waits)
        return None

    def _record(self, session: Session, waits: dict[int, bool]) -> None:
        """Records the switches, and why nothing follows."""
        session.reason = self.ended_by if self._has_time() else "budget"
        for switch in self._switches(session.run, waits):
            session.add(switch)

    def notes(self) -> list[str]:
        if self.has_no_survey:
            return ["the budget was over before the survey: breaks of the curve are unknown"]
        places = ", ".join(f"{bracket.low_bytes}..{bracket.high_bytes} B" for bracket in self.lost)
        words = "breaks that further launches did not confirm are excluded"
        return [f"{words}: {places}"] if self.lost else []

    def _close(self) -> None:
        """Ends the search: open breaks are kept as narrow as they are, except those that no launch
        after the survey confirmed, or that the last one did not show again."""
        unsure = {bracket for bracket in self.open if bracket.jump is None} | self.close
        self.lost += [bracket for bracket in self.open if bracket in unsure]
        seen_again = [bracket for bracket in self.open if bracket not in unsure]
        self.done, self.open = sorted([*self.done, *seen_again], key=_place), []

    def _may_go_on(self, last: int, kept_s: float = 0.0) -> bool:
        """True while time, of which `kept_s` are kept, and launches are left. Asked only while
        something is left to look for; what forbids it is remembered."""
        assert self.survey is not None
        if not self._has_time() or not self.clock.allows(kept_s):
            self.ended_by = "budget"
        elif last - self.survey >= MOST_LAUNCHES:
            self.ended_by = "launches"
        else:
            return True
        return False

    def _may_search(self, last: int) -> bool:
        """True while late receivers keep their part of the time."""
        return self._may_go_on(last, LATE_FRACTION * self.clock.total_s)

    def _has_time(self) -> bool:
        """True if time is left for another launch."""
        return self.clock.allows(2.0 * LEAST_S)

    def _pingpong(self, sizes: Iterable[int], floor: bool = False) -> Pingpong:
        every = sizes_of(sorted(sizes))
        return structs.replace(self.workload, sizes=every, floor=floor)

    def _one_launch(self, workload: Workload) -> Plan:
        budget_s = self.clock.budget_s(max(self.clock.left_s / PARTS, LEAST_S))
        sampling = of_one_launch(self.plan.sampling, budget_s)
        return single(workload, self.plan.first.placement, sampling)

    # Around the breaks

    def _learn(self, curve: Curve, launch: int) -> None:
        """Evaluates the last launch: a survey, or a launch around the open brackets."""
        if launch == self.last_survey:
            for first, last in self._edges():
                regime = curve.at((curve.bytes >= first) & (curve.bytes <= last))
                if segmented.lacks(regime) is None:
                    self.open += brackets_of(segmented.fit(regime, resamples=0, as_lines=True))
            return
        before, self.open = self.open, []
        known = [*before, *self.done]
        for bracket in before:
            sizes = self._sizes_around(bracket, known)
            around = curve.at((curve.bytes >= sizes[0]) & (curve.bytes <= sizes[-1]))
            narrower = narrowed(around)
            is_close = bracket in self.close
            if 2 * around.sizes < len(sizes):
                self.open.append(bracket)  # most of the launch was in another state
            elif narrower is None and bracket.jump is not None and not is_close:
                self.close.add(bracket)
                self.open.append(bracket)
            elif narrower is None or (is_close and not _as_high(narrower, bracket)):
                self.lost.append(bracket)
            elif narrower.is_exact or _width(narrower) > STUCK * _width(bracket):
                self.done.append(narrower)
            else:
                self.open.append(narrower)

    def _anchors(self, bracket: Bracket, known: list[Bracket]) -> tuple[list[int], list[int]]:
        """Sizes of the survey below and above a bracket, up to the next known switches."""
        floor = max((b.high_bytes for b in known if b.high_bytes <= bracket.low_bytes), default=0)
        ends = [b.low_bytes for b in known if b.low_bytes >= bracket.high_bytes]
        ceiling = min(ends, default=self.sizes[-1])
        below = [size for size in self.sizes if floor <= size < bracket.low_bytes]
        above = [size for size in self.sizes if bracket.high_bytes < size <= ceiling]
        return below[-ANCHORS:], above[:ANCHORS]

    def _sizes_around(self, bracket: Bracket, known: list[Bracket]) -> list[int]:
        below, above = self._anchors(bracket, known)
        if bracket in self.close:
            steps = [2**power for power in range(NEAREST.bit_length())]
            below = [bracket.low_bytes - step for step in steps if step < bracket.low_bytes]
            above = [bracket.high_bytes + step for step in steps]
        inside = np.linspace(bracket.low_bytes, bracket.high_bytes, INSIDE + 2).round()
        return sorted({*below, *(int(size) for size in inside), *above})

    # On both sides of the breaks

    def _edges(self) -> list[tuple[int, int]]:
        """The first and the last size of each regime."""
        lows = [bracket.low_bytes for bracket in self.done]
        highs = [bracket.high_bytes for bracket in self.done]
        return list(zip([self.sizes[0], *highs], [*lows, self.sizes[-1]], strict=True))

    def _switches(self, run: Run, waits: dict[int, bool]) -> list[Switch]:
        slower = self._slower_copies(run)
        sides = [(waits.get(first), waits.get(last)) for first, last in self._edges()]
        names = [protocol(first, last) for first, last in sides]
        switches = []
        for i, bracket in enumerate(self.done):
            copies = any(_are_near(bracket, other) for other in slower)
            if copies and names[i] == names[i + 1]:
                names[i + 1] = "cache"
            switches.append(
                Switch(
                    low_bytes=bracket.low_bytes,
                    high_bytes=bracket.high_bytes,
                    jump=bracket.jump,
                    below=names[i],
                    above=names[i + 1],
                    evidence=_evidence(sides[i][1], sides[i + 1][0], copies),
                )
            )
        return switches

    def _slower_copies(self, run: Run) -> list[Bracket]:
        """Sizes from which a copy without MPI takes more time per byte; empty without a floor."""
        assert self.survey is not None
        copies = [
            point
            for point in estimate(run.of_launches((self.survey,))).headline
            if point.operation == "copy" and point.algorithm == "warm"
        ]
        if len(copies) < LEAST_SIZES:
            return []
        lines = segmented.fit(curve_of(copies), resamples=0, as_lines=True)
        betas = pairwise(segment.beta_s_per_B for segment in lines.segments)
        return [
            b for b, (beta, next_) in zip(brackets_of(lines), betas, strict=True) if next_ > beta
        ]


def survey_sizes(workload: Workload) -> list[int]:
    """The requested sizes and SURVEY_PER_OCTAVE sizes per octave between them."""
    requested = {size.bytes for size in workload.sizes}
    first, last = min(requested - {0}), max(requested)
    return sorted(requested | set(parse_sizes(f"{first}..{last}/{SURVEY_PER_OCTAVE}")))


def steps_away(brackets: list[Bracket], sizes: list[int]) -> set[int]:
    """Sizes 1, 2, 4 ... bytes from each switch, where the survey may have missed another one."""
    steps = [2**power for power in range(sizes[-1].bit_length())]
    below = {b.low_bytes - step for b in brackets for step in steps if 4 * step < b.low_bytes}
    above = {b.high_bytes + step for b in brackets for step in steps if 4 * step < b.high_bytes}
    return {size for size in below | above if sizes[0] <= size <= sizes[-1]}


def curve_of_launch(run: Run, number: int) -> Curve:
    return curve_of(estimate(run.of_launches((number,))).own())


def _slowest_s(run: Run) -> float:
    """The time of the slowest size, by its median visit: a single disturbed visit would make every
    receiver so late that few trains are timed."""
    visits: dict[int, list[float]] = {}
    for samples in run.samples:
        if samples.ns:
            visits.setdefault(samples.bytes, []).append(float(np.median(samples.ns)))
    return max(float(np.median(each)) for each in visits.values()) * 1e-9


def _as_high(narrower: Bracket, bracket: Bracket) -> bool:
    """Whether a close look shows at least half of the jump that was seen before: less is chance, or
    the rounding of exact times."""
    return abs(narrower.jump or 0.0) >= 0.5 * abs(bracket.jump or 0.0)


def joined(brackets: list[Bracket], changes: list[tuple[int, int]]) -> list[Bracket]:
    """Breaks of the curve joined with changes between eager and rendezvous. Where they overlap they
    are one switch, and the narrower counts. A change without a break does not alter the times."""
    every = list(brackets)
    for low, high in changes:
        same = [b for b in every if b.low_bytes < high and low < b.high_bytes]
        every = [b for b in every if b not in same]
        near = min([*same, Bracket(low, high)], key=_width)
        jump = next((b.jump for b in same), None)
        every.append(replace(near, jump=jump))
    return sorted(every, key=_place)


def protocol(first: bool | None, last: bool | None) -> str:
    """The protocol of a regime, from whether sends of its first and last size wait for a late
    receiver."""
    if first is None or first != last:
        return "unnamed"
    return "rendezvous" if last else "eager"


def _width(bracket: Bracket) -> int:
    return bracket.high_bytes - bracket.low_bytes


def _place(bracket: Bracket) -> int:
    return bracket.low_bytes


def _are_near(bracket: Bracket, other: Bracket) -> bool:
    """True within an octave: a message shares the cache with its copies."""
    return bracket.low_bytes <= 2 * other.high_bytes and other.low_bytes <= 2 * bracket.high_bytes


def _evidence(below: bool | None, above: bool | None, copies: bool) -> str:
    if below is None or above is None:
        words = "sends to a late receiver were not measured on both sides"
    elif below == above:
        words = f"sends to a late receiver {_does(below)} on both sides"
    else:
        words = f"sends to a late receiver {_does(below)} below, {_does(above)} above"
    return words + ("; copies without MPI become slower near it" if copies else "")


def _does(waits: bool) -> str:
    return "wait" if waits else "return"

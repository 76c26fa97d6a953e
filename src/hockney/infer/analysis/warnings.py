"""Warnings before a number is believed: each is a fact with its `text`, what happened and what to
do about it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hockney.base.units import (
    format_ratio,
    format_seconds,
    format_size,
    format_uncertainty,
    how_many,
    listed,
    whole_percent,
)
from hockney.infer.analysis.conditions.crowding import oversubscribed
from hockney.infer.analysis.conditions.detours import detours
from hockney.infer.analysis.conditions.noise import disturbances
from hockney.infer.analysis.conditions.starts import skew_of
from hockney.infer.analysis.conditions.state_changes import StateChanges
from hockney.infer.analysis.conditions.transports import Transports
from hockney.infer.analysis.conditions.unlike_launches import unlike_launches
from hockney.infer.analysis.launches_needed import launches_needed
from hockney.infer.analysis.side_by_side import MethodRatio
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES, carries_interval
from hockney.plan import workload_of
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import LeftOutNode, Place, Run

NOISY_PRECISION = 0.05
"""Relative half-width beyond which a median is called noisy."""
MOST_RANKS = 8
"""Most ranks that a warning lists; more are counted."""
MOST_SKEW_S = 10e-6
"""Largest acceptable time between the starts of the first and the last rank: 2 % of 0.5 ms."""


@dataclass(frozen=True)
class Incomplete:
    reason: str

    @property
    def text(self) -> str:
        return f"incomplete: {self.reason}"


@dataclass(frozen=True)
class NothingMeasured:
    """The run holds neither times nor statistics of a log."""

    @property
    def text(self) -> str:
        return "empty: no number was measured; continue the run with --resume, or measure it again"


@dataclass(frozen=True)
class FailedLaunches:
    """Launches that ended badly, whose rounds up to then count."""

    failed: int
    launches: int
    message: str
    """Why the first of them failed."""

    @property
    def text(self) -> str:
        return (
            f"failed: {self.failed} of {self.launches} launches ended badly: {self.message}; what "
            "they had measured counts"
        )


@dataclass(frozen=True)
class WithoutNodes:
    """Nodes that the run went on without."""

    nodes: tuple[LeftOutNode, ...]
    not_counted: int
    """Launches that were made with them."""

    @property
    def fact(self) -> str:
        return f"measured without {', '.join(node.host for node in self.nodes)}"

    @property
    def text(self) -> str:
        reasons = "; ".join(node.why for node in self.nodes)
        launches = how_many(self.not_counted, "launch")
        them = "it" if len(self.nodes) == 1 else "them"
        made = f"; {launches} made with {them} are not counted" if self.not_counted else ""
        return f"{self.fact} ({reasons}){made}"


@dataclass(frozen=True)
class SourceNote:
    """A problem of an imported log or of records that an engine wrote by itself, or a known fault
    of the program that wrote a log."""

    text: str


@dataclass(frozen=True)
class NotPinned:
    places: tuple[Place, ...]

    @property
    def text(self) -> str:
        refused = next((place.refused for place in self.places if place.refused), None)
        reason = f" ({refused})" if refused else ""
        advice = "let the container or job call sched_setaffinity (a seccomp profile may forbid it)"
        if refused is None:
            advice = "pin them with --place core"
        ranks = listed([place.rank for place in self.places], MOST_RANKS)
        return f"not pinned: ranks {ranks} may move between CPUs{reason}; {advice}"


@dataclass(frozen=True)
class NotProbed:
    """The library gave the ranks no shared window for the probe."""

    reason: str

    @property
    def text(self) -> str:
        return (
            f"not probed: the ranks got no memory in common ({self.reason}), so states of the "
            "machine are not known; see `hockney doctor`"
        )


@dataclass(frozen=True)
class Skewed:
    """Ranks that should start together did not."""

    median_s: float

    @property
    def text(self) -> str:
        return (
            f"late starts: the last rank of a visit started {format_seconds(self.median_s, 2)} "
            "after the first (median), so not all exchanged messages at once; give every rank "
            "a CPU of its own"
        )


@dataclass(frozen=True)
class Noisy:
    count: int
    points: int
    worst: PointEstimate
    """The point with the widest relative interval."""
    by_hand: bool = False

    @property
    def text(self) -> str:
        more = "more launches" if self.by_hand else "a larger --budget"
        return (
            f"noisy: {self.count} of {self.points} medians are known to no better than "
            f"±{whole_percent(NOISY_PRECISION)} "
            f"(worst {format_uncertainty(self.worst.precision or 0.0, decimals=1)}"
            f" at {self.worst.bytes} B); {more} or a quieter machine helps"
        )


@dataclass(frozen=True)
class CoarseClock:
    """Steps of the clock in the times of single operations, which no number of launches hides."""

    count: int
    points: int
    worst: PointEstimate
    """The point of whose time they hide the largest fraction."""
    may_batch: bool
    """Whether the same question could be asked in batches."""

    @property
    def text(self) -> str:
        what = "batches, without --every-iteration," if self.may_batch else "longer operations"
        worst = format_uncertainty(self.worst.rounding or 0.0, decimals=1)
        return (
            f"coarse clock: {self.count} of {how_many(self.points, 'median')} can be known to no "
            f"better than ±{whole_percent(NOISY_PRECISION)} (worst {worst} at {self.worst.bytes} "
            f"B) by its steps, whatever the launches; {what} show less of them"
        )


@dataclass(frozen=True)
class FewLaunches:
    launches: int
    """The fewest launches of any point."""
    imported: bool
    by_hand: bool = False
    ended_by_launches: bool = False
    """Whether the plan allowed no more launches: a larger budget would make none."""
    budget_s: float | None = None
    """The budget in which the run made so few; None where it is unknown."""
    made: int | None = None
    """Launches of all states, where there are several and this is about the headline state."""
    needed: int = LEAST_LAUNCHES
    """How many to give."""

    @property
    def text(self) -> str:
        count = f"only {how_many(self.launches, 'launch')}"
        if self.made is not None:
            count = f"only {self.launches} of {self.made} launches in state 0"
        if self.imported:
            return (
                f"{count}: no intervals (5 make one); combine logs of more launches with `hockney "
                "import --join`"
            )
        too_few = f"{count}: too few for an interval (5 make one)"
        if self.by_hand:
            return f"{too_few}; append the records of more launches to the file"
        if self.ended_by_launches:
            return f"{too_few}; give --launches {self.needed}"
        if self.budget_s is None:
            return f"{too_few}; give a larger --budget"
        needed_s = math.ceil(self.budget_s * LEAST_LAUNCHES / self.launches)
        return f"{too_few}; give a --budget of about {needed_s}s"


@dataclass(frozen=True)
class SlowDatatype:
    """A program that packs its data by hand is surely faster than the library's datatype."""

    ratios: tuple[MethodRatio, ...]
    """Ratios of packing by hand to the datatype, the largest gain first."""
    measured: int

    @property
    def text(self) -> str:
        point, judged = self.ratios[0].point, self.ratios[0].judged
        limits = judged.interval or Interval.exact(judged.ratio)
        low, high = format_ratio(limits.low), format_ratio(limits.high)
        return (
            f"slow datatype: packing by hand is surely faster than {point.datatype} at "
            f"{len(self.ratios)} of {self.measured} points; at {format_size(point.bytes)} it takes "
            f"{format_ratio(judged.ratio)} ({low} .. {high}) of the datatype's time. "
            "Pack in the program there, or try another MPI"
        )


class Warning(Protocol):
    @property
    def text(self) -> str:
        """What happened, and what to do about it."""


def warnings(
    run: Run,
    estimates: Estimates,
    transports: Transports | None = None,
    packed_by_hand: Sequence[MethodRatio] = (),
    without_nodes: WithoutNodes | None = None,
) -> list[Warning]:
    """All warnings for this run, the most serious first. transports: the ways of its messages;
    packed_by_hand: ratios to the same data as datatypes; without_nodes: nodes that it went on
    without."""
    skew = skew_of(run)
    return [
        *([Incomplete(run.cut)] if run.cut else []),
        *([] if run.is_measured or run.summaries else [NothingMeasured()]),
        *filter(None, [failed_launches(run)]),
        *filter(None, [without_nodes]),
        *source_notes(run),
        *_placement(run),
        *detours(transports),
        *([Skewed(skew.median_s)] if skew and skew.median_s > MOST_SKEW_S else []),
        *_slow_datatypes(packed_by_hand),
        *disturbances(run),
        *filter(None, [StateChanges.of(estimates.states)]),
        *unlike_launches(estimates),
        *_coarse_clock(run, estimates),
        *_noisy(run, estimates),
        *_few_launches(run, estimates),
    ]


def failed_launches(run: Run) -> FailedLaunches | None:
    """How many launches failed, each counted once for all its ranks; None if none did."""
    failed = [end for end in run.ends if end.reason == "failed"]
    if not failed or run.header.source is not None:
        return None
    why = " ".join((failed[0].message or "unknown why").split())
    badly, ended = ({end.launch for end in ends} for ends in (failed, run.ends))
    return FailedLaunches(len(badly), len(ended), why)


def source_notes(run: Run) -> list[SourceNote]:
    source = run.header.source
    if source is None:
        return [SourceNote(text) for text in run.notes]
    cut = [end.message for end in run.ends if end.message]
    return [SourceNote(text) for text in (*cut, *source.notes)]


def _placement(run: Run) -> Iterator[Warning]:
    if not run.launches or run.is_simulated:
        return
    part = run.taking_part
    places = [place for place in run.launches[0].places if place.rank in part]
    loose = tuple(place for place in places if place.pinned is False)
    if loose:
        yield NotPinned(loose)
    crowded = oversubscribed(run)
    if crowded is not None:
        yield crowded
    refused = next((launch.probe_refused for launch in run.launches if launch.probe_refused), None)
    if refused is not None:
        yield NotProbed(" ".join(refused.split()))


def _slow_datatypes(ratios: Sequence[MethodRatio]) -> list[SlowDatatype]:
    method_ratios = sorted(
        (ratio for ratio in ratios if ratio.judged.is_faster), key=lambda ratio: ratio.judged.ratio
    )
    return [SlowDatatype(tuple(method_ratios), len(ratios))] if method_ratios else []


def _coarse_clock(run: Run, estimates: Estimates) -> list[CoarseClock]:
    points = estimates.own()
    coarse = [point for point in points if (point.rounding or 0.0) > NOISY_PRECISION]
    if not coarse or run.header.source is not None:
        return []
    worst = max(coarse, key=lambda point: point.rounding or 0.0)
    may_batch = bool(getattr(workload_of(run.header.options), "every_iteration", False))
    return [CoarseClock(len(coarse), len(points), worst, may_batch)]


def _noisy(run: Run, estimates: Estimates) -> list[Noisy]:
    points = estimates.own()
    noisy = [
        point
        for point in points
        if (point.precision or 0.0) - (point.rounding or 0.0) > NOISY_PRECISION
    ]
    if not noisy:
        return []
    worst = max(noisy, key=lambda point: point.precision or 0.0)
    return [Noisy(len(noisy), len(points), worst, run.is_by_hand)]


def _few_launches(run: Run, estimates: Estimates) -> list[FewLaunches]:
    fewest, workload = _launches(run, estimates.own()), workload_of(run.header.options)
    repeats_other_program = isinstance(workload, Pingpong) and workload.preset is not None
    if carries_interval(fewest) or repeats_other_program:
        return []
    if run.header.source is not None:
        return [FewLaunches(fewest, imported=True)]
    if run.is_simulated:
        return []
    finish = run.finish
    reason = finish.reason if finish is not None else None
    budget_s = finish.spent_s if finish is not None and reason == "budget" else None
    most = finish.sampling.get("most_launches") if finish is not None else None
    ended_by_launches = most is not None and (fewest >= most or reason == "launches")
    made = len(run.launches) if len(estimates.states.states) > 1 else None
    needed = launches_needed(run, fewest)
    return [FewLaunches(fewest, False, run.is_by_hand, ended_by_launches, budget_s, made, needed)]


def _launches(run: Run, points: Sequence[PointEstimate]) -> int:
    """The fewest launches of any point; all launches where each chose other rounds of pairs: points
    are of those with the most pairs only. --refine looks once between the requested sizes."""
    workload, of_pairs = workload_of(run.header.options), {block.launch for block in run.pair_times}
    if isinstance(workload, Fabric) and workload.locate and of_pairs:
        return len(of_pairs)
    if isinstance(workload, Pingpong) and workload.refine:
        requested = {size.bytes for size in workload.sizes}
        points = [point for point in points if point.bytes in requested]
    return min((point.launches for point in points), default=LEAST_LAUNCHES)

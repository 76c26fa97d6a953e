"""Warnings before a number is believed; show/warnings.py has the sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hockney.infer.analysis.crowding import Oversubscribed, oversubscribed
from hockney.infer.analysis.noise import Disturbance, disturbances
from hockney.infer.analysis.side_by_side import MethodRatio
from hockney.infer.analysis.starts import skew_of
from hockney.infer.estimate.launches import Mode
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES, carries_interval
from hockney.plan import workload_of
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import Place, Run

NOISY_PRECISION = 0.05
"""Relative half-width beyond which a median is called noisy."""
MOST_SKEW_S = 10e-6
"""Largest acceptable time between the starts of the first and the last rank: 2 % of 0.5 ms."""


@dataclass(frozen=True)
class Incomplete:
    reason: str


@dataclass(frozen=True)
class SourceNote:
    """A problem of an imported log, or a known fault of the program that wrote it."""

    text: str


@dataclass(frozen=True)
class NotPinned:
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Skewed:
    """Ranks that should start together did not."""

    median_s: float


@dataclass(frozen=True)
class Noisy:
    count: int
    points: int
    worst: PointEstimate
    """The point with the widest relative interval."""


@dataclass(frozen=True)
class FewLaunches:
    launches: int
    """The fewest launches of any point."""
    imported: bool


@dataclass(frozen=True)
class Modes:
    """Launches are of several modes."""

    modes: tuple[Mode, ...]


@dataclass(frozen=True)
class SlowDatatype:
    """A program that packs its data by hand is surely faster than the library's datatype."""

    found: tuple[MethodRatio, ...]
    """Ratios of packing by hand to the datatype, the largest gain first."""
    measured: int


Warning = (
    Incomplete
    | SourceNote
    | NotPinned
    | Oversubscribed
    | Skewed
    | Disturbance
    | Noisy
    | FewLaunches
    | Modes
    | SlowDatatype
)


def warnings(
    run: Run, estimates: Estimates, packed_by_hand: Sequence[MethodRatio] = ()
) -> list[Warning]:
    """All warnings for this run, the most serious first. packed_by_hand: ratios to the same data as
    datatypes."""
    return [
        *([Incomplete(run.cut)] if run.cut else []),
        *source_notes(run),
        *_placement(run),
        *_skewed(run),
        *_slow_datatypes(packed_by_hand),
        *disturbances(run),
        *([Modes(estimates.modes)] if estimates.modes else []),
        *_noisy(estimates),
        *_few_launches(run, estimates),
    ]


def source_notes(run: Run) -> list[SourceNote]:
    source = run.header.source
    if source is None:
        return []
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


def _skewed(run: Run) -> list[Skewed]:
    skew = skew_of(run)
    return [Skewed(skew.median_s)] if skew and skew.median_s > MOST_SKEW_S else []


def _slow_datatypes(ratios: Sequence[MethodRatio]) -> list[SlowDatatype]:
    found = sorted((one for one in ratios if one.is_faster), key=lambda one: one.judged.ratio)
    return [SlowDatatype(tuple(found), len(ratios))] if found else []


def _noisy(estimates: Estimates) -> list[Noisy]:
    points = estimates.own()
    noisy = [point for point in points if (point.precision or 0.0) > NOISY_PRECISION]
    if not noisy:
        return []
    worst = max(noisy, key=lambda point: point.precision or 0.0)
    return [Noisy(len(noisy), len(points), worst)]


def _few_launches(run: Run, estimates: Estimates) -> list[FewLaunches]:
    fewest = min((point.launches for point in estimates.own()), default=LEAST_LAUNCHES)
    if carries_interval(fewest) or _repeats_other_program(run):
        return []
    if run.header.source is not None:
        return [FewLaunches(fewest, imported=True)]
    simulated = run.is_simulated
    return [] if simulated else [FewLaunches(fewest, imported=False)]


def _repeats_other_program(run: Run) -> bool:
    workload = workload_of(run.header.options)
    return isinstance(workload, Pingpong) and workload.preset is not None

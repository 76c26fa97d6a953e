"""Whether two runs differ. Launches are the independent units; what differs between equal runs is
part of the test; p is corrected for many points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.units import how_many, whole_percent
from hockney.infer.analysis.comparison.common_points import (
    above_0,
    common_points,
    left_out,
    not_compared,
    nothing_in_common,
    zero_notes,
)
from hockney.infer.analysis.comparison.factor import text_of
from hockney.infer.analysis.comparison.judged_pairs import judged_pairs
from hockney.infer.analysis.comparison.run_drift import RunDrift, as_earlier
from hockney.infer.analysis.conditions.between import are_one_state
from hockney.infer.analysis.conditions.state_changes import StateChanges
from hockney.infer.analysis.conditions.unlike_launches import KeptApart
from hockney.infer.analysis.findings import Failures, failures_apart
from hockney.infer.analysis.warnings import source_notes
from hockney.infer.arrays import Array
from hockney.infer.estimate.differences import Judged, Unseen
from hockney.infer.estimate.interval import low_of
from hockney.infer.estimate.launches import SLOW_RULE
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.memory.components import BetweenRuns
from hockney.infer.memory.host import EarlierRun
from hockney.plan import Case, plan_of, workload_of
from hockney.plan.knobs import knobs_of
from hockney.records import Run

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

NO_LAUNCHES: tuple[Array, Array] = (np.zeros(0), np.zeros(0))


@dataclass(frozen=True)
class PointDifference:
    base: PointEstimate
    other: PointEstimate
    difference: Judged
    unseen: Unseen | None = field(default=None, compare=False)
    """What launches cannot reveal of it."""


@dataclass(frozen=True)
class RunComparison:
    base: Run
    other: Run
    points: tuple[PointDifference, ...]
    overall: Judged | None
    """Comparison of each launch's mean over all points; None if nothing could be compared."""
    notes: tuple[str, ...]
    between: BetweenRuns | None = None
    """How much equal runs differ as a whole; None if they do not (simulated runs)."""
    means: tuple[Array, Array] = NO_LAUNCHES
    """The launches of either run as a whole, each by the mean over points of its log time."""
    only_base: str = ""
    """What A alone has, in words, where the points of both runs were asked for."""
    failures: Failures = ((), ())
    """Failed findings that A alone has, and those that B alone has."""
    is_with_itself: bool = False
    """Whether A and B are the same run: that they are equal shows nothing."""
    variant_names: Mapping[str, str] = field(default_factory=dict)
    """Names of the variants for people, by their own."""
    constant: int | None = None
    """The side (0 or 1) that is simulated and repeats exactly where the other does not."""

    @property
    def verdict(self) -> str:
        return self.overall.verdict if self.overall else "unknown"

    @property
    def is_exact(self) -> bool:
        """Whether ratios have no errors of measurement, as those of two simulated runs."""
        interval = self.overall.interval if self.overall else None
        return interval is not None and interval.is_exact

    @property
    def is_judged(self) -> bool:
        """Whether there is any verdict but "unknown", or none is possible as no point is common."""
        verdicts = {self.verdict, *(point.difference.verdict for point in self.points)}
        return verdicts != {"unknown"} or any(self.failures) or self.overall is None

    def no_launches_words(self, which: str) -> str:
        """That no number of launches decides a verdict, and what does."""
        vary = ": measure both in one run with --vary" if self.constant is None else ""
        return f"no number of launches decides {which}{vary}"

    def is_slower(self, tolerance: float) -> bool:
        """Whether B is slower than the tolerance allows, as a whole or surely at some point."""
        is_whole = self.overall is not None and self.overall.is_slower
        return is_whole or bool(self.slower_points(tolerance))

    def is_worse(self, tolerance: float) -> bool:
        """Whether B is slower than the tolerance allows, or has a failure that A has not."""
        return self.is_slower(tolerance) or bool(self.failures[1])

    def slower_points(self, tolerance: float) -> list[PointDifference]:
        """Those at which B is surely slower than the tolerance allows."""
        return [
            point
            for point in self.points
            if point.difference.verdict == "slower"
            and (low_of(point.difference.interval) or 0.0) > 1.0 + tolerance
        ]


def compare(
    first: Analysis,
    second: Analysis,
    tolerance: float,
    others: Sequence[Analysis] = (),
    each_point: bool = True,
    memory: Sequence[EarlierRun] = (),
) -> RunComparison:
    """Compares two runs of one experiment. Smaller differences than `tolerance` count as equal.
    others, memory: earlier runs; those of the same question show how much equal runs differ.
    each_point: compare points too, not only the runs as a whole."""
    base, other = first.run, second.run
    if base.header.experiment != other.header.experiment:
        raise UsageError(
            f"{base.path} holds {base.header.experiment} and {other.path} "
            f"{other.header.experiment}: different experiments cannot be compared"
        )
    notes = [f"{run.label}: {note.text}" for run in (base, other) for note in source_notes(run)]
    notes += [*_unlike(first, second), *_exclusions(first), *_exclusions(second)]
    notes = list(dict.fromkeys(notes))  # both runs may have one label
    states, words = _matching_states(first, second)
    notes += words
    both = (first.of_every_launch, second.of_every_launch)
    apart = failures_apart(first, second)
    if states is None:
        return RunComparison(base, other, (), None, tuple(notes), failures=apart)
    common = common_points(*both, states)
    pairs = above_0(common)
    if not pairs:
        notes += zero_notes(common) or [nothing_in_common(*both)]
        return RunComparison(base, other, (), None, tuple(notes), failures=apart)
    names = _variant_names(first, second)
    notes += not_compared(common, *both, states, names)
    only_base = left_out([a for a, _ in pairs], both[0].own(states[0]), names)
    only_base = "" if _are_chosen(base) or _are_chosen(other) else only_base
    earlier = (*as_earlier(others), *memory)
    drift = RunDrift.of((first, second), states[0], earlier)
    notes += drift.notes
    judged = judged_pairs((base, other), pairs, tolerance, drift, each_point)
    each, overall = judged.points, judged.whole
    if judged.is_exact:
        each, overall = [_of_any_size(point) for point in each], _of_any_size(overall)
    points = tuple(
        PointDifference(*pair, difference, unseen)
        for pair, difference, unseen in zip(pairs, each, judged.unseen, strict=False)
    )
    is_same = base.header.id == other.header.id and np.array_equal(*judged.means)
    if is_same:
        notes.insert(0, "A and B are the same run: that they are equal shows nothing")
    return RunComparison(
        *(base, other, points, overall, tuple(notes), judged.between, judged.means),
        *(only_base, apart, is_same, names, judged.constant),
    )


def _variant_names(first: Analysis, second: Analysis) -> Mapping[str, str]:
    """The names of the variants of both runs for people; their own where two would be alike."""
    names = {**second.variant_names, **first.variant_names}
    return names if len(set(names.values())) == len(names) else {}


def _of_any_size(judged: Judged) -> Judged:
    """The judgement of an exact ratio, which shows any difference, however small."""
    return replace(judged, smallest_difference=None)


def _are_chosen(run: Run) -> bool:
    """Whether a run chooses sizes by what it measures (--refine)."""
    return bool(getattr(workload_of(run.header.options), "refine", False))


def _exclusions(analysis: Analysis) -> list[str]:
    """Notes on launches that only `show` excludes, on excluded rounds, and on kinds of launches."""
    notes = []
    label, slow = analysis.label, analysis.estimates.slow_launches
    if slow:
        numbers = ", ".join(map(str, slow))
        notes.append(
            f"{label}: launches {numbers} are compared as all others are; `show` excludes them as "
            f"outliers ({SLOW_RULE})"
        )
    changes = StateChanges.of(analysis.states)
    if changes is not None:
        notes.append(f"{label}: {changes.fact}")
    elif analysis.states.changed:
        rounds = how_many(analysis.states.changed, "round")
        notes.append(f"{label}: {rounds} excluded: the state changed meanwhile")
    modes = analysis.estimates.modes
    if modes:
        kinds = ", ".join(f"{len(mode.launches)} at {mode.ratio:.2f}" for mode in modes)
        notes.append(f"{label}: launches have {len(modes)} modes ({kinds} times the fastest)")
    apart = KeptApart.of(analysis.estimates)
    if apart is not None:
        notes.append(f"{label}: {apart.fact}")
    return notes


def _definition(run: Run) -> str | None:
    return run.launches[0].definition if run.launches else None


def _unlike(first: Analysis, second: Analysis) -> list[str]:
    """Notes on what differs between the runs: the definition of a sample, the ways of messages."""
    notes = []
    base, other = first.run.label, second.run.label
    defined, otherwise = _definition(first.run), _definition(second.run)
    if defined != otherwise and first.run.launches and second.run.launches:
        each = ((base, defined), (other, otherwise))
        words = "; ".join(f"{name}: {definition or 'unknown'}" for name, definition in each)
        notes.append(f"unlike definitions: {words}")
    ways = [
        analysis.transports.text if analysis.transports else None for analysis in (first, second)
    ]
    if first.run.is_simulated != second.run.is_simulated:
        simulated = first if first.run.is_simulated else second
        notes.append(
            f'"{simulated.label}" alone is simulated: where its times repeat exactly, intervals are'
            " of the launches of the other run"
        )
    if None not in ways and ways[0] != ways[1]:
        notes.append(f'unlike ways: messages of "{base}" by {ways[0]}, of "{other}" by {ways[1]}')
    return notes


NO_KNOBS = {
    "workload": ("buffers", "sync", "receive_datatype", "serial", "reduce", "keep_clock_cost"),
    "placement": ("place", "cpus", "ranks_per_node"),
}
"""Fields of a case that are neither knobs nor axes of points, and make it another question."""


def unlike_question(base: Run, other: Run) -> str | None:
    """How two runs measured differently, in words; None where nothing shows that they did."""
    definitions = _definition(base), _definition(other)
    if None not in definitions and definitions[0] != definitions[1]:
        return f"a time was {definitions[0]}, and is {definitions[1]}"
    before, now = (plan_of(run.header.options) for run in (base, other))
    if before is None or now is None:
        return None
    was, is_ = _circumstances(before.first), _circumstances(now.first)
    for name in was:
        if was[name] != is_.get(name):
            words = text_of(was[name]), text_of(is_.get(name))
            return f"{name.replace('_', ' ')} was {words[0]}, and is {words[1]}"
    return None


def _circumstances(case: Case) -> dict[str, Any]:
    """Options that change what a case measures, besides the axes of its points."""
    knobs = knobs_of(type(case.workload)).items()
    names = [name for name, knob in knobs if knob.axis is None and not knob.is_beside]
    circumstances = {name: getattr(case.workload, name) for name in names}
    for part, fields in NO_KNOBS.items():
        circumstances |= {name: getattr(getattr(case, part), name, None) for name in fields}
    return circumstances


def _matching_states(first: Analysis, second: Analysis) -> tuple[tuple[int, int] | None, list[str]]:
    """The state of each run to compare: on one host those of the same core-to-core latency,
    preferably of most rounds; across hosts each headline."""
    host, other_host = (analysis.run.header.environment.get("host") for analysis in (first, second))
    if host != other_host:
        return (0, 0), []
    if first.states.probe != "handover" or second.states.probe != "handover":
        return (0, 0), []
    if first.states.mixed or second.states.mixed:
        return (0, 0), []
    alike = [
        (min(a.fraction, b.fraction), a.id, b.id)
        for a, b in product(first.states.states, second.states.states)
        if are_one_state(a.handover_s, b.handover_s)
    ]
    if not alike:
        states = [
            ", ".join(
                f"{1e9 * (state.handover_s or 0.0):.0f} ns" for state in analysis.states.states
            )
            for analysis in (first, second)
        ]
        return None, [
            "the machine was in different states: core-to-core latency "
            f'{states[0]} in "{first.label}", {states[1]} in "{second.label}"; measure again'
        ]
    fraction, a_id, b_id = max(alike, key=itemgetter(0))
    notes = []
    if (a_id, b_id) != (0, 0):
        handover = first.estimates.state(a_id).handover_s or 0.0
        notes.append(
            "compared in the state that both runs were in: core-to-core latency "
            f"{1e9 * handover:.0f} ns, at least {whole_percent(fraction)} of rounds"
        )
    return (a_id, b_id), notes

"""Sentences on a run: what was measured and where, what a number is, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hockney.base.units import (
    format_seconds,
    from_to,
    how_many,
    plural,
    tenth_percent,
    whole_percent,
)
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.expected import Expected
from hockney.infer.analysis.conditions.starts import Starts, StartSkew
from hockney.infer.estimate.interval import CONFIDENCE
from hockney.infer.estimate.launches import SLOW_EXCLUDED, SLOW_RULE
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.infer.estimate.quantiles import ENOUGH_LAUNCHES
from hockney.infer.estimate.states import State
from hockney.records import LaunchRecord, Place, Run
from hockney.show.one_run.sample_words import sample_words

MOST_PLACES = 8
"""Most places that are listed; of more, only their number and the hosts are shown."""
SIMULATED = "simulated: times are those of the platform file, not of this machine"
LONGEST = 100
"""Most characters of a heading in one line."""
USUAL = re.compile(
    r"(batch over \w+( on the origin)?|from the common start to the last rank's end)"
    r"(, (larger of two ranks|largest of the victims'|clock cost included))*"
    r"(, (one|\w+) buffers?)?"
)
"""Definitions of samples that are not printed above a table: those of runs with default options.
Whether the number of buffers is the operation's default is checked separately."""


def measured_words(analysis: Analysis, ranks: int) -> str:
    """Ranks, library and date, for a line that is mailed alone."""
    started = (analysis.run.header.started or "").partition("T")[0]
    mpi = analysis.run.launches[0].mpi if analysis.run.launches else None
    library = " ".join(filter(None, (mpi.library, mpi.version))) if mpi else ""
    return ", ".join(filter(None, (how_many(ranks, "rank"), library, started)))


def heading(analysis: Analysis, time: str = "one-way time") -> list[str]:
    """What was measured and where, and the definition of a sample where it is not the usual one."""
    run = analysis.run
    lines = [f"{run.header.experiment}{_of_operation(analysis)}: {analysis.label}"]
    if not run.launches:
        return lines
    first = _fullest_launch(run)
    way = analysis.transports.text if analysis.transports is not None else None
    parts = [*_ranks_at(run, first), *([f"messages by {way}"] if way else []), f"{time} in us"]
    lines.append("; ".join(parts))
    if len("; ".join(lines)) <= LONGEST:
        lines = ["; ".join(lines)]
    if first.definition and not _is_usual(analysis, first.definition):
        lines.append(f"a sample is: {sample_words(first.definition)}")
    return [*lines, SIMULATED] if first.simulated else lines


def _fullest_launch(run: Run) -> LaunchRecord:
    """The first launch with the most places."""
    return max(run.launches, key=lambda launch: len(launch.places))


def _ranks_at(run: Run, launch: LaunchRecord) -> list[str]:
    """Where the ranks are; empty where that is unknown."""
    places = [place for place in launch.places if place.rank in run.taking_part]
    return ["ranks at " + _places(places)] if places else []


def _of_operation(analysis: Analysis) -> str:
    """The operation of pairs, where it is not a ping-pong and the table does not show it."""
    names = {point.operation for point in analysis.estimates.own()}
    is_shown = analysis.run.header.experiment != "pairs" or names == {"pingpong"} or len(names) != 1
    return "" if is_shown else f" of {names.pop()}"


def _is_usual(analysis: Analysis, definition: str) -> bool:
    buffers = definition.rpartition(", ")[2].removesuffix(" buffers")
    plan = analysis.plan
    usual = plan.first.workload.usual_buffers if plan is not None else buffers
    return USUAL.fullmatch(definition) is not None and (
        not definition.endswith("buffers") or buffers == usual
    )


def definitions(analysis: Analysis, time: str = "one-way time") -> list[str]:
    """Lines on what was measured and where, and on what a sample and an interval are."""
    run = analysis.run
    lines = []
    if run.launches:
        first = _fullest_launch(run)
        lines += _ranks_at(run, first)
        if first.definition:
            lines.append(f"{time} in us; a sample is: {sample_words(first.definition)}")
            if first.definition.startswith("batch"):
                lines.append(
                    "p99 and max are of batches, not of single messages (--every-iteration)"
                )
        if first.simulated:
            lines.append(SIMULATED)
    if level := confidence_text(analysis.estimates.headline):
        lines.append(
            f"median: of the launches' medians, with its {level}; it describes the machine as it "
            "was during the run"
        )
    points = analysis.estimates.own()
    samples = [point.samples for point in points if point.samples]
    if samples:
        count = f"{from_to(samples)} {plural(max(samples), 'sample')}"
        lines.append(f"{count} a row, of all launches together")
    states = analysis.estimates.states.states
    alone = len(states) == 1 and not analysis.estimates.states.mixed
    only_state = [_state_line(state) for state in states[:1] if alone and points]
    return [*lines, *filter(None, only_state)]


def time_definitions(analysis: Analysis) -> list[str]:
    """The same for operations other than messages."""
    return definitions(analysis, "time")


def common_definitions(analysis: Analysis) -> list[str]:
    """The same for operations that all ranks begin together."""
    return [*time_definitions(analysis), *common_start_lines(analysis.starts)]


def confidence_text(points: Iterable[PointEstimate]) -> str:
    """The least confidence of the intervals of these points; empty without intervals."""
    known = [point.interval for point in points if point.interval is not None]
    levels = {point.confidence for point in known}
    if None in levels:
        return "interval, which ended the run because it was narrow and states no confidence"
    least = min((level for level in levels if level is not None), default=None)
    if least is None:
        return ""
    few = f" ({whole_percent(CONFIDENCE)} takes {ENOUGH_LAUNCHES} launches)"
    return f"{whole_percent(least)} confidence interval" + few * (least < CONFIDENCE)


def next_run_lines(expected: Expected | None) -> list[str]:
    """A line on what the interval for another run's median is from, if there is one."""
    if expected is None or not expected.points:
        return []
    if expected.earlier:
        words = f"from {how_many(expected.earlier, 'earlier run')} of this host"
    else:
        words = "how much runs differ is assumed, as no earlier run of this host is known"
    where = " in this state" if expected.is_of_state else ""
    return ["; ".join([f"interval of other runs{where}: {words}", *expected.notes])]


def _places(places: Sequence[Place]) -> str:
    if len(places) <= MOST_PLACES:
        return ", ".join(place_words(place) for place in places)
    hosts = list(dict.fromkeys(place.host or "unknown host" for place in places))
    named = ", ".join(hosts[:MOST_PLACES]) + (", ..." if len(hosts) > MOST_PLACES else "")
    return f"{len(places)} places on {how_many(len(hosts), 'node')}: {named}"


def place_words(place: Place) -> str:
    """The place of a rank in words."""
    host = place.host or "unknown host"
    if place.pu is None:
        return host
    return f"{host} CPU {place.pu}{'' if place.pinned else ' (not pinned)'}"


def start_lines(skew: StartSkew | None) -> list[str]:
    """Lines on how closely the ranks of a visit started together, and how precise their clock
    is."""
    if skew is None:
        return []
    error_s = skew.clock_error_s
    known = f"; their clock is known to {format_seconds(error_s, 2)}" if error_s else ""
    return [
        f"ranks started within {format_seconds(skew.median_s, 2)} of each other (median of visits; "
        f"most {format_seconds(skew.most_s, 2)}){known}"
    ]


def common_start_lines(starts: Starts | None) -> list[str]:
    """Lines on how closely the ranks started together, and which repetitions are not counted."""
    if starts is None:
        return []
    lines = []
    if starts.skew_s is not None and starts.tolerance_s is not None:
        lines.append(
            f"ranks started within {format_seconds(starts.skew_s)} of the common start (median of "
            f"visits); {tenth_percent(starts.missed)} of the repetitions are not counted, because "
            f"a rank started more than {format_seconds(starts.tolerance_s)} late"
        )
    if starts.behind_barrier:
        lines.append(
            f"{starts.behind_barrier} of {how_many(starts.launches, 'launch')} started after a "
            "barrier: from the first rank's start to the last rank's end"
        )
    return lines


def late_lines(starts: Starts | None) -> list[str]:
    """The same lines, but only if repetitions are not counted or launches used a barrier."""
    if starts is None or not (starts.missed or starts.behind_barrier):
        return []
    return common_start_lines(starts)


def _state_line(state: State, of: str = "rounds") -> str:
    words = f"state {state.id}: {whole_percent(state.fraction)} of {of}"
    return words if state.handover_s is None else f"{words}, {_latency(state)}"


def _latency(state: State) -> str:
    likely = f" (probably {state.likely})" if state.likely else ""
    return f"core-to-core latency {format_seconds(state.handover_s or 0.0, 3)}{likely}"


def states_shown(analysis: Analysis) -> list[str]:
    """The lines of state_lines(), and the only state where another run may have another one."""
    state, lines = analysis.changeable_state, state_lines(analysis.estimates)
    if state is None:
        return lines
    return [f"state of the machine: {_latency(state)}; another run may have another one", *lines]


def state_lines(estimates: Estimates) -> list[str]:
    """Lines on the machine's states, where it had several, and on which rounds and launches were
    excluded by which rule."""
    states = estimates.states
    lines: list[str] = []
    if len(states.states) > 1:
        lines += map(_state_line, states.states)
    lines += [_state_line(state, "probes") for state in states.mixed]
    if states.changed and not states.mixed:
        lines.append(f"{how_many(states.changed, 'round')} excluded: the state changed meanwhile")
    if estimates.slow_launches:
        numbers = ", ".join(str(number) for number in estimates.slow_launches)
        lines.append(f"{SLOW_EXCLUDED}: {numbers} ({SLOW_RULE})")
    return lines

"""Describes warnings in words: what happened, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import format_seconds, format_size, format_uncertainty
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.crowding import Oversubscribed
from hockney.infer.analysis.noise import Disturbance
from hockney.infer.analysis.side_by_side import MethodRatio
from hockney.infer.analysis.warnings import (
    NOISY_PRECISION,
    FewLaunches,
    Incomplete,
    Modes,
    Noisy,
    NotPinned,
    Skewed,
    SlowDatatype,
    SourceNote,
    Warning,
)
from hockney.records import Place

MOST_RANKS = 8
"""Most ranks that are listed; more are counted."""
DISTURBED = {
    "waited": "other processes held a rank's CPU for {percent:.0f} % of a launch; stop them, or "
    "pin the ranks elsewhere with --cpus",
    "throttled": "a rank was kept off its CPU for {percent:.0f} % of a launch though nothing else "
    "ran there: a CPU quota (cgroup) throttles it, or this MPI sleeps while it waits",
    "stolen": "the hypervisor took {percent:.1f} % of a CPU; measure when its other guests are "
    "quiet, or on dedicated hosts",
    "moved": "ranks moved between CPUs {size:.0f} times; pin them with --place core",
    "slower work": "the same arithmetic took up to {size:.2f} times as long in some rounds: the "
    "clock frequency changes or a sibling thread is busy; fix the governor, leave siblings idle",
}
"""Sentences by kind of disturbance."""


def warning_lines(analysis: Analysis) -> list[str]:
    """A sentence or two for each warning, the most serious first."""
    return [_text(warning) for warning in analysis.warnings]


def _text(warning: Warning) -> str:
    match warning:
        case Incomplete(reason):
            return f"incomplete: {reason}"
        case SourceNote(text):
            return text
        case NotPinned(places):
            return _not_pinned(places)
        case Oversubscribed():
            return (
                f"{crowding_text(warning)}: these times are the scheduler's, not the network's. "
                f"Use no more {_crowd_of(warning)} than CPUs"
            )
        case Skewed(median_s):
            return (
                f"late starts: the last rank of a visit started {format_seconds(median_s, 2)} "
                "after the first (median), so not all exchanged messages at once; give every rank "
                "a CPU of its own"
            )
        case Disturbance(kind, size):
            return "disturbed: " + DISTURBED[kind].format(size=size, percent=100.0 * size)
        case Noisy(count, points, worst):
            return (
                f"noisy: {count} of {points} medians are known to no better than "
                f"±{100.0 * NOISY_PRECISION:.0f} % "
                f"(worst {format_uncertainty(worst.precision or 0.0)}"
                f" at {worst.bytes} B); a larger --budget or a quieter machine helps"
            )
        case Modes(modes):
            kinds = ", ".join(f"{len(mode.launches)} at {mode.ratio:.2f}" for mode in modes)
            return (
                f"modes: launches are of {len(modes)} kinds ({kinds} times the fastest); a median "
                "lies in one of them. Look for what differs between them: `hockney show --json` "
                "numbers them"
            )
        case SlowDatatype(found, measured):
            return _slow_datatype(found, measured)
        case FewLaunches(launches, imported):
            return _few_launches(launches, imported)


def crowding_text(found: Oversubscribed) -> str:
    cpus = f"{found.cpus} CPU{'s' * (found.cpus > 1)}"
    return f"oversubscribed: {found.ranks} {_crowd_of(found)} take turns on {cpus} of {found.host}"


def _crowd_of(found: Oversubscribed) -> str:
    return "threads" if found.has_threads else "ranks"


def _not_pinned(places: Sequence[Place]) -> str:
    reason = next((f" ({place.refused})" for place in places if place.refused), "")
    ranks = ", ".join(str(place.rank) for place in places[:MOST_RANKS])
    more = f" and {len(places) - MOST_RANKS} more" if len(places) > MOST_RANKS else ""
    return (
        f"not pinned: ranks {ranks}{more} may move between CPUs{reason}; pin them with --place core"
    )


def _slow_datatype(found: Sequence[MethodRatio], measured: int) -> str:
    worst = found[0]
    point, judged = worst.point, worst.judged
    low, high = judged.low or judged.ratio, judged.high or judged.ratio
    return (
        f"slow datatype: packing by hand is surely faster than {point.datatype} at {len(found)} of "
        f"{measured} points; at {format_size(point.bytes)} it takes {judged.ratio:.3g} "
        f"({low:.3g} .. {high:.3g}) of the datatype's time. Pack in the program there, or try "
        "another MPI"
    )


def _few_launches(launches: int, imported: bool) -> str:
    count = f"only {launches} launch{'es' * (launches > 1)}"
    if imported:
        return (
            f"{count}: no intervals (5 make one); logs of more launches come in together with "
            "`hockney import --join`"
        )
    return f"{count}: too few for an interval (5 make one); give a larger --budget"

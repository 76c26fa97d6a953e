"""What a reader should know before they believe a number: one sentence each, and what to do."""

from __future__ import annotations

from collections import Counter

from hockney.analysis.noise import disturbances
from hockney.estimate.points import Estimates
from hockney.records import Run
from hockney.spec import workload_of
from hockney.spec.workloads.pingpong import Pingpong
from hockney.units import format_seconds

NOISY_PRECISION = 0.05
"""Relative half-width beyond which a median is called noisy."""

MOST_SKEW_S = 10e-6
"""Between the first rank to begin and the last: 2 % of a visit of 0.5 ms."""
MOST_RANKS = 8
"""More are counted."""


def warnings(run: Run, estimates: Estimates) -> list[str]:
    """All that matters for this run, the gravest first."""
    return [
        *_cut(run),
        *_of_source(run),
        *_not_pinned(run),
        *_oversubscribed(run),
        *_skewed(run),
        *_disturbed(run),
        *_noisy(estimates),
        *_few_launches(run, estimates),
    ]


def _cut(run: Run) -> list[str]:
    return [f"incomplete: {run.cut}"] if run.cut else []


def _not_pinned(run: Run) -> list[str]:
    if not run.launches or run.launches[0].simulated:
        return []
    part = run.taking_part
    loose = [p for p in run.launches[0].places if p.rank in part and p.pinned is False]
    if not loose:
        return []
    reason = next((f" ({place.refused})" for place in loose if place.refused), "")
    ranks = ", ".join(str(place.rank) for place in loose[:MOST_RANKS])
    more = f" and {len(loose) - MOST_RANKS} more" if len(loose) > MOST_RANKS else ""
    return [
        f"not pinned: ranks {ranks}{more} may move between CPUs{reason}; pin them with --place core"
    ]


def _oversubscribed(run: Run) -> list[str]:
    if not run.launches or run.launches[0].simulated:
        return []
    part = run.taking_part
    places = Counter(
        (p.host, p.pu) for p in run.launches[0].places if p.rank in part and p.pu is not None
    )
    (host, pu), count = max(places.items(), key=lambda place: place[1], default=((None, None), 1))
    if count == 1:
        return []
    return [
        f"oversubscribed: {count} ranks take turns on CPU {pu} of {host}; these times are the "
        "scheduler's, not the network's. Use no more ranks than CPUs"
    ]


def _skewed(run: Run) -> list[str]:
    """Ranks that should have begun together."""
    skews = sorted(start.skew_s for start in run.starts)
    if not skews or skews[len(skews) // 2] <= MOST_SKEW_S:
        return []
    typical = format_seconds(skews[len(skews) // 2], 2)
    return [
        f"began apart: the ranks of a visit began {typical} after each other (median), so that not "
        "all exchanged messages at once; give every rank a CPU of its own"
    ]


def _disturbed(run: Run) -> list[str]:
    """What took the ranks' CPUs from them while it measured, by the noise records."""
    found = disturbances(run)
    return [f"disturbed: {words}" for words in found]


def _noisy(estimates: Estimates) -> list[str]:
    points = estimates.own()
    noisy = [p for p in points if p.precision is not None and p.precision > NOISY_PRECISION]
    if not noisy:
        return []
    worst = max(noisy, key=lambda point: point.precision or 0.0)
    return [
        f"noisy: {len(noisy)} of {len(points)} medians are known to no better than "
        f"±{100.0 * NOISY_PRECISION:.0f} % (worst ±{100.0 * (worst.precision or 0.0):.0f} % at "
        f"{worst.bytes} B); a larger --budget or a quieter machine helps"
    ]


def _of_source(run: Run) -> list[str]:
    """What was wrong with the log, and known faults of the program that wrote it."""
    cut = [end.message for end in run.ends if run.header.source and end.message]
    return [*cut, *(run.header.source.notes if run.header.source else [])]


def _is_preset(run: Run) -> bool:
    workload = workload_of(run.header.options)
    return isinstance(workload, Pingpong) and workload.preset is not None


def _few_launches(run: Run, estimates: Estimates) -> list[str]:
    counts = [point.launches for point in estimates.own()]
    if not counts or min(counts) >= 5 or _is_preset(run):
        return []
    if run.header.source is not None:
        return [
            f"only {min(counts)} launch{'es' * (min(counts) > 1)}: no intervals (5 make one); logs "
            "of more launches come in together with `hockney import --join`"
        ]
    if any(launch.simulated for launch in run.launches[:1]):
        return []
    return [
        f"only {min(counts)} launch{'es' * (min(counts) > 1)}: too few for an interval (5 make "
        "one); give a larger --budget"
    ]

"""Samples that take many times the median: few, so that no quantile shows them, but a part of the
time, which a program would lose as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hockney.base.grouping import by_key
from hockney.base.units import format_percent, format_ratio, format_seconds
from hockney.infer.analysis.conditions.noise import waited
from hockney.infer.arrays import Array
from hockney.infer.estimate.launches import WAITED
from hockney.records import Run

LONG = 10.0
"""Times the median of its launch from which on a sample is a long one."""
LEAST_OF_TIME = 0.01
"""Least fraction of the time of all samples that the long ones take."""
MOST_OF_SAMPLES = 0.01
"""Largest fraction of all samples that the long ones are: more of them are a mode."""


@dataclass(frozen=True)
class Counters:
    """What the kernel counted of a launch's ranks."""

    is_held: bool
    """Whether other processes held a rank's CPU for more than WAITED of it."""
    switches: float
    """How often ranks were switched out."""


def counters_of(run: Run) -> dict[int, Counters]:
    """By launch; without those of which the kernel reports nothing."""
    known = [noise for noise in run.noises if noise.waited_s is not None]
    by_rank = by_key(known, lambda noise: (noise.launch, noise.rank)).values()
    return {
        launch: Counters(
            any(waited(group) > WAITED for group in groups),
            sum(noise.switches or 0.0 for group in groups for noise in group),
        )
        for launch, groups in by_key(by_rank, lambda group: group[0].launch).items()
    }


def long_times(
    samples_s: Mapping[int, Array], counters: Mapping[int, Counters]
) -> tuple[str, float] | None:
    """What the long samples of a point are, in words, and the fraction of the time that they take;
    None where that is small. samples_s: by launch."""
    long_s = {launch: _long(each) for launch, each in samples_s.items()}
    count, total = (sum(map(len, by.values())) for by in (long_s, samples_s))
    if count == 0 or count > MOST_OF_SAMPLES * total:
        return None
    all_s, taken_s = (sum(float(each.sum()) for each in by.values()) for by in (samples_s, long_s))
    if taken_s < LEAST_OF_TIME * all_s:
        return None
    longest = max(float(each.max(initial=0.0)) for each in long_s.values())
    words = (
        f"{count} of {total} samples are more than {LONG:g} times the median of their launch, and "
        f"take {format_percent(taken_s / all_s)} of the time of all, the longest "
        f"{format_seconds(longest)}"
    )
    return "; ".join(filter(None, [words, _coincide(long_s, taken_s, counters)])), taken_s / all_s


def _long(samples_s: Array) -> Array:
    """The long samples of a launch; none where its clock is so coarse that the median is 0."""
    median = float(np.median(samples_s)) if len(samples_s) else 0.0
    return samples_s[samples_s > LONG * median] if median > 0.0 else samples_s[:0]


def _coincide(long_s: Mapping[int, Array], taken_s: float, counters: Mapping[int, Counters]) -> str:
    """In how far the long samples are in launches in which others held a CPU; empty where that is
    not known."""
    known = {launch: counters[launch] for launch in long_s if launch in counters}
    held = [launch for launch, counter in known.items() if counter.is_held]
    if not held:
        with_long = [launch for launch, each in long_s.items() if len(each)]
        return _clear(sum(launch in known for launch in with_long), len(with_long))
    of_time = sum(float(long_s[launch].sum()) for launch in held) / taken_s
    switches = sum(known[launch].switches for launch in held)
    return (
        f"{format_percent(of_time)} of that is in the {len(held)} of {len(long_s)} launches in "
        "which other processes held a rank's CPU for more than "
        f"{format_percent(WAITED)} of the time, and ranks were switched out "
        f"{format_ratio(switches, 6)} times"
    )


def _clear(known: int, launches: int) -> str:
    """That no other process held a CPU in these launches, of which some are known; empty where
    none is."""
    if known == 0:
        return ""
    where = f"the {known} of {launches}" if known < launches else "these"
    of_known = " of which the kernel reports it" if known < launches else ""
    return f"no other process held a rank's CPU for long in {where} launches{of_known}"

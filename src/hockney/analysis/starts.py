"""How closely the ranks of a visit started together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hockney.records import Run


@dataclass(frozen=True)
class Starts:
    """How the repetitions of a run's collectives were started."""

    launches: int
    behind_barrier: int
    """Launches that began every repetition behind a barrier."""
    skew_s: float | None
    """From the common start to the last rank's beginning, among the repetitions that count: the
    median over visits of each one's largest; None where no visit began by the clock."""
    tolerance_s: float | None
    """A repetition that a rank began later than this is not counted: the largest of all visits."""
    missed: float
    """Fraction of the repetitions that some rank began too late, and that are not counted."""


def starts_of(run: Run) -> Starts | None:
    """Returns None where the run has no start records."""
    if not run.starts:
        return None
    launches = {start.launch for start in run.starts}
    by_clock = [start for start in run.starts if start.begin != "barrier"]
    tolerances = [start.tolerance_s for start in by_clock if start.tolerance_s is not None]
    missed = sum(start.missed for start in run.starts)
    counted = sum(len(samples.ns) for samples in run.samples)
    return Starts(
        launches=len(launches),
        behind_barrier=len(launches - {start.launch for start in by_clock}),
        skew_s=float(np.median([start.skew_s for start in by_clock])) if by_clock else None,
        tolerance_s=max(tolerances, default=None),
        missed=missed / (missed + counted) if missed + counted else 0.0,
    )


@dataclass(frozen=True)
class Skew:
    """Seconds from the first rank's start to the last rank's in a visit."""

    median_s: float
    most_s: float
    clock_error_s: float | None
    """The largest error of the ranks' common clock."""


def skew_of(run: Run) -> Skew | None:
    """Summarises all visits; None where the run has no start records."""
    if not run.starts:
        return None
    skews = sorted(start.skew_s for start in run.starts)
    error = max((start.error_s for start in run.starts if start.error_s), default=None)
    return Skew(skews[len(skews) // 2], skews[-1], error)

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
    """Time from the common start to the last rank's start in the repetitions that count: the median
    over visits of each one's largest; None where no visit began by the clock."""
    tolerance_s: float | None
    """Largest tolerance of all visits: repetitions that a rank began later are not counted."""
    missed: float
    """Fraction of the repetitions that some rank began too late; they are not counted."""


def starts_of(run: Run) -> Starts | None:
    """The starts of a run; None without start records."""
    if not run.starts:
        return None
    launch, skew_s = run.starts.column("launch"), run.starts.column("skew_s")
    by_clock = run.starts.column("begin") != "barrier"
    tolerances = run.starts.column("tolerance_s")[by_clock]
    tolerances = tolerances[~np.isnan(tolerances)]
    missed = int(run.starts.column("missed").sum())
    counted = int(run.samples.counts().sum())
    launches = len(np.unique(launch))
    return Starts(
        launches=launches,
        behind_barrier=launches - len(np.unique(launch[by_clock])),
        skew_s=float(np.median(skew_s[by_clock])) if by_clock.any() else None,
        tolerance_s=float(tolerances.max()) if len(tolerances) else None,
        missed=missed / (missed + counted) if missed + counted else 0.0,
    )


@dataclass(frozen=True)
class StartSkew:
    """Seconds from the first rank's start to the last rank's in a visit."""

    median_s: float
    most_s: float
    clock_error_s: float | None
    """The largest error of the ranks' common clock."""


def skew_of(run: Run) -> StartSkew | None:
    """Summarises all visits; None where the run has no start records."""
    if not run.starts:
        return None
    skews = np.sort(run.starts.column("skew_s")).tolist()
    errors = run.starts.column("error_s")
    errors = errors[errors != 0.0]
    error = float(np.nanmax(errors)) if not np.isnan(errors).all() else None
    return StartSkew(skews[len(skews) // 2], skews[-1], error)

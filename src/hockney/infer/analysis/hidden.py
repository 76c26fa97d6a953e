"""Fraction of a nonblocking or persistent operation that computation hides."""

from __future__ import annotations

from statistics import median

import msgspec
import numpy as np

from hockney.infer.estimate.points import Estimates
from hockney.plan.axes import Point, point_of
from hockney.records import Run


def hidden_fractions(run: Run, estimates: Estimates) -> dict[Point, float]:
    """1 - (overlapped - computed) / alone, as the OSU Micro-Benchmarks define it (osu_ibcast), from
    0 (one after the other) to 1 (all of it hidden): the median over launches of the headline state
    that have both, each by its own times."""
    times = {point_of(point): point.by_launch for point in estimates.headline}
    fractions = {}
    for point, computed_s in _computed_s(run).items():
        alone = msgspec.structs.replace(point, overlap=False)
        both = times.get(point, {}), times.get(alone, {})
        hidden = [
            1.0 - (both[0][launch] - seconds) / both[1][launch]
            for launch, seconds in computed_s.items()
            if launch in both[0] and both[1].get(launch)
        ]
        if hidden:
            fractions[alone] = min(max(median(hidden), 0.0), 1.0)
    return fractions


def host_overheads(run: Run, estimates: Estimates) -> dict[Point, float]:
    """The time in which a rank's processor could not compute, in seconds: the mean over ranks of
    their own durations without the computation; the median over launches of the headline state of
    their medians."""
    known = {point_of(point): point.launch_numbers for point in estimates.headline}
    samples = run.samples
    if not samples.has("own_mean_ns"):
        return {}
    computed_ns = samples.column("compute_ns")
    rows = np.flatnonzero(computed_ns > 0.0)
    counts = samples.counts("own_mean_ns")[rows]
    busy_ns = samples.values(rows, "own_mean_ns") - np.repeat(computed_ns[rows], counts)
    codes = np.repeat(samples.codes[rows], counts)
    launches = np.repeat(samples.column("launch")[rows], counts)
    overheads = {}
    for code in np.unique(codes):
        point = samples.visited[code]
        medians = [
            np.median(busy_ns[of_it])
            for number in known.get(point, ())
            if (of_it := (codes == code) & (launches == number)).any()
        ]
        if medians:
            alone = msgspec.structs.replace(point, overlap=False)
            overheads[alone] = max(float(np.median(medians)) * 1e-9, 0.0)
    return overheads


def _computed_s(run: Run) -> dict[Point, dict[int, float]]:
    """How long the ranks of a launch computed meanwhile, the median over its visits, for each
    overlapped point."""
    computed: dict[Point, dict[int, list[float]]] = {}
    times_ns, launches = run.samples.column("compute_ns"), run.samples.column("launch")
    for row in np.flatnonzero(times_ns > 0.0).tolist():
        of_launch = computed.setdefault(run.samples.visited[run.samples.codes[row]], {})
        of_launch.setdefault(int(launches[row]), []).append(float(times_ns[row]) * 1e-9)
    return {
        point: {launch: median(seconds) for launch, seconds in of_launch.items()}
        for point, of_launch in computed.items()
    }

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
    0 (one after the other) to 1 (all of it hidden); of the headline state, where both were
    measured."""
    times = {point_of(point): point for point in estimates.headline}
    shares = {}
    for point, computed_s in _computed_s(run).items():
        alone = msgspec.structs.replace(point, overlap=False)
        if point in times and alone in times:
            longer = times[point].typical_s - computed_s
            shares[alone] = min(max(1.0 - longer / times[alone].typical_s, 0.0), 1.0)
    return shares


def host_overheads(run: Run) -> dict[Point, float]:
    """The time in which a rank's processor could not compute, in seconds: the mean over ranks of
    their own durations without the computation; the median over launches of their medians."""
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
        alone = msgspec.structs.replace(samples.visited[code], overlap=False)
        of_it = codes == code
        medians = [
            np.median(busy_ns[of_it & (launches == number)])
            for number in np.unique(launches[of_it])
        ]
        overheads[alone] = max(float(np.median(medians)) * 1e-9, 0.0)
    return overheads


def _computed_s(run: Run) -> dict[Point, float]:
    """How long the ranks computed meanwhile, the median over visits, for each overlapped point."""
    computed: dict[Point, list[float]] = {}
    times_ns, codes = run.samples.column("compute_ns"), run.samples.codes
    rows = np.flatnonzero(times_ns > 0.0)
    for code, ns in zip(codes[rows].tolist(), times_ns[rows].tolist(), strict=True):
        computed.setdefault(run.samples.visited[code], []).append(ns * 1e-9)
    return {point: median(seconds) for point, seconds in computed.items()}

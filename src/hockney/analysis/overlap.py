"""How much of a nonblocking collective is hidden behind computation."""

from __future__ import annotations

from statistics import median

import msgspec
import numpy as np

from hockney.estimate.points import Estimates
from hockney.records import Run
from hockney.spec.axes import Point, point_of


def hidden_fractions(run: Run, estimates: Estimates) -> dict[Point, float]:
    """1 - (overlapped - computed) / alone, as the OSU Micro-Benchmarks define it (osu_ibcast), from
    0 (one after the other) to 1 (all of it hidden); of the headline state, where both were
    measured."""
    computed: dict[Point, list[float]] = {}
    times_ns, codes = run.samples.column("compute_ns"), run.samples.codes
    rows = np.flatnonzero(times_ns > 0.0)
    for code, ns in zip(codes[rows].tolist(), times_ns[rows].tolist(), strict=True):
        computed.setdefault(run.samples.visited[code], []).append(ns * 1e-9)
    times = {point_of(point): point for point in estimates.headline}
    shares = {}
    for point, seconds in computed.items():
        alone = msgspec.structs.replace(point, overlap=False)
        if point in times and alone in times:
            longer = times[point].typical_s - median(seconds)
            shares[alone] = min(max(1.0 - longer / times[alone].typical_s, 0.0), 1.0)
    return shares

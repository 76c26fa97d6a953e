"""How much of a nonblocking collective is hidden behind computation."""

from __future__ import annotations

from statistics import median

from hockney.estimate.points import Estimates
from hockney.records import Run

OVERLAPPED = "overlapped"
"""How the label of an algorithm ends where the ranks computed meanwhile."""

Key = tuple[str, str, int, int]
"""Operation, algorithm, ranks and bytes."""


def hidden_shares(run: Run, estimates: Estimates) -> dict[Key, float]:
    """1 - (overlapped - computed) / alone, as the OSU Micro-Benchmarks define it (osu_ibcast), from
    0 (one after the other) to 1 (all of it hidden); of the headline state, where both were
    measured."""
    computed: dict[Key, list[float]] = {}
    for samples in run.samples:
        if samples.compute_ns:
            key = (samples.operation, samples.algorithm or "", samples.ranks, samples.bytes)
            computed.setdefault(key, []).append(samples.compute_ns * 1e-9)
    times = {
        (p.operation, p.algorithm or "", p.known_ranks, p.bytes): p for p in estimates.headline
    }
    shares = {}
    for key, seconds in computed.items():
        operation, label, ranks, size = key
        alone = (operation, label.removesuffix(OVERLAPPED).removesuffix(", "), ranks, size)
        if key in times and alone in times:
            longer = times[key].typical_s - median(seconds)
            shares[alone] = min(max(1.0 - longer / times[alone].typical_s, 0.0), 1.0)
    return shares

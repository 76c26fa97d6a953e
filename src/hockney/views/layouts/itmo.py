"""ITMO's bandwidth measurement: elements of four bytes, T of all N exchanges, R = 2NL/T in
MB = 2^20 B, s = T/2N. Measured as a true ping-pong, which that program's loop is not."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.estimate.points import PointEstimate
from hockney.records import Run
from hockney.views.layouts import count_of, counts

ONLY = "pingpong"
ELEMENT_BYTES = 4


def render(run: Run, points: Sequence[PointEstimate]) -> str:
    repetitions = counts(run) | {s.bytes: s.repetitions for s in run.samples}
    lines = []
    for point in points:
        one_way_us = point.typical_s * 1e6
        total_us = 2 * count_of(repetitions, point) * one_way_us
        rate = (point.bandwidth_Bps or 0.0) / 2**20
        rank = point.peers[0] if point.peers else 0
        lines.append(
            f"rank={rank} len={point.bytes // ELEMENT_BYTES} L(bytes)={point.bytes} "
            f"T(us)={total_us:g} R[bandwidth](MB/s)={rate:g} s[latency](us)={one_way_us:g}"
        )
    return "\n".join(lines)

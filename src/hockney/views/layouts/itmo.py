"""ITMO's bandwidth measurement: elements of four bytes, T of all N exchanges, R = 2NL/T in
MB = 2^20 B, s = T/2N. Measured as a true ping-pong, which that program's loop is not."""

from __future__ import annotations

from hockney.estimate.points import Estimates
from hockney.records import Run

ELEMENT_BYTES = 4


def render(run: Run, estimates: Estimates) -> str:
    repetitions = {samples.bytes: samples.repetitions for samples in run.samples}
    lines = []
    for point in estimates.headline:
        one_way_us = point.median_s * 1e6
        total_us = 2 * repetitions[point.bytes] * one_way_us
        rate = (point.bandwidth_Bps or 0.0) / 2**20
        lines.append(
            f"rank={point.peers[0]} len={point.bytes // ELEMENT_BYTES} L(bytes)={point.bytes} "
            f"T(us)={total_us:g} R[bandwidth](MB/s)={rate:g} s[latency](us)={one_way_us:g}"
        )
    return "\n".join(lines)

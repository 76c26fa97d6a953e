"""Intel MPI Benchmarks' PingPong, version 2021 (Mbytes are 10^6 bytes)."""

from __future__ import annotations

from hockney.estimate.points import Estimates
from hockney.records import Run

RULE = "#" + 51 * "-"
HEADER = f"""{RULE}
# Benchmarking PingPong
# #processes = 2
{RULE}
       #bytes #repetitions      t[usec]   Mbytes/sec"""


def render(run: Run, estimates: Estimates) -> str:
    counts: dict[int, int] = {}
    for samples in run.samples:
        counts[samples.bytes] = counts.get(samples.bytes, 0) + samples.repetitions * len(samples.ns)
    rows = (
        f"{point.bytes:13d}{counts[point.bytes]:13d}{(point.mean_s or point.median_s) * 1e6:13.2f}"
        f"{(point.bandwidth_Bps or 0.0) / 1e6:13.2f}"
        for point in estimates.headline
    )
    return "\n".join([HEADER, *rows])

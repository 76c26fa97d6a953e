"""Intel MPI Benchmarks' PingPong, version 2021 (Mbytes are 10^6 bytes)."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.estimate.points import PointEstimate
from hockney.records import Run
from hockney.views.layouts import count_of, counts, needed

ONLY = "pingpong"
RULE = "#" + 51 * "-"
HEADER = f"""{RULE}
# Benchmarking PingPong
# #processes = 2
{RULE}
       #bytes #repetitions      t[usec]   Mbytes/sec"""


def render(run: Run, points: Sequence[PointEstimate]) -> str:
    repetitions = counts(run)
    rows = (
        f"{point.bytes:13d}{count_of(repetitions, point):13d}"
        f"{needed(point, 'mean_s') * 1e6:13.2f}"
        f"{(point.bandwidth_Bps or 0.0) / 1e6:13.2f}"
        for point in points
    )
    return "\n".join([HEADER, *rows])

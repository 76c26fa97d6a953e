"""OSU Micro-Benchmarks' osu_latency, version 7.4."""

from __future__ import annotations

from hockney.estimate.points import Estimates
from hockney.records import Run

HEADER = f"""
# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
{"# Size":<10}{"Avg Latency(us)":>18}"""


def render(run: Run, estimates: Estimates) -> str:  # noqa: ARG001
    """The mean over all samples, as that benchmark prints."""
    rows = (
        f"{point.bytes:<10d}{(point.mean_s or point.median_s) * 1e6:18.2f}"
        for point in estimates.headline
    )
    return "\n".join([HEADER, *rows])

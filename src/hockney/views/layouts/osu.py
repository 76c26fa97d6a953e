"""OSU Micro-Benchmarks' osu_latency and collectives, version 7.4."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.estimate.points import PointEstimate
from hockney.records import Run
from hockney.views.layouts import needed

HEADING = f"""# Datatype: MPI_CHAR.
{"# Size":<10}{"Avg Latency(us)":>18}"""


def render(run: Run, points: Sequence[PointEstimate]) -> str:
    """The mean over all samples, as that benchmark prints."""
    rows = (f"{point.bytes:<10d}{needed(point, 'mean_s') * 1e6:18.2f}" for point in points)
    operation = run.header.experiment
    name = "" if operation == "pingpong" else f"{operation.capitalize()} "
    return "\n".join([f"\n# OSU MPI {name}Latency Test v7.4", HEADING, *rows])

"""TACC's timer: rates 2 bytes / t in MiB/s and round-trip times, each as minimum, average and
maximum; the average rate is that of the average time."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.estimate.points import PointEstimate
from hockney.records import Run
from hockney.views.layouts import needed

ONLY = "pingpong"
HEADER = (
    "RUNS  BYTES"
    + 14 * " "
    + "RATE(MB/s)"
    + 28 * " "
    + "TIME(sec)\n"
    + 16 * " "
    + "MIN   --     AVG   --     MAX"
    + 7 * " "
    + "MAX     --  AVG     --  MIN "
)


def render(run: Run, points: Sequence[PointEstimate]) -> str:  # noqa: ARG001
    lines = [HEADER]
    for point in points:
        slowest, mean, fastest = (
            2.0 * needed(point, field) for field in ("max_s", "mean_s", "min_s")
        )
        rates = [_rate(point.bytes, seconds) for seconds in (slowest, mean, fastest)]
        lines.append(
            f"{point.samples:2d} {point.bytes:8d}{rates[0]} --{rates[1]} --{rates[2]}   "
            f"{slowest:9.6f} --{mean:9.6f} --{fastest:9.6f}"
        )
    return "\n".join(lines)


def _rate(size: int, seconds: float) -> str:
    """F9.4 there; one column more here, because today's rates would run into their neighbours."""
    return f"{2 * size / 2**20 / seconds:10.4f}" if seconds > 0.0 else "         -"

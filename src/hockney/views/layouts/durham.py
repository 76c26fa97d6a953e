"""Durham's exercise: `bytes repetitions seconds` for one way; for single exchanges the statistics
of whole ping-pongs."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.estimate.points import PointEstimate
from hockney.records import Run
from hockney.spec import workload_of
from hockney.views.layouts import count_of, counts

ONLY = "pingpong"


def render(run: Run, points: Sequence[PointEstimate]) -> str:
    repetitions = counts(run) | {s.bytes: s.repetitions for s in run.samples}
    workload = workload_of(run.header.options)
    lines = []
    for point in points:
        if workload is not None and workload.times_every_iteration:
            named = {
                "mean": point.mean_s,
                "stdv": point.std_s,
                "max": point.max_s,
                "min": point.min_s,
            }
            both_ways = (f"{name} = {2.0 * (value or 0.0):e}" for name, value in named.items())
            lines.append(", ".join(both_ways))
        else:
            lines.append(f"{point.bytes} {count_of(repetitions, point)} {point.typical_s:g}")
    return "\n".join(lines)

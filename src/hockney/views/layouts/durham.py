"""Durham's exercise: `bytes repetitions seconds` for one way; for single exchanges the statistics
of whole ping-pongs."""

from __future__ import annotations

from hockney.estimate.points import Estimates
from hockney.records import Run


def render(run: Run, estimates: Estimates) -> str:
    repetitions = {samples.bytes: samples.repetitions for samples in run.samples}
    lines = []
    for point in estimates.headline:
        if run.header.options.get("every_iteration"):
            both_ways = [2.0 * (value or 0.0) for value in (
                point.mean_s, point.std_s, point.max_s, point.min_s)]  # fmt: skip
            lines.append("mean = %e, stdv = %e, max = %e, min = %e" % tuple(both_ways))
        else:
            lines.append(f"{point.bytes} {repetitions[point.bytes]} {point.median_s:g}")
    return "\n".join(lines)

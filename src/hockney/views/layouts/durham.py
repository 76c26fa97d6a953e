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
            named = {
                "mean": point.mean_s,
                "stdv": point.std_s,
                "max": point.max_s,
                "min": point.min_s,
            }
            both_ways = (f"{name} = {2.0 * (value or 0.0):e}" for name, value in named.items())
            lines.append(", ".join(both_ways))
        else:
            lines.append(f"{point.bytes} {repetitions[point.bytes]} {point.median_s:g}")
    return "\n".join(lines)

"""Heat map of who waited for whom."""

from __future__ import annotations

from collections import defaultdict

from hockney.base.errors import UsageError
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure, PlotAxis, time_cells
from hockney.show.profiles.figures import _common

HEADING = "Who waited for whom"


def describe(summary: ProfileSummary) -> Figure:
    rows, names = _common.blocks_of(_common.known_ranks(summary))
    sums: dict[tuple[int, int], float] = defaultdict(float)
    for blame in summary.profile.blames:
        if blame.job == 0 and blame.rank in rows and blame.for_rank in rows and blame.seconds > 0.0:
            sums[rows[blame.rank], rows[blame.for_rank]] += blame.seconds
    if not sums:
        raise UsageError(f"{summary.profile.path}: no rank is known to have waited")
    cells = time_cells(dict(sorted(sums.items())), names, "for")
    return _common.map_of_ranks(
        "waits",
        summary,
        ("rank that waited", "for rank"),
        cells,
        PlotAxis("time", "time waited", logarithmic=True),
        "In the calls whose ends are known on both sides; blank: almost none.",
    )

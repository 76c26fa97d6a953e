"""Heat map of who waited for whom."""

from __future__ import annotations

from collections import defaultdict

from hockney.base.errors import UsageError
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing import time_text
from hockney.show.drawing.description import Figure, MapCell, Panel, PlotAxis
from hockney.show.profile_figures import _common

HEADING = "Who waited for whom"


def describe(summary: ProfileSummary) -> Figure:
    ranks = _common.known_ranks(summary)
    rows, names = _common.blocks_of(ranks)
    sums: dict[tuple[int, int], float] = defaultdict(float)
    for blame in summary.profile.blames:
        if blame.job == 0 and blame.rank in rows and blame.for_rank in rows and blame.seconds > 0.0:
            sums[rows[blame.rank], rows[blame.for_rank]] += blame.seconds
    if not sums:
        raise UsageError(f"{summary.profile.path}: no rank is known to have waited")
    cells = tuple(
        MapCell(column, row, seconds, f"{names[row]} for {names[column]}: {time_text(seconds)}")
        for (row, column), seconds in sorted(sums.items())
    )
    panel = Panel(
        PlotAxis("name", "for rank", names=names),
        PlotAxis("name", "rank that waited", names=names, downward=True),
        cells=cells,
        scale=PlotAxis("time", "time waited", logarithmic=True),
    )
    caption = ["In the calls whose ends are known on both sides; blank: almost none."]
    if len(names) < len(ranks):
        caption.append("Neighbouring ranks are added up.")
    caption += _common.first_alone(summary)
    return Figure("waits", _common.title_of(summary), (panel,), tuple(caption))

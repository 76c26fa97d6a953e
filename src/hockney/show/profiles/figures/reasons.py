"""Draws the time of each rank: its computing, and in MPI what it was spent for."""

from __future__ import annotations

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.profiling.causes import CAUSES
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure
from hockney.show.profiles.figures import _common

HEADING = "Where the time of the ranks went"
MOST_ROWS = 32
COMPUTING = "outside of MPI"


def describe(summary: ProfileSummary) -> Figure:
    known = summary.profile.by_rank
    if not known:
        raise UsageError(f"{summary.profile.path}: no ranks to draw")
    keys, more = _chosen(summary)
    present = [name for name in CAUSES if summary.causes.seconds[name] > 0.0]
    kinds = [*present, COMPUTING]
    several = len({job for job, _ in known}) > 1
    rows = []
    for job, rank in keys:
        name = f"{job}: {rank}" if several else str(rank)
        parts = summary.causes.of_rank[job, rank]
        outside = summary.computing_s[job, rank]
        rows.append((name, f"rank {name}", {**parts, COMPUTING: outside}))
    panel = _common.bars_panel("time", "job: rank" if several else "rank", rows, kinds)
    title = _common.title_of(summary)
    return Figure("reasons", title, (panel,), (_common.causes_text(present), *more))


def _chosen(summary: ProfileSummary) -> tuple[list[tuple[int, int]], list[str]]:
    """All ranks; or, where there are many, a selection from the least to the most time in MPI."""
    keys = sorted(summary.of_rank)
    if len(keys) <= MOST_ROWS:
        return keys, []
    by_time = sorted(keys, key=lambda key: summary.of_rank[key].time_s)
    places = np.unique(np.linspace(0, len(keys) - 1, MOST_ROWS).astype(int))
    text = (
        f"{len(places)} of {how_many(len(keys), 'rank')}, from the least to the most time in MPI."
    )
    return [by_time[place] for place in places], [text]

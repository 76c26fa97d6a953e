"""Draws the calls that take the most time, and what they spend it for."""

from __future__ import annotations

from hockney.base.errors import UsageError
from hockney.base.units import format_sizes, how_many
from hockney.profiling.causes import spent_in
from hockney.profiling.kinds import Calls
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure
from hockney.show.profiles.figures import _common

HEADING = "The ten calls that take the most time"
MOST_ROWS = 10


def describe(summary: ProfileSummary) -> Figure:
    named = (
        (_name(calls, summary.sizes_of(calls)), calls)
        for calls in summary.profile.calls
        if spent_in(calls)[0] > 0.0
    )
    sums = _common.sums_by(summary, named)
    if not sums:
        raise UsageError(f"{summary.profile.path}: no calls that took time")
    most = sorted(sums.items(), key=lambda entry: -entry[1].spent_s)[:MOST_ROWS]
    causes = _common.present_causes(of_it for _, of_it in most)
    rows = [
        (name, f"{name} ({how_many(of_it.count, 'call')})", of_it.seconds) for name, of_it in most
    ]
    panel = _common.bars_panel("time of all ranks", "call", rows, causes)
    caption = [
        "Calls of one name, power of two of bytes and number of ranks, with what completed their "
        "requests.",
        _common.causes_text(causes),
    ]
    if len(sums) > len(most):
        caption.append(f"Left out: {how_many(len(sums) - len(most), 'more row')}.")
    return Figure("calls", _common.title_of(summary), (panel,), tuple(caption))


def _name(calls: Calls, sizes: tuple[int, int]) -> str:
    name = (calls.started or calls.call).removeprefix("MPI_")
    size = [format_sizes(*sizes)] if calls.datatype is not None else []
    ranks = [how_many(calls.communicator_size, "rank")] if calls.communicator_size else []
    return ", ".join([name, *size, *ranks])

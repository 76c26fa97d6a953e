"""Draws the calls that take the most time, and what they spend it for."""

from __future__ import annotations

from collections import defaultdict

from hockney.base.errors import UsageError
from hockney.base.units import format_sizes, how_many
from hockney.profiling.causes import CAUSES, spent_in
from hockney.profiling.kinds import Calls
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure, Panel, PlotAxis
from hockney.show.profile_figures import _common

HEADING = "The ten calls that take the most time"
MOST_ROWS = 10


def describe(summary: ProfileSummary) -> Figure:
    parts: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(CAUSES, 0.0))
    counts: dict[str, int] = defaultdict(int)
    for calls in summary.profile.calls:
        spent = spent_in(calls)[0]
        if spent <= 0.0:
            continue
        name = _name(calls, summary.sizes_of(calls))
        for cause, seconds in summary.causes.of(calls).items():
            parts[name][cause] += seconds
        counts[name] += calls.count
    if not parts:
        raise UsageError(f"{summary.profile.path}: no calls that took time")
    most = sorted(parts, key=lambda name: -sum(parts[name].values()))[:MOST_ROWS]
    kinds = [cause for cause in CAUSES if any(parts[name][cause] > 0.0 for name in most)]
    bars = [
        bar
        for row, name in enumerate(most)
        for bar in _common.stacked(
            row, f"{name} ({how_many(counts[name], 'call')})", parts[name], kinds
        )
    ]
    panel = Panel(
        PlotAxis("time", "time of all ranks", from_zero=True),
        PlotAxis("name", "call", names=tuple(most), downward=True),
        bars=tuple(bars),
        kinds=_common.kinds_of(kinds),
    )
    caption = [
        "Calls of one name, power of two of bytes and number of ranks, with what completed their "
        "requests.",
        _common.causes_text(kinds),
    ]
    if len(parts) > len(most):
        caption.append(f"Left out: {how_many(len(parts) - len(most), 'more row')}.")
    return Figure("calls", _common.title_of(summary), (panel,), tuple(caption))


def _name(calls: Calls, sizes: tuple[int, int]) -> str:
    name = (calls.started or calls.call).removeprefix("MPI_")
    size = [format_sizes(*sizes)] if calls.datatype is not None else []
    ranks = [how_many(calls.communicator_size, "rank")] if calls.communicator_size else []
    return ", ".join([name, *size, *ranks])

"""Messages by how far their partner is."""

from __future__ import annotations

from collections import defaultdict

from hockney.base.errors import UsageError
from hockney.base.units import format_size, how_many
from hockney.profiling.causes import CAUSES
from hockney.profiling.places import DISTANCES
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure, Panel, PlotAxis
from hockney.show.profile_figures import _common

HEADING = "Messages by partner"


def describe(summary: ProfileSummary) -> Figure:
    parts: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: dict.fromkeys(CAUSES, 0.0))
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for calls, distance in summary.messages:
        key = distance, (calls.started or calls.call).removeprefix("MPI_")
        for cause, seconds in summary.causes.of(calls).items():
            parts[key][cause] += seconds
        counts[key][0] += calls.count
        counts[key][1] += calls.bytes_sum
    if not parts:
        raise UsageError(f"{summary.profile.path}: no messages between ranks to draw")
    keys = sorted(parts, key=lambda key: (DISTANCES.index(key[0]), -sum(parts[key].values())))
    kinds = [cause for cause in CAUSES if any(parts[key][cause] > 0.0 for key in keys)]
    names = tuple(f"{distance}: {name}" for distance, name in keys)
    bars = [
        bar
        for row, key in enumerate(keys)
        for bar in _common.stacked(row, _words(names[row], counts[key]), parts[key], kinds)
    ]
    panel = Panel(
        PlotAxis("time", "time of all ranks", from_zero=True),
        PlotAxis("name", "partner: call", names=names, downward=True),
        bars=tuple(bars),
        kinds=_common.kinds_of(kinds),
    )
    caption = ("Calls that send to a rank, by where that is.", _common.causes_text(kinds))
    return Figure("partners", _common.title_of(summary), (panel,), caption)


def _words(name: str, counts: list[int]) -> str:
    return f"{name} ({how_many(counts[0], 'message')}, {format_size(counts[1])})"

"""Messages by how far their partner is."""

from __future__ import annotations

from hockney.base.errors import UsageError
from hockney.base.units import format_size, how_many
from hockney.profiling.places import DISTANCES
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure
from hockney.show.profiles.figures import _common

HEADING = "Messages by partner"


def describe(summary: ProfileSummary) -> Figure:
    keyed = (
        ((distance, (calls.started or calls.call).removeprefix("MPI_")), calls)
        for calls, distance in summary.messages
    )
    sums = _common.sums_by(summary, keyed)
    if not sums:
        raise UsageError(f"{summary.profile.path}: no messages between ranks to draw")
    keys = sorted(sums, key=lambda key: (DISTANCES.index(key[0]), -sums[key].spent_s))
    causes = _common.present_causes(sums.values())
    rows = [(name := ": ".join(key), _words(name, sums[key]), sums[key].seconds) for key in keys]
    panel = _common.bars_panel("time of all ranks", "partner: call", rows, causes)
    caption = ("Calls that send to a rank, by where that is.", _common.causes_text(causes))
    return Figure("partners", _common.title_of(summary), (panel,), caption)


def _words(name: str, of_it: _common.RowSums) -> str:
    return f"{name} ({how_many(of_it.count, 'message')}, {format_size(of_it.bytes)})"

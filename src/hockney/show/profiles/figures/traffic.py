"""Heat map of the bytes between every two ranks."""

from __future__ import annotations

from collections import defaultdict

from hockney.base.errors import UsageError
from hockney.base.units import format_size, how_many
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import Figure, MapCell, PlotAxis
from hockney.show.profiles.figures import _common

HEADING = "Traffic between ranks"


def describe(summary: ProfileSummary) -> Figure:
    rows, names = _common.blocks_of(_common.known_ranks(summary))
    sums: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    for (job, sender, receiver), (messages, bytes_) in summary.traffic.items():
        if job == 0 and receiver in rows:
            totals = sums[rows[sender], rows[receiver]]
            totals[0] += messages
            totals[1] += bytes_
    if not any(bytes_ for _, bytes_ in sums.values()):
        raise UsageError(f"{summary.profile.path}: no bytes between ranks to draw")
    cells = tuple(
        MapCell(
            column,
            row,
            float(bytes_),
            f"{names[row]} to {names[column]}: {how_many(messages, 'message')}, "
            f"{format_size(bytes_)}",
        )
        for (row, column), (messages, bytes_) in sorted(sums.items())
        if bytes_
    )
    return _common.map_of_ranks(
        "traffic",
        summary,
        ("from rank", "to rank"),
        cells,
        PlotAxis("size", "bytes sent", logarithmic=True),
        "Messages and one-sided operations; empty: none. Collectives are not in it.",
    )

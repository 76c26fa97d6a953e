"""What figures of profiles share: titles, the colours of reasons, and stacked rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hockney.profiles.summary import REASONS, Summary
from hockney.views.drawing import time_text
from hockney.views.drawing.description import Bar, Kind

COLOURS = {"waiting": 1, "latency": 0, "bandwidth": 2, "copying": 5, "other": 3}
"""Numbers in the palette."""
REASONS_TEXT = (
    "Waiting: until the other side sends, receives or arrives, from calls whose ends are known on "
    "both sides; of the rest, latency: calls of up to 1 KiB; bandwidth: larger ones; copying: "
    "strided datatypes; other: calls that move no data."
)
MOST_BLOCKS = 64
"""Rows and columns of a matrix; more ranks are drawn in blocks of neighbours."""


def title_of(summary: Summary) -> str:
    profile = summary.profile
    ranks = len(profile.ranks)
    return f"{profile.name}, {ranks} rank{'s' * (ranks != 1)}"


def kinds_of(names: Sequence[str] = REASONS) -> tuple[Kind, ...]:
    return tuple(Kind(name, COLOURS.get(name)) for name in names)


def stacked(row: int, name: str, parts: Mapping[str, float], kinds: Sequence[str]) -> Iterator[Bar]:
    """The parts of a row side by side, in the order of the kinds; parts: seconds."""
    low = 0.0
    for kind, label in enumerate(kinds):
        seconds = parts.get(label, 0.0)
        if seconds > 0.0:
            words = f"{name}: {label} {time_text(seconds)}"
            yield Bar(row, low, low + seconds, kind, words)
            low += seconds


def known_ranks(summary: Summary) -> list[int]:
    """The ranks of the first MPI_COMM_WORLD."""
    return sorted(rank for job, rank in summary.profile.by_rank if job == 0)


def blocks_of(ranks: Sequence[int]) -> tuple[dict[int, int], tuple[str, ...]]:
    """The row of each rank, and the names of the rows: a rank, or neighbours."""
    step = -(-len(ranks) // MOST_BLOCKS) or 1
    rows = {rank: place // step for place, rank in enumerate(ranks)}
    starts = range(0, len(ranks), step)
    if step == 1:
        return rows, tuple(map(str, ranks))
    return rows, tuple(f"{ranks[at]}..{ranks[min(at + step, len(ranks)) - 1]}" for at in starts)

"""Common parts of profiles' figures: titles, the colours of causes, and stacked rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hockney.base.grouping import by_key
from hockney.base.units import how_many
from hockney.profiling.causes import (
    BANDWIDTH,
    BUSY,
    CAUSES,
    CONTENTION,
    COPYING,
    FARTHER,
    LATE,
    LATENCY,
    MESSAGES,
    OTHER,
    UNEXPLAINED,
)
from hockney.profiling.kinds import Calls
from hockney.profiling.summary import ProfileSummary
from hockney.show.curves.curves import sentence
from hockney.show.drawing import time_text
from hockney.show.drawing.description import (
    Bar,
    CellKind,
    Figure,
    MapCell,
    Panel,
    PlotAxis,
    map_of,
)

COLOURS = {
    **{"late partners": 1, "busy CPUs": 4, "contention": 6, "latency": 0, "bandwidth": 2},
    **{"distance or contention": 13, "messages": 0, "copying": 5, "unexplained": 7, "other": 3},
}
"""Numbers of colours in the palette, by cause."""
CAUSE_TEXTS = {
    LATENCY: "what a message takes here alone",
    BANDWIDTH: "what a message takes here alone",
    CONTENTION: "beyond that, without waiting for anybody",
    FARTHER: "beyond that, between ranks that may be farther apart than those measured",
    LATE: "until a rank that computes sends, receives or arrives",
    BUSY: "until a rank that something else keeps off its CPU does",
    COPYING: "as much as strided datatypes may take",
    UNEXPLAINED: "beyond the model, where waiting cannot be seen",
    MESSAGES: "latency, bandwidth, copying and contention, which were not measured here",
    OTHER: "calls that move no data",
}
"""What is counted under each cause."""
Key = TypeVar("Key", bound=Hashable)
MOST_BLOCKS = 64
"""Most rows and columns of a matrix; more ranks are drawn in blocks of neighbours."""


def title_of(summary: ProfileSummary) -> str:
    profile = summary.profile
    ranks = len(profile.ranks)
    return f"{profile.name}, {how_many(ranks, 'rank')}"


def causes_text(names: Sequence[str]) -> str:
    """Explains the causes that are drawn; those with one explanation together."""
    by_text = by_key(names, lambda name: CAUSE_TEXTS[name])
    return sentence("; ".join(f"{', '.join(of)}: {text}" for text, of in by_text.items())) + "."


@dataclass
class RowSums:
    """What the calls of one row are spent for, and how many they are."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CAUSES, 0.0))
    """By cause."""
    count: int = 0
    bytes: int = 0

    @property
    def spent_s(self) -> float:
        return sum(self.seconds.values())


def sums_by(summary: ProfileSummary, calls: Iterable[tuple[Key, Calls]]) -> dict[Key, RowSums]:
    """The sums of the calls of each key."""
    sums: dict[Key, RowSums] = {}
    for key, of_it in calls:
        row = sums.setdefault(key, RowSums())
        for cause, seconds in summary.causes.of(of_it).items():
            row.seconds[cause] += seconds
        row.count += of_it.count
        row.bytes += of_it.bytes_sum
    return sums


def present_causes(rows: Iterable[RowSums]) -> list[str]:
    every = list(rows)
    return [cause for cause in CAUSES if any(row.seconds[cause] > 0.0 for row in every)]


def map_of_ranks(
    name: str,
    summary: ProfileSummary,
    of: tuple[str, str],
    cells: tuple[MapCell, ...],
    scale: PlotAxis,
    caption: str,
) -> Figure:
    """A map of every two ranks, in blocks. of: what a rank is in a row, and in a column."""
    ranks = known_ranks(summary)
    _, names = blocks_of(ranks)
    panel = map_of(names, *of, cells, scale)
    added = ["Neighbouring ranks are added up."] if len(names) < len(ranks) else []
    return Figure(name, title_of(summary), (panel,), (caption, *added, *first_alone(summary)))


def bars_panel(
    x: str, y: str, rows: Sequence[tuple[str, str, Mapping[str, float]]], kinds: Sequence[str]
) -> Panel:
    """Rows of bars from the top. rows: the name of each, its words, its seconds by kind."""
    return Panel(
        PlotAxis("time", x, from_zero=True),
        PlotAxis("name", y, names=tuple(name for name, _, _ in rows), downward=True),
        bars=tuple(
            bar
            for at, (_, words, seconds) in enumerate(rows)
            for bar in _stacked(at, words, seconds, kinds)
        ),
        kinds=tuple(CellKind(name, COLOURS.get(name)) for name in kinds),
    )


def _stacked(
    row: int, name: str, parts: Mapping[str, float], kinds: Sequence[str]
) -> Iterator[Bar]:
    """The parts of a row side by side, in the order of the kinds; parts: seconds."""
    low = 0.0
    for kind, label in enumerate(kinds):
        seconds = parts.get(label, 0.0)
        if seconds > 0.0:
            words = f"{name}: {label} {time_text(seconds)}"
            yield Bar(row, low, low + seconds, kind, words)
            low += seconds


def known_ranks(summary: ProfileSummary) -> list[int]:
    """The ranks of the first MPI_COMM_WORLD."""
    return sorted(rank for job, rank in summary.profile.by_rank if job == 0)


def first_alone(summary: ProfileSummary) -> list[str]:
    """A sentence where the profile has other ranks than known_ranks."""
    text = summary.profile.first_alone
    return [f"{sentence(text)}."] if text else []


def blocks_of(ranks: Sequence[int]) -> tuple[dict[int, int], tuple[str, ...]]:
    """The row of each rank, and the names of the rows: a rank, or neighbours."""
    step = -(-len(ranks) // MOST_BLOCKS) or 1
    rows = {rank: place // step for place, rank in enumerate(ranks)}
    starts = range(0, len(ranks), step)
    if step == 1:
        return rows, tuple(map(str, ranks))
    return rows, tuple(f"{ranks[at]}..{ranks[min(at + step, len(ranks)) - 1]}" for at in starts)

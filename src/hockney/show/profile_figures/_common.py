"""Common parts of profiles' figures: titles, the colours of causes, and stacked rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
from hockney.profiling.summary import ProfileSummary
from hockney.show.curves import sentence
from hockney.show.drawing import time_text
from hockney.show.drawing.description import Bar, CellKind

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
MOST_BLOCKS = 64
"""Most rows and columns of a matrix; more ranks are drawn in blocks of neighbours."""


def title_of(summary: ProfileSummary) -> str:
    profile = summary.profile
    ranks = len(profile.ranks)
    return f"{profile.name}, {how_many(ranks, 'rank')}"


def kinds_of(names: Sequence[str] = CAUSES) -> tuple[CellKind, ...]:
    return tuple(CellKind(name, COLOURS.get(name)) for name in names)


def causes_text(names: Sequence[str]) -> str:
    """Explains the causes that are drawn; those with one explanation together."""
    by_text: dict[str, list[str]] = {}
    for name in names:
        by_text.setdefault(CAUSE_TEXTS[name], []).append(name)
    return sentence("; ".join(f"{', '.join(of)}: {text}" for text, of in by_text.items())) + "."


def stacked(row: int, name: str, parts: Mapping[str, float], kinds: Sequence[str]) -> Iterator[Bar]:
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


def blocks_of(ranks: Sequence[int]) -> tuple[dict[int, int], tuple[str, ...]]:
    """The row of each rank, and the names of the rows: a rank, or neighbours."""
    step = -(-len(ranks) // MOST_BLOCKS) or 1
    rows = {rank: place // step for place, rank in enumerate(ranks)}
    starts = range(0, len(ranks), step)
    if step == 1:
        return rows, tuple(map(str, ranks))
    return rows, tuple(f"{ranks[at]}..{ranks[min(at + step, len(ranks)) - 1]}" for at in starts)

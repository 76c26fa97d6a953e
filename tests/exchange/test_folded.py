"""Logs that a terminal or fold broke at its width."""

from __future__ import annotations

import pytest
from reading import numbers, tables

import excerpts as logs
from hockney.foreign.logs import folded

FULL = "# OSU MPI Latency Test v7.4\n# Size   Avg Latency(us)   P50 Tail Lat(us)   P90 Tail Lat(us)"
FULL += "   P99 Tail Lat(us)  Validation\n"
FULL += "".join(
    f"{n:<8}{n + 1.25:18.2f}{n + 1.0:19.2f}{n + 2.5:19.2f}{n + 3.5:19.2f}  Pass\n"
    for n in (1, 8, 64)
)
TABLES = {
    "osu": FULL,
    "nccl": logs.NCCL,
    "perftest": logs.PERFTEST_LATENCY,
}


def fold(text: str, width: int) -> str:
    lines = ((line, range(0, max(len(line), 1), width)) for line in text.splitlines())
    return "".join(f"{line[at : at + width]}\n" for line, places in lines for at in places)


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("name", TABLES)
def test_lines_that_were_folded_are_joined(name: str, width: int) -> None:
    [plain], [table] = tables(TABLES[name]), tables(fold(TABLES[name], width))
    assert numbers(table) == numbers(plain)
    assert table.dropped == []


@pytest.mark.parametrize("width", [72, 80, 91, 100, 132])
@pytest.mark.parametrize("name", logs.EXCERPTS)
def test_no_line_of_a_log_is_joined_to_the_next(name: str, width: int) -> None:
    lines = logs.EXCERPTS[name][1].splitlines()
    assert folded.unfolded(lines) == lines
    padded = [line.ljust(width) for line in lines if len(line) <= width]
    assert folded.unfolded(padded) == padded


def test_words_below_a_row_are_not_joined_to_it() -> None:
    text = fold(TABLES["osu"], 80).replace("Pass", "Pass (of 3)", 1)
    assert folded.unfolded(text.splitlines()) == text.splitlines()

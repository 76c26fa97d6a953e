"""Logs that a terminal or fold broke at its width, and tables whose rows only look so."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from reading import numbers, tables

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.logs import folded

FULL = "# OSU MPI Latency Test v7.4\n# Size   Avg Latency(us)   P50 Tail Lat(us)   P90 Tail Lat(us)"
FULL += "   P99 Tail Lat(us)  Validation\n"
FULL += "".join(
    f"{n:<8}{n + 1.25:18.2f}{n + 1.0:19.2f}{n + 2.5:19.2f}{n + 3.5:19.2f}  Pass\n"
    for n in (1, 8, 64)
)
TABLES = {"osu": FULL, "nccl": logs.NCCL}


def fold(text: str, width: int) -> str:
    lines = ((line, range(0, max(len(line), 1), width)) for line in text.splitlines())
    return "".join(f"{line[at : at + width]}\n" for line, places in lines for at in places)


@pytest.mark.parametrize(("name", "width"), [("osu", 80), ("osu", 100), ("nccl", 80)])
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


def floats(draw: Random, columns: int, form: str) -> str:
    """Numbers as a row of CSV, whose widths differ."""
    return ",".join(form % (draw.random() * 10 ** draw.randint(-2, 4)) for _ in range(columns))


def random_csv(draw: Random) -> str:
    columns, form = draw.randint(2, 9), draw.choice(["%r", "%.3f", "%g"])
    names = ",".join(f"p{10 * n}_us" for n in range(1, columns + 1))
    rows = (f"{2**n},{floats(draw, columns, form)}" for n in range(draw.randint(2, 30)))
    return f"bytes,{names}\n" + "".join(f"{row}\n" for row in rows)


def ragged_csv(draw: Random) -> str:
    rows = random_csv(draw).splitlines()
    return "".join(row.rsplit(",", draw.randint(0, 2))[0] + "\n" for row in rows)


def random_matrix(draw: Random) -> str:
    ranks, separator = draw.randint(6, 24), draw.choice([",", " ", "\t", ";"])
    form = draw.choice(["%g", "%.1f", "%.2f"])
    rows = (floats(draw, ranks, form).replace(",", separator) for _ in range(ranks))
    return "# latency (us), message size: 8 bytes\n" + "".join(f"{row}\n" for row in rows)


def triangle(draw: Random) -> str:
    ranks = draw.randint(6, 24)
    rows = (floats(draw, n, "%.2f").replace(",", " ") for n in range(ranks, 0, -1))
    return "# latency (us), message size: 8 bytes\n" + "".join(f"{row}\n" for row in rows)


def read(text: str) -> list[dict[tuple[int, str], float]] | str:
    try:
        return list(map(numbers, tables(text)))
    except UsageError as error:
        return str(error)


@pytest.mark.parametrize("table", [random_csv, ragged_csv, random_matrix, triangle])
def test_tables_of_numbers_are_read_as_they_are(
    table: Callable[[Random], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [table(Random(seed)) for seed in range(60)]
    outcomes = list(map(read, texts))
    monkeypatch.setattr(folded, "unfolded", list)
    assert list(map(read, texts)) == outcomes


@pytest.mark.parametrize("seed", range(8))
def test_a_long_table_keeps_every_row(seed: int) -> None:
    draw = Random(seed)
    numbers_of_rows = (",".join(repr(draw.random() * 10) for _ in range(4)) for _ in range(200))
    rows = "".join(f"{1000 + n},{row}\n" for n, row in enumerate(numbers_of_rows))
    [table] = tables(f"bytes,p10_us,p50_us,p90_us,p99_us\n{rows}")
    assert len({row.bytes for row in table.rows}) == 200

"""Cells and headings of CSV as spreadsheets write them: no number is read that nobody wrote."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import log, numbers, runs, tables

from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.table import RowError
from hockney.foreign.programs import csv
from hockney.foreign.programs._csv_cells import decimal_mark, plain

US = 1e-6


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("size;time (us)\n8;1,07\n16;2,500\n", {8: 1.07, 16: 2.5}),
        ("size;time (us)\n8;1.234,5\n1.048.576;0,5\n", {8: 1234.5, 1048576: 0.5}),
        ("size;time (us)\n8;1,07\n1.024;0,5\n", {8: 1.07, 1024: 0.5}),
        ('size,time (us)\n"1,024",1.07\n"1,048,576","1,234.5"\n', {1024: 1.07, 1048576: 1234.5}),
        ("size;time (us)\n1,024;1.5\n2,048;1.7\n", {1024: 1.5, 2048: 1.7}),
        ("size,time (us)\n8 B,1.5 us\n4KiB,2.5 us\n1 MiB,3\n", {8: 1.5, 4096: 2.5, 1048576: 3.0}),
        ("size,latency\n8,1.5 us\n16,3 ms\n", {8: 1.5, 16: 3000.0}),
        ('"Message Size (bytes)";"Latency, avg (us)"\n"8";"1.07"\n', {8: 1.07}),
        ("size,latency (\ufffds)\n8,1.07\n", {8: 1.07}),
    ],
    ids=["comma", "both", "points", "quoted", "sizes", "units", "units alone", "names", "latin-1"],
)
def test_numbers_of_spreadsheets(text: str, known: dict[int, float]) -> None:
    [table] = tables(text)
    assert numbers(table) == {(size, "mean"): pytest.approx(us * US) for size, us in known.items()}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("16;1,234", "'1,234' may have thousands or decimals"),
        ("4K;1.5", "'K' may be of 1000 or 1024"),
        ("4 KB;1.5", "'KB' may be of 1000 or 1024"),
        ("16;1.5 parsec", "'parsec' is no known unit"),
        ("16;", "a row without a number"),
        ("16;nan", "a row without a number"),
    ],
)
def test_what_may_be_two_numbers_is_neither(row: str, words: str) -> None:
    [table] = tables(f"size;time (us)\n8;1.5\n{row}\n", "csv")
    assert [row.bytes for row in table.rows] == [8]
    assert any(f"line 3: {words}" in note for note in table.notes), table.notes
    assert table.cut is None, "a wrong cell is not the end of the log"


def test_a_point_beside_decimal_commas_may_be_of_thousands() -> None:
    [table] = tables("size;time (us)\n8;1,5\n16;1.234\n", "csv")
    assert [row.bytes for row in table.rows] == [8]
    assert "line 3: '1.234' may have thousands or decimals" in table.notes[0]


@given(st.text("0123456789.,-+eE kMiBus", max_size=20))
def test_any_cell_is_read_or_refused(cell: str) -> None:
    for mark in (decimal_mark([cell], [cell]), ",", "."):
        try:
            number, _ = plain(cell, mark)
        except RowError:
            continue
        assert "," not in number or not any(char.isdigit() for char in number)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("size,time (us),operation\n8,x,bcast\n8,1,reduce\n", 1),
        ("size,time (us),operation\n8,x,bcast\n8,y,reduce\n", 0),
    ],
)
def test_rows_of_an_operation_without_any_number_are_said(text: str, known: int) -> None:
    log_tables = csv.read(log(text))
    assert sum(len(table.rows) for table in log_tables) == known
    assert log_tables[0].dropped == [2, 3][: 2 - known]
    assert "line 2: 'x' is not a number" in log_tables[0].notes[0]


def test_another_heading_begins_another_table() -> None:
    time, rate = runs("size,latency (us)\n8,1\n\nsize,bandwidth (MB/s)\n8,100\n", "csv")
    assert [s.value_s for s in time.summaries] == [1e-6]
    assert [(s.value_s, s.value_Bps) for s in rate.summaries] == [(None, 1e8)]
    assert rate.header.source is not None
    assert "line 4: another heading: a table of its own" in rate.header.source.notes[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("size,latency (us)\n8,1\nsize,messages\n8,100\n", 3),
        ("size,messages\n8,100\nsize,latency (us)\n8,1\n", 1),
    ],
)
def test_a_table_of_an_unknown_heading_is_told(text: str, line: int) -> None:
    [table] = tables(text, "csv")
    assert numbers(table) == {(8, "mean"): 1e-6}
    assert f"line {line}: the heading size, messages names no time" in table.notes[0]


def test_files_put_together_have_one_heading_each() -> None:
    text = "size,latency (us)\n8,1\n"
    first, second = tables(text + text, "csv")
    assert numbers(first) == numbers(second) == {(8, "mean"): 1e-6}
    assert all("the same point again" in note for note in first.notes)


@pytest.mark.parametrize(
    "heading", ["size,latency (us),time (us)", "size,bytes,time (us)", "size,bw (MB/s),Gbps"]
)
def test_two_columns_of_the_same_are_refused(heading: str) -> None:
    with pytest.raises(UsageError, match=r"line 1: .* are both the .*\n.*--columns"):
        reading.read(log(f"{heading}\n8,1,2\n"), "csv")


PLACES = "size,where,latency (us)\n8,core,1\n16,core,2\n8,node,5\n16,node,6\n"


def test_points_of_unlike_words_are_experiments_of_their_own() -> None:
    """Their medians would be of nothing that anybody measured."""
    first, second = tables(PLACES, "csv")
    assert (first.options, second.options) == ({"where": "core"}, {"where": "node"})
    assert numbers(first) == {(8, "mean"): 1e-6, (16, "mean"): 2e-6}
    assert numbers(second) == {(8, "mean"): 5e-6, (16, "mean"): 6e-6}
    assert "the same points repeat for each where" in first.notes[0]
    assert len(runs(PLACES, "csv")) == 2


@pytest.mark.parametrize(
    "text",
    [
        PLACES.replace("16,node", "32,node").replace("8,node", "64,node"),  # nothing is repeated
        PLACES.replace("core", "1").replace("node", "2"),  # numbers may count anything
    ],
)
def test_other_columns_keep_points_together(text: str) -> None:
    assert not any("where" in table.options for table in tables(text, "csv"))


def test_who_says_what_is_repeated_is_believed() -> None:
    log_tables = reading.read(replace(log(PLACES), repeated="launches"), "csv")
    assert [table.options for table in log_tables] == [{}, {}]


BARRIERS = "Algorithm,Processes,Latency (us)\nlinear,2,0.39\nlinear,4,0.69\n"


def test_a_table_without_sizes_takes_the_one_that_is_given() -> None:
    [table] = reading.read(replace(log(BARRIERS), bytes=0, operation="barrier"), "csv")
    assert [(row.bytes, row.ranks) for row in table.rows] == [(0, 2), (0, 4)]
    with pytest.raises(UsageError, match="--bytes SIZE"):
        reading.read(replace(log(BARRIERS), bytes=None), "csv")

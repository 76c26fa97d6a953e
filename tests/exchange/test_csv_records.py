"""CSV as RFC 4180 has it: what csv.writer writes is read back, and no row is lost unsaid."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import log, numbers, tables

from hockney.foreign.exchange import reading
from hockney.foreign.logs import content
from hockney.foreign.logs.log import LONGEST_LINE, log_of
from hockney.foreign.logs.runs import runs_of
from hockney.foreign.programs._csv_records import MOST_LINES, UNCLOSED, records
from hockney.records import Run

TEXTS = st.text(
    st.characters(codec="ascii", exclude_categories=["Cc"]) | st.just("\n"), max_size=30
)
CELLS = TEXTS | st.sampled_from(
    ['"', ",", ";", '""', "\n", '"\n"', "8,1.5", '16,9.99,"', "x" * 6000]
)


def written(rows: list[list[str]], separator: str, **how: object) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n", **how).writerows(rows)  # type: ignore[call-overload]
    return out.getvalue()


@settings(deadline=None)
@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=8),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_what_was_written_is_read_back(rows: list[list[str]], separator: str, quoting: int) -> None:
    """Blanks at the ends of lines are taken off, as padding is."""
    text = written(rows, separator, quoting=quoting)
    csv_records = list(records(log_of(text, Path("a.csv")), 1, separator))
    assert [record.problem for record in csv_records] == [None] * len(rows)
    assert [[_padded_off(cell) for cell in record.cells] for record in csv_records] == [
        [_padded_off(cell) for cell in row] for row in rows
    ]
    assert csv_records[-1].last == text.count("\n")


def _padded_off(cell: str) -> str:
    return "\n".join(line.rstrip(" ") for line in cell.split("\n"))


TIMES = st.decimals("0.001", "1000000", places=3)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.integers(0, 2**40), TIMES, min_size=1, max_size=10),
    st.lists(CELLS, min_size=10, max_size=10),
    st.sampled_from([",", ";", "\t"]),
    st.integers(0, 2),
)
def test_times_beside_any_comment_are_read_exactly(
    times: dict[int, object], comments: list[str], separator: str, place: int
) -> None:
    names = ["bytes", "time (us)"]
    rows = [[str(size), str(time)] for size, time in times.items()]
    for row, comment in zip([names, *rows], ["comment", *comments], strict=False):
        # A line that begins with # is a comment, by the convention of gnuplot and others.
        row.insert(place, comment if place else f"n{comment}")
    text = written([names, *rows], separator)
    [table] = tables(text, "csv")
    assert numbers(table) == {(size, "mean"): float(f"{time}e-6") for size, time in times.items()}
    assert (table.notes, table.dropped) == ([], [])


def test_names_over_two_lines_are_a_heading() -> None:
    [table] = tables('"message\nsize","time\n(us)",note\n8,1.5,"a\nb"\n16,2.5,c\n', "csv")
    assert numbers(table) == {(8, "mean"): 1.5e-6, (16, "mean"): 2.5e-6}
    assert [row.line for row in table.rows] == [4, 6]


@pytest.mark.parametrize("size", [LONGEST_LINE + 1, 100_000])
def test_a_long_cell_costs_no_row(size: int) -> None:
    text = f"note,bytes,time (us)\na,8,1.5\n{'x' * size},16,2.5\nb,32,3.5\n"
    [table] = tables(text, "csv")
    assert [row.bytes for row in table.rows] == [8, 16, 32]


def test_a_cell_beyond_the_limit_of_the_csv_module_is_said() -> None:
    [table] = tables(f"bytes,time (us),note\n8,1.5,a\n16,2.5,{'x' * 200_000}\n32,3.5,b\n", "csv")
    assert [row.bytes for row in table.rows] == [8, 32]
    assert "line 3: field larger than field limit (131072); the row is ignored" in table.notes[0]


@pytest.mark.parametrize("lines", [3, MOST_LINES + 100])
def test_a_quote_that_is_not_closed_costs_its_own_row_alone(lines: int) -> None:
    rows = "".join(f"{n},{n}.5,\n" for n in range(1, lines))
    [table] = tables(f'bytes,time (us),note\n5000,1.5,"open\n{rows}9000,2.5,"closed"\n', "csv")
    # Within the limit the next quote ends the cell, but other text follows it.
    assert [row.bytes for row in table.rows] == [*range(1, lines), 9000]
    assert f"line 2: {UNCLOSED}; the row is ignored" in table.notes[0]
    [table] = tables(f'bytes,time (us),note\n5000,1.5,"open\n{rows}', "csv")
    assert [row.bytes for row in table.rows] == list(range(1, lines))
    assert f"line 2: {UNCLOSED}; the row is ignored" in table.notes[0]


def test_quotes_of_a_comment_swallow_no_rows() -> None:
    [table] = tables('bytes,time (us)\n# of "node 1",\n# "open\n8,1.5\n16,2.5\n', "csv")
    assert [row.bytes for row in table.rows] == [8, 16]


@pytest.mark.parametrize("bad", ["1e-400", "1e-310", "-1", "1e400", "1e120", "1.2.3", "fast"])
def test_a_number_that_no_double_holds_is_left_out_with_its_line(bad: str) -> None:
    [table] = tables(f"bytes,time (s)\n8,1.5\n64,{bad}\n512,2.5\n", "csv")
    assert numbers(table) == {(8, "mean"): 1.5, (512, "mean"): 2.5}
    assert "line 3: " in table.notes[0]
    assert table.dropped == [3]


def test_the_other_numbers_of_a_row_are_kept() -> None:
    [table] = tables("bytes,time (s),max time (s)\n8,1e-400,2.5\n16,1,3.5\n", "csv")
    assert numbers(table) == {(8, "max"): 2.5, (16, "mean"): 1.0, (16, "max"): 3.5}
    assert "line 2: 1E-400 is out of range; the number is ignored" in table.notes[0]


def test_a_row_that_is_ignored_makes_no_point_a_repeated_one() -> None:
    [table] = tables("bytes,time (s)\n8,1e-400\n8,1.5\n16,2.5\n", "csv")
    assert table.options == {}
    assert [row.line for row in table.rows] == [3, 4]


def imported(text: str) -> Run:
    read = log(text)
    [run] = runs_of([(read, table) for table in reading.read(read, "csv")], "csv")
    return run


def test_every_row_that_is_ignored_is_counted_and_said() -> None:
    rows = [f"{n},{'fast' if n % 3 == 0 else n}" for n in range(1, 301)]
    rows[30:40] = ["one cell"] * 10
    run = imported("bytes,time (us)\n" + "\n".join(rows) + "\n")
    assert run.header.source is not None
    first = run.header.source.notes[0]
    assert first.startswith("some.log: 107 rows are ignored: lines 4, 7, 10, 13, 16, 19, 22, 25, ")
    assert "28, 31-41, 43" in first
    assert first.endswith(" and 47 more places up to line 301")
    assert len(run.summaries) == 300 - 107


def test_a_first_row_that_cannot_be_read_is_said_in_the_result() -> None:
    run = imported("bytes,time (us)\n8,fast\n16,2.5\n")
    assert run.header.source is not None
    assert "line 2: 'fast' is not a number; the row is ignored" in run.header.source.notes[0]


def test_rows_too_short_for_a_column_of_words_are_said() -> None:
    """They were silently left out where points come again."""
    text = "bytes,time (us),node\n8,1.5,a\n16,2.5,b\n8,3.5,b\n16\n32,4.5\n"
    log_tables = tables(text, "csv")
    assert sorted(row.line or 0 for table in log_tables for row in table.rows) == [2, 3, 4, 6]
    assert [line for table in log_tables for line in table.dropped] == [5]


def test_rows_below_a_heading_without_a_unit_are_counted() -> None:
    [table] = tables("size,time (us)\n8,1.5\n\nsize,latency\n8,2.5\n16,3.5\n", "csv")
    assert "line 4: the heading size, latency names no time" in table.notes[0]
    assert "with its unit: it is left out, with 2 rows to line 6" in table.notes[0]


def test_the_limit_of_lines_is_that_of_every_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(content, "MOST_LINES", 2)
    (tmp_path / "a.csv").write_text("bytes,time (us)\n8,1\n16,2\n")
    with pytest.raises(Exception, match="2 lines"):
        content.text_of(tmp_path / "a.csv")


@pytest.mark.parametrize("end", ["1.", "1,", "1. "])
def test_a_number_that_ends_in_its_point_is_cut(end: str) -> None:
    [table] = tables(f"size;time (us)\n8;1.07\n16;{end}", "csv")
    assert [row.bytes for row in table.rows] == [8]
    assert table.cut == "the table ends in the middle of line 3, read up to there"
    assert tables(f"size;time (us)\n8;1.07\n16;{end}\n", "csv")[0].cut is None

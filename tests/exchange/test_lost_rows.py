"""Rows that a message, a cut or a mark of another country hides are never lost without a word."""

from __future__ import annotations

import pytest
from reading import numbers, runs, tables

import excerpts_of_networks as networks
from excerpts import EXCERPTS
from hockney.base.errors import UsageError

MESSAGE = "[n1:47] UCX  WARN  network device 12"


def notes(text: str) -> list[str]:
    read = runs(text)
    sources = [run.header.source for run in read]
    cuts = [end.message for run in read for end in run.ends if end.message]
    return [note for source in sources if source for note in source.notes] + cuts


@pytest.mark.parametrize("text", [networks.UCX, networks.GPCNET, networks.MPIBENCH])
def test_a_row_behind_a_message_is_said(text: str) -> None:
    lines = text.splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if any(map(line.count, ("Final:", ".5"))))
    glued = "".join([*lines[:last], MESSAGE + lines[last], *lines[last + 1 :]])
    assert any(f"line {last + 1}" in note for note in notes(glued))
    assert sum(len(run.summaries) for run in runs(glued)) > 0


@pytest.mark.parametrize("text", [networks.UCX, networks.GPCNET])
def test_a_last_row_that_is_cut_after_its_name_is_said(text: str) -> None:
    start = text.rindex("Final:") if "Final:" in text else text.rindex("| RR")
    assert any("line" in note for note in notes(text[: start + 45]))


def test_decimal_commas_of_ucx_are_not_thousands() -> None:
    text = networks.UCX.replace("0.400", "0,400")
    rows = [numbers(table) for table in tables(text) if table.rows]
    assert [sorted({size for size, _ in row}) for row in rows] == [[64]]
    assert any("line 16: '0,400' is not a number" in note for note in notes(text))


CSV = "size,time (us)\n8,1.25\n16,2.50\n32,{last}"


@pytest.mark.parametrize(
    ("last", "is_doubtful"), [("103", True), ("103.7", True), ("103.75", False), ("3\n", False)]
)
def test_a_last_number_of_csv_without_its_decimals_may_be_cut(last: str, is_doubtful: bool) -> None:
    [table] = tables(CSV.format(last=last), "csv")
    assert (len(table.rows), table.cut) == (3, None)
    assert any("line 4" in note and "may be cut" in note for note in table.notes) == is_doubtful


@pytest.mark.parametrize("last", ["103", "103,4."])
def test_a_last_row_of_csv_without_all_its_cells_is_cut(last: str) -> None:
    text = CSV.replace("us)", "us),p99 (us)").replace("25", "25,3.25").replace("50", "50,4.25")
    [table] = tables(text.format(last=last), "csv")
    assert {row.bytes for row in table.rows} == {8, 16}
    assert table.cut == "the table ends in the middle of line 4, read up to there"


def test_decimal_commas_between_commas_are_not_read_as_whole_numbers() -> None:
    with pytest.raises(UsageError, match="line 2: 3 columns of 2: a number beside another may be"):
        tables("size,time (us)\n8,1,25\n16,2,50\n", "csv")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_column_without_a_name_beside_the_last_loses_no_row(separator: str) -> None:
    rows = ["size,time (us)", "8,1.25,100", "16,2.5,100"]
    [table] = tables("".join(row.replace(",", separator) + "\n" for row in rows), "csv")
    assert numbers(table) == {(8, "mean"): 1.25e-6, (16, "mean"): 2.5e-6}


def test_a_last_whole_number_among_others_of_one_decimal_is_whole() -> None:
    [table] = tables("size,time (us)\n8,1.5\n16,2.5\n32,3", "csv")
    assert (len(table.rows), table.cut) == (3, None)


MARKDOWN = "| Size | Latency |\n|---:|---:|\n| 8 B | {us} us |\n| 1 KiB | 2{us} us |\n"


@pytest.mark.parametrize("heading", ["## {}", "# network: {}", "{}:"])
def test_tables_of_markdown_below_other_headings_stay_apart(heading: str) -> None:
    parts = (
        f"{heading.format(name)}\n\n{MARKDOWN.format(us=us)}\n"
        for name, us in (("InfiniBand", 1.25), ("Ethernet", 9.5))
    )
    first, second = runs("".join(parts))
    for run, us in ((first, 1.25), (second, 9.5)):
        assert len(run.launches) == 1
        assert [row.value_s for row in run.summaries] == pytest.approx(
            [us * 1e-6, (20 + us) * 1e-6]
        )


def test_thousands_of_csv_may_have_blanks() -> None:
    [table] = tables("size;time (us)\n8;1,25\n1 048 576;1 002,5\n", "csv")
    assert numbers(table) == {(8, "mean"): 1.25e-6, (1048576, "mean"): 1002.5e-6}


@pytest.mark.parametrize("heading", ["size,us", "size,us,", "size,time (us),"])
def test_a_digit_beside_a_whole_number_is_neither_its_decimal_nor_passed_over(heading: str) -> None:
    with pytest.raises(UsageError, match=r"line 2: 3 columns of 2: .* or name each in the heading"):
        tables(f"{heading}\n8,2908,0\n16,3010,5\n", "csv")


OSU = "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n8  1.25\n16  2.50\n32  3.75\n"


@pytest.mark.parametrize(
    ("cut", "words", "sizes"),
    [
        ("2", "2 has fewer decimals than the other rows: it may be cut", {8, 16, 32}),
        ("2.", "'2.' has no decimals: it may be cut; the row is ignored", {8, 32}),
    ],
)
def test_a_number_amid_others_that_may_be_cut_is_said(
    cut: str, words: str, sizes: set[int]
) -> None:
    [table] = tables(OSU.replace("2.50", cut).replace("3.75", "3.70"))
    assert [note for note in table.notes if words in note and "line 4" in note]
    assert {row.bytes for row in table.rows} == sizes


def test_a_shorter_number_of_a_program_that_leaves_zeros_out_is_whole() -> None:
    [table] = tables(OSU.replace("2.50", "2.5"))
    assert table.notes == []


def test_a_number_without_the_exponent_of_the_others_is_not_read() -> None:
    [table] = tables("8 1000 4.36e-07\n16 1000 4.38\n32 1000 0.000151\n")
    assert {row.bytes for row in table.rows} == {8, 32}
    assert table.notes == [
        "some.log, line 2: 4.38 has no exponent: it may be cut; the row is ignored"
    ]


def test_the_rest_of_a_row_that_a_message_broke_is_no_row() -> None:
    [table] = tables(OSU.replace("16  2.50", "1srun: error: n1\n6  2.50"))
    assert {row.bytes for row in table.rows} == {8, 32}
    assert table.dropped == [4, 5] or table.dropped == [5, 4]


def test_rows_below_a_damaged_one_of_julia_are_read() -> None:
    text = EXCERPTS["julia"][1].replace("8,4194304", "srun: error: 8,4194304")
    pingpong, _ = tables(text)
    assert {row.bytes for row in pingpong.rows} == {0, 65536}
    assert any("line 6" in note for note in pingpong.notes)


def test_words_on_a_refused_table_that_was_broken_say_how_to_mend_it() -> None:
    text = networks.MPIBENCH.expandtabs()
    folded = "".join(
        f"{line[at : at + 80]}\n" for line in text.splitlines() for at in range(0, len(line), 80)
    )
    with pytest.raises(UsageError) as refused:
        runs(folded)
    assert "end at 80 columns" in str(refused.value.advice)


def test_a_row_of_csv_with_a_cell_of_the_next_is_not_read() -> None:
    with_remark = "16,1.5,slow\n"
    [table] = tables(f"size,time (us)\n8,1.2516,1.5\n{with_remark}32,1.75\n64,2.25\n", "csv")
    assert {row.bytes for row in table.rows} == {16, 32, 64}
    assert any("line 2: 3 columns of 2" in note for note in table.notes)


def test_rows_within_a_quote_that_another_cell_ends_are_read() -> None:
    rows = '8,1.25,"fine\n16,1.5,ok\n32,1.75,"good"\n64,2.25,"as, it is"\n'
    [table] = tables(f"size,time (us),remark\n{rows}", "csv")
    assert {row.bytes for row in table.rows} == {16, 32, 64}
    assert any("line 2" in note for note in table.notes)


def test_the_heading_beside_a_damaged_row_is_no_row() -> None:
    [table] = tables(networks.MPIGRAPH.replace("900.125\t", "", 1))
    assert not any("a row that is damaged" in note for note in table.notes)


FACTORS = """\
|                   Name |    Congestion Impact (Avg) |    Congestion Impact (99%) |
| RR Two-sided Lat (8 B) |                      2.5X  |                      6.0X  |
"""


@pytest.mark.parametrize("text", [networks.GPCNET + FACTORS, networks.EXCERPTS["ucx old"][1]])
def test_lines_that_a_program_passes_over_are_no_damaged_rows(text: str) -> None:
    assert not any("damaged" in note for table in tables(text) for note in table.notes)

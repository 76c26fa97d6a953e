"""Rows that a message, a cut or a mark of another country hides are never lost without a word."""

from __future__ import annotations

import re

import pytest
from reading import numbers, runs, tables, value_of

import excerpts as logs
import excerpts_of_networks as networks
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


def outcome(text: str) -> tuple[list[tuple[int, float]], set[str]]:
    """The numbers of a log, and what is said of it."""
    try:
        read = runs(text)
    except UsageError as refused:
        return [], {str(refused)}
    values = ((row.bytes, value_of(row)) for run in read for row in run.summaries)
    return sorted(values), set(notes(text))


DAMAGES = {
    "behind a message": lambda row: MESSAGE + row,
    "behind a word": lambda row: f"progress:{row.lstrip()}",
    "with a message behind": lambda row: f"{row}srun: error: n1",
    "broken by a message": lambda row: (
        f"{row[: len(row) * 2 // 3]}srun: error: n1\n{row[len(row) * 2 // 3 :]}"
    ),
    "with decimal commas": lambda row: re.sub(r"(\d)\.(\d)", r"\1,\2", row),
    "with a control character": lambda row: f"\0{row}",
}
EXCERPTS = (
    *("osu 5", "osu bcast", "osu rate", "imb 4", "imb multi", "nccl", "perftest latency"),
    *("netpipe 3", "netgauge", "netgauge quiet", "fabtests", "ucx old", "gpcnet", "mpibench"),
)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", EXCERPTS)
def test_a_damaged_row_is_read_or_said_and_never_another_number(name: str, damage: str) -> None:
    text = logs.EXCERPTS[name][1]
    lines = text.splitlines()
    is_row = re.compile(r"(?!#).*\d\.\d+(?!.*%ile)")
    known, usual = outcome(text)
    for place in [n for n, line in enumerate(lines) if is_row.match(line) and "osu_" not in line]:
        damaged = [*lines[:place], DAMAGES[damage](lines[place]), *lines[place + 1 :]]
        left, words = outcome("\n".join(damaged) + "\n")
        assert set(left) <= set(known)
        assert left == known or words - usual


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

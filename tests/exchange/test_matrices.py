"""Matrices of all pairs: mpiGraph's and those of text, with holes, of several units and sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import NAME, runs, tables

import excerpts_of_networks as networks
from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.table import LogTable

TIMES = "# time in us, message size 8 B\n"
ROWS = "rank n1 n2 n3\nn1 0 1.5 2.5\nn2 1.25 0 3.5\nn3 2.25 3.25 0\n"
PAIRS = {
    (0, 1): 1.5e-6,
    (0, 2): 2.5e-6,
    (1, 0): 1.25e-6,
    (1, 2): 3.5e-6,
    (2, 0): 2.25e-6,
    (2, 1): 3.25e-6,
}


def unhelped(text: str) -> list[LogTable]:
    read = log_of(text, Path(NAME))
    return reading.read(read, reading.recognise(read))


def pairs(table: LogTable) -> dict[tuple[int, ...], float | None]:
    return {tuple(row.peers): row.value_s or row.value_Bps for row in table.rows}


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        ROWS.replace("rank ", "# "),
        ROWS.replace("rank ", "# sender\\receiver "),
        ROWS.replace(" ", "\t"),
        ROWS.replace("rank", "").replace(" ", ","),
        ROWS.replace(" ", "; "),
        ROWS.replace("n1 0", "n1: 0").replace("n2 1", "n2: 1"),
        ROWS.replace("n2 1.25", "[n1] slow link found\nn2 1.25"),
        ROWS.replace("\n", "\n\n"),
        ROWS.replace("0 1.5", "- 1.5").replace(" 0 3.5", " x 3.5"),
    ],
    ids=[
        "word",
        "no word",
        "both",
        "tabs",
        "commas",
        "semicolons",
        "colons",
        "between",
        "blank lines",
        "diagonal",
    ],
)
def test_a_matrix_is_read_however_its_cells_are_separated(rows: str) -> None:
    [table] = unhelped(TIMES + rows)
    assert pairs(table) == PAIRS
    assert [place.host for place in table.places] == ["n1", "n2", "n3"]
    assert table.notes == []


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ("rank n1 n2 n3 avg\nn1 0 1.5 2.5 2\nn2 1.25 0 3.5 2\nn3 2.25 3.25 0 2\n", "avg"),
        ("rank n1 n2 n3\nn2 1.25 0 3.5\nn1 0 1.5 2.5\nn3 2.25 3.25 0\n", None),
        (ROWS.replace(".", ","), None),
        (ROWS.replace(" ", ";").replace(".", ","), None),
    ],
    ids=["statistics", "another order", "decimal commas", "decimal commas of a spreadsheet"],
)
def test_a_matrix_is_read_as_people_write_it(rows: str, note: str | None) -> None:
    [table] = unhelped(TIMES + rows)
    assert pairs(table) == {peers: pytest.approx(value) for peers, value in PAIRS.items()}
    assert [n.partition(": ")[2] for n in table.notes] == (
        [f"{note}: statistics of the ranks are not read"] if note else []
    )
    assert table.cut is None


def test_a_second_row_of_a_rank_is_said() -> None:
    [table] = unhelped(TIMES + ROWS.replace("n2 1.25", "n1 0 9.5 9.5\nn2 1.25"))
    assert pairs(table) == PAIRS
    assert "a second row of n1" in table.notes[0]


def test_commas_that_may_be_of_thousands_are_said() -> None:
    with pytest.raises(UsageError, match="'1,234' may have thousands or decimals"):
        unhelped(TIMES + "rank n1 n2\nn1 - 1,234\nn2 2,345 -\n")


def test_names_that_come_again_are_several_ranks_of_a_host() -> None:
    [table] = unhelped(TIMES + ROWS.replace("n2", "n1"))
    assert pairs(table) == PAIRS


@pytest.mark.parametrize("hole", ["-", "nan", "0.0", "n/a", "inf"])
def test_holes_are_said_and_no_numbers(hole: str) -> None:
    [table] = unhelped(TIMES + ROWS.replace("2.5", hole).replace("2.25", hole))
    assert pairs(table) == {pair: of for pair, of in PAIRS.items() if pair not in ((0, 2), (2, 0))}
    assert "line 2: 2 holes, without a number: n1 to n3, n3 to n1" in table.notes[0]


def test_empty_cells_between_tabs_are_holes() -> None:
    [table] = unhelped(TIMES + ROWS.replace(" ", "\t").replace("1.5", ""))
    assert pairs(table) == {pair: of for pair, of in PAIRS.items() if pair != (0, 1)}


def test_one_triangle_has_no_holes() -> None:
    rows = "rank n1 n2 n3\nn1 - 1.5 2.5\nn2 - - 3.5\nn3 - - -\n"
    [table] = unhelped(TIMES + rows)
    assert pairs(table) == {(0, 1): 1.5e-6, (0, 2): 2.5e-6, (1, 2): 3.5e-6}
    assert table.notes == []


def test_rows_that_are_missing_are_said() -> None:
    [table] = unhelped(TIMES + ROWS.replace("n2 1.25 0 3.5\n", ""))
    assert pairs(table) == {pair: of for pair, of in PAIRS.items() if pair[0] != 1}
    assert table.cut == "2 rows of 3 ranks are read: no row of n2"


@pytest.mark.parametrize(
    ("above", "factor"),
    [
        ("# one-way time [us], 8 bytes, 100 runs in 5 s", 1e-6),
        ("# 8 B, latency in nsec", 1e-9),
        ("# round-trip time in ms of messages of 8 B", 0.5e-3),
        ("# bandwidth (MB/s), message size 8", 1e6),
        ("# task's bandwidth in MiB/s; 8 B messages took 20 s", 2.0**20),
        ("# rates in Gbit/s, size: 8 B", 1e9 / 8),
    ],
)
def test_the_unit_is_that_of_the_numbers(above: str, factor: float) -> None:
    [table] = unhelped(f"{above}\n{ROWS}")
    assert {row.bytes for row in table.rows} == {8}
    by_pair = pairs(table)
    assert by_pair[0, 1] == pytest.approx(1.5 * factor, rel=1e-12)


@pytest.mark.parametrize(
    ("above", "words"),
    [
        ("# times of 8 B, us or ms", "do not show which of us, ms is the unit"),
        ("# times in us", "do not show the message size: give it with --bytes"),
        ("# times in us, 8 B and 1 KiB", "do not show which of 8, 1024 is the message size"),
        ("# 8 B", "do not show the unit"),
        ("# in us, message size 4 MB", "line 2: .* 'MB' may be of 1000 or 1024: write bytes, KiB"),
        ("# in us, message size: 4K", "'K' may be of 1000 or 1024"),
        ("# in us, size = 4 doubles", "'doubles' is no unit of sizes: write bytes, KiB"),
        ("# in us, message size 1,048,576 bytes", "do not show the message size"),
        ("# in us\n# messages of 1,048,576 bytes", "do not show the message size"),
    ],
)
def test_a_unit_or_size_that_is_unclear_is_refused(above: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        unhelped(f"{above}\n{ROWS}")


@pytest.mark.parametrize(
    ("size", "bytes"),
    [("4 MiB", 4 << 20), ("4-MiB", 4 << 20), ("(4\tKiB)", 4096), ("8 in the mean", 8), ("8 b.", 8)],
)
def test_a_message_size_has_the_unit_that_follows_it(size: str, bytes: int) -> None:
    [table] = unhelped(f"# in us, message size: {size}\n{ROWS}")
    assert {row.bytes for row in table.rows} == {bytes}


def test_an_unsettled_size_is_not_that_of_the_comments_at_the_top() -> None:
    text = f"# 3 tasks, message size 8 B\n\n# rate in MB/s, message size 1 MB\n{ROWS}"
    with pytest.raises(UsageError, match="'MB' may be of 1000 or 1024"):
        unhelped(text)


def test_a_report_above_a_matrix_needs_no_hashes() -> None:
    text = f"LinkTest report\nTasks: 3\nMessage size: 8 B\nUnit: us\n\n{ROWS}"
    [table] = unhelped(text)
    assert pairs(table) == PAIRS


def test_each_matrix_has_its_own_size_and_unit() -> None:
    text = f"# 3 tasks, message size 8 B\n\n# time in us\n{ROWS}\n# rate in MiB/s, 1 MiB\n{ROWS}"
    times, rates = unhelped(text)
    assert {row.bytes for row in times.rows} == {8}
    assert pairs(times) == PAIRS
    assert {row.bytes for row in rates.rows} == {1048576}
    assert pairs(rates)[0, 1] == 1.5 * 2**20


def test_holes_of_mpigraph_are_said_and_no_numbers() -> None:
    text = networks.MPIGRAPH.replace("870.250", "").replace("865.000", "0.000")
    [run] = runs(text)
    rated_pairs = {s.peers for s in run.summaries if s.statistic == "bandwidth"}
    assert rated_pairs == {(0, 1), (1, 0), (1, 2), (2, 0)}
    assert run.header.source is not None
    notes = " ".join(run.header.source.notes)
    assert "no rate to rank 2" in notes
    assert "no rate to rank 1" in notes


def test_a_row_that_mpigraph_lacks_is_said() -> None:
    [table] = tables(networks.MPIGRAPH.replace("node-2:1 to\t910.500\t0.000\t880.750\t\n", ""))
    assert "no bandwidth of rank 1: the matrix lacks these rows" in table.notes


def test_mpigraph_is_read_with_blanks_for_tabs() -> None:
    [table] = tables(networks.MPIGRAPH.replace("\t", "   "))
    assert [row.peers for row in table.rows] == [
        row.peers for row in tables(networks.MPIGRAPH)[0].rows
    ]


def test_imported_matrices_are_drawn_by_rank_and_by_host(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Of two directions the slower is drawn: node-3 sends faster to node-1 than it receives."""
    (tmp_path / "a.out").write_text(networks.MPIGRAPH.replace("node-3:2", "node-2:2"))
    hockney("import", "a.out", "-o", "a.jsonl")
    for what in ("matrix", "fabric"):
        hockney("plot", "--what", what, "a.jsonl", "-o", f"{what}.svg")
    assert "node-2" in (tmp_path / "fabric.svg").read_text()
    shown = hockney("plot", "--what", "fabric", "a.jsonl").stdout
    assert "host, by host node-1 .. node-2" in shown
    assert "The slower of both directions." in shown


def test_a_large_matrix_is_shown_as_a_map_and_its_slowest_pairs(
    hockney: RunHockney, tmp_path: Path
) -> None:
    names = [f"n{n}" for n in range(8)]
    rows = [
        f"{name} " + " ".join("0" if a == b else "9.5" if 3 in (a, b) else "1.5" for b in range(8))
        for a, name in enumerate(names)
    ]
    (tmp_path / "a.txt").write_text("\n".join([TIMES + "rank " + " ".join(names), *rows, ""]))
    hockney("import", "a.txt", "-o", "a.jsonl")
    shown = hockney("show", "a.jsonl").stdout
    assert "8 B, rank by rank" in shown
    assert "0 (n0)  3 (n3)  9.5" in shown
    assert "between 0 1" not in shown

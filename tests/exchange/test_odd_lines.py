"""What programs and launchers print in ways of their own is read, and what is not is said."""

from __future__ import annotations

import re
from itertools import zip_longest

import pytest
from reading import numbers, runs, tables

from hockney.base.errors import HockneyError

LATENCY = """\
# OSU MPI Latency Test v5.9
# Size          Latency (us)
8                       1.51
64                      2.51
"""


@pytest.mark.parametrize("label", ["nid001234 0: ", "x3005c0s13b0n0.hsn.cm.lynx.example 12: "])
def test_hosts_and_ranks_before_lines_are_taken_off(label: str) -> None:
    labelled = "".join(label + line for line in LATENCY.splitlines(keepends=True))
    assert numbers(tables(labelled)[0]) == numbers(tables(LATENCY)[0])


def test_a_recorded_terminal_is_read() -> None:
    text = "\x1b[?2004h[u@n1 ~]$ mpirun -np 2 ./osu_latency\r\n\x1b[?2004l\r" + LATENCY
    assert numbers(tables(text)[0]) == numbers(tables(LATENCY)[0])


NETPIPE = """\
{mode}
0: n1
1: n2
Now starting the main loop
  0:       1 bytes  24999 times -->     {rates[0]} Mbps in      12.31 usec
  1:    1024 bytes  15000 times -->  {rates[1]} Mbps in      14.75 usec
  2:  131072 bytes   1500 times --> {rates[2]} Mbps in     130.55 usec
"""
ONE_WAY, BOTH_WAYS = ("0.62", "529.66", "7659.90"), ("1.24", "1059.32", "15319.80")


@pytest.mark.parametrize(
    ("mode", "rates", "operation"),
    [
        ("", ONE_WAY, "pingpong"),
        ("Passing data in both directions simultaneously.", BOTH_WAYS, "bidirectional"),
        ("Streaming in one direction only.", ONE_WAY, "stream"),
    ],
)
def test_each_way_of_netpipe_is_an_operation(
    mode: str, rates: tuple[str, ...], operation: str
) -> None:
    [table] = tables(NETPIPE.format(mode=mode, rates=rates))
    assert table.operation == operation
    rate = numbers(table)[131072, "bandwidth"]
    assert rate == pytest.approx(float(rates[2]) * 2**20 / 8.0)


def test_rates_of_two_messages_at_once_are_read_and_kept_apart() -> None:
    text = NETPIPE.format(mode="", rates=ONE_WAY) + NETPIPE.format(mode="", rates=BOTH_WAYS)
    assert [run.header.options.get("messages at once") for run in runs(text)] == [None, 2]


def test_a_group_of_imb_that_takes_two_lines_has_all_its_ranks() -> None:
    first, second = (" ".join(map(str, range(start, start + 16))) for start in (0, 16))
    [table] = tables(
        "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n# Benchmarking Multi-Bcast \n"
        "# ( 1 groups of 32 processes each running simultaneous ) \n"
        f"# Group  0:     {first}\n#    {second}\n# \n"
        "        Group       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
        "            0            8         1000         1.10         1.30         1.20\n"
    )
    assert {row.peers for row in table.rows} == {tuple(range(32))}


def test_a_peak_that_is_not_measured_is_no_bandwidth() -> None:
    [table] = tables(
        "                    RDMA_Write BW Test\n"
        " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
        " 65536      1000000          0.00               11000.10             0.176002\n"
    )
    assert {row.statistic for row in table.rows} == {"bandwidth", "message rate"}


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ("Warning: registration limit 128   3.51", "other text in the row"),
        ("1,024   3.51", "other text in the row"),
        ("1,024   1,003.51", "other text in the row"),
        ("1K   3.51", "other text in the row"),
        ("[node01:12345] UCX  WARN  unexpected128   3.51", "other text in the row"),
        ("ofi_hmem_init<warn>: hmem_0128   3.51", "other text in the row"),
        ("128   3.51libibverbs: Warning: no driver", "not 2 columns"),
        ("128   -nan", "mean is -nan"),
    ],
)
def test_a_row_that_is_not_read_is_said(row: str, note: str) -> None:
    [table] = tables(LATENCY + row + "\n256   4.51\n")
    assert [row.bytes for row in table.rows if row.statistic == "mean"] == [8, 64, 256]
    assert table.dropped == ([] if "nan" in row else [5])
    assert any(note in words for words in table.notes)


def test_a_test_of_unknown_columns_beside_others_is_said() -> None:
    unknown = "# OSU OpenSHMEM Atomic Operation Rate Test v5.9\n# Operation   Million ops/s\n"
    [table] = tables(f"{LATENCY}\n{unknown}shmem_int_fadd    1.23\n")
    assert any("Atomic Operation Rate" in words for words in table.notes)


def test_a_message_that_ends_in_a_word_with_a_number_is_no_row() -> None:
    [table] = tables(LATENCY + "[n1:17] NCCL INFO Channel of ring0 2\n256   4.51\n")
    assert (table.dropped, table.notes) == ([], [])


BOTH_WAYS_OSU = """\
# OSU {title} Test v3.3
# Size     Bi-Bandwidth (MB/s)
1                         3.10
1048576                5200.50
"""


@pytest.mark.parametrize(
    ("title", "operation"),
    [
        ("MPI Bi-Directional Bandwidth", "bibandwidth"),
        ("MPI Bidirectional Bandwidth", "bibandwidth"),
        ("One Sided MPI_Put Bi-directional Bandwidth", "put-bi-directional-bandwidth"),
    ],
)
def test_bandwidths_of_both_directions_of_old_versions_are_read(title: str, operation: str) -> None:
    [table] = tables(LATENCY + BOTH_WAYS_OSU.format(title=title))[1:]
    assert table.operation == operation
    assert numbers(table) == {(1, "bandwidth"): 3.1e6, (1048576, "bandwidth"): 5200.5e6}


BANDWIDTH = (
    "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n8  110\n16  220\n32  330\n"
)


def test_programs_whose_labelled_lines_are_mixed_are_not_read_as_one() -> None:
    """srun --label of two programs: one's rows had been taken for the other's."""
    first, second = LATENCY.splitlines(), BANDWIDTH.splitlines()
    pairs = zip_longest(first, second)
    lines = [f"{i}: {line}" for pair in pairs for i, line in enumerate(pair) if line]
    with pytest.raises(HockneyError) as refused:
        runs("\n".join(lines) + "\n")
    assert "'OSU MPI" in str(refused.value)
    assert "behind '0: '" in str(refused.value)
    assert "sed -n 's/^0: //p'" in str(refused.value)
    apart = [line for i in (0, 1) for line in lines if line.startswith(f"{i}: ")]
    assert [len(table.rows) for table in tables("\n".join(apart) + "\n")] == [
        len(tables(LATENCY)[0].rows),
        3,
    ]


NCCL = """\
# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
    33554432       8388608     float     sum      -1  1405.25   23.88   42.98       0  1406.35   23.86   42.95     N/A
"""  # noqa: E501
IMB = """\
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            8         1000         1.10         7.27
"""
PERFTEST = """\
                    RDMA_Write BW Test
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      5000             11000.50            10900.25            0.174404
"""
TABLES = pytest.mark.parametrize("text", [LATENCY, IMB, PERFTEST, NCCL])


def last_row(text: str) -> str:
    return text.splitlines()[-1]


@TABLES
def test_a_row_with_thousands_is_said(text: str) -> None:
    row = last_row(text).split()
    thousands = "  ".join(
        ["1,048,576", *(f"1,{cell}" if "." in cell else cell for cell in row[1:])]
    )
    [table] = tables(f"{text}{thousands}\n")
    assert table.dropped == [text.count("\n") + 1]
    assert any("other text in the row: 1,048,576" in note for note in table.notes)


def test_a_first_row_with_a_unit_of_its_size_is_said() -> None:
    row = last_row(NCCL)
    [table] = tables(NCCL.replace(row, f"{row.replace('33554432', '32M', 1)}\n{row}"))
    assert table.dropped == [4]


@TABLES
def test_rows_with_decimal_commas_are_said_with_the_remedy(text: str) -> None:
    lines = text.splitlines(keepends=True)
    commas = [line.replace(".", ",") if line.strip()[0].isdigit() else line for line in lines]
    with pytest.raises(HockneyError, match="decimal commas are not read; write points: sed"):
        tables("".join(commas))


@TABLES
def test_rows_below_a_comment_are_said(text: str) -> None:
    [table] = tables(f"{text}# the node was restarted\n{last_row(text)}\n")
    assert table.dropped == [text.count("\n") + 2]
    assert any("a row below the end of the table" in note for note in table.notes)


@pytest.mark.parametrize("text", [LATENCY, IMB, PERFTEST])
def test_a_heading_that_comes_again_amid_the_rows_begins_no_table(text: str) -> None:
    heading, row = text.splitlines()[-3 if text == LATENCY else -2], last_row(text)
    more = row.replace(row.split()[0], "1048576", 1)
    [table] = tables(f"{text}{heading}\n{more}\n")
    assert {row.bytes for row in table.rows} > {1048576}
    assert table.dropped == []


def test_rows_below_the_headings_of_two_programs_are_not_read() -> None:
    """Two programs that wrote at once: one's times had been taken for the other's rates."""
    mixed = (
        "# OSU MPI Latency Test v7.4\n# OSU MPI Bandwidth Test v7.4\n"
        "# Size       Avg Latency(us)\n# Size      Bandwidth (MB/s)\n1 1.07\n1 3.5\n"
    )
    with pytest.raises(HockneyError, match=r"line 4: .* the output of two programs is mixed"):
        tables(mixed)


@pytest.mark.parametrize(
    ("unit", "factor"), [("us", 1e-6), ("ms", 1e-3), ("\N{MICRO SIGN}s", 1e-6), ("s", 1.0)]
)
def test_times_of_osu_are_read_in_the_unit_of_their_heading(unit: str, factor: float) -> None:
    [table] = tables(LATENCY.replace("(us)", f"({unit})"))
    assert numbers(table)[8, "mean"] == pytest.approx(1.51 * factor)


def test_rates_of_osu_are_read_in_the_unit_of_their_heading() -> None:
    [table] = tables("# OSU MPI Bandwidth Test v7.4\n# Size  Bandwidth (GiB/s)\n8  0.5\n")
    assert numbers(table) == {(8, "bandwidth"): 0.5 * 2**30}


def test_percents_and_wide_blanks_are_read() -> None:
    """As spreadsheets and column -t write the lines of OSU."""
    heading = "# OSU MPI Non-blocking Bcast Latency Test v7.4\n# Size  Overall(us)  Pure Comm.(us)"
    plain = f"{heading}  Overlap(%)\n4  20.50  9.75  75.25\n"
    wide = "\n".join("  ".join(line.split()) for line in plain.splitlines())
    for text in (plain.replace("75.25", "75.25%"), f"{wide}\n"):
        [table] = tables(text)
        assert numbers(table) == numbers(tables(plain)[0])
        assert table.operation == tables(plain)[0].operation


@pytest.mark.parametrize("between", ["warm-up done\n", "\n", "# Datatype: MPI_CHAR.\n\n"])
def test_text_between_a_heading_and_its_rows_hides_none(between: str) -> None:
    heading = LATENCY.splitlines()[1]
    [table] = tables(LATENCY.replace(heading, f"{heading}\n{between}"))
    assert numbers(table) == numbers(tables(LATENCY)[0])


@pytest.mark.parametrize(
    "above", ["# threads  GB/s\n", "\n# my loop: seconds load\n", "$ mpirun -n 2 ./stream\n"]
)
def test_rows_of_another_program_are_not_those_of_one_that_crashed(above: str) -> None:
    title, heading = LATENCY.splitlines()[:2]
    crashed = f"{title}\n{heading}\nprocess rank 0 exited on signal 11\n{above}1 10.5\n2 20.5\n"
    with pytest.raises(HockneyError, match="line 2: a heading without rows"):
        tables(crashed)
    empty, table = tables(crashed + LATENCY)
    assert empty.rows == []
    assert numbers(table) == numbers(tables(LATENCY)[0])


@pytest.mark.parametrize("text", [LATENCY, PERFTEST, NCCL])
def test_tables_side_by_side_are_not_read_as_one(text: str) -> None:
    """paste a.log b.log: the second one's times had been taken for the first one's."""
    others = text.replace("1.51", "9.51").splitlines()
    pairs = zip(text.splitlines(), others, strict=True)
    with pytest.raises(HockneyError, match="twice: tables side by side are not read"):
        tables("".join(f"{ours:140}\t{theirs}\n" for ours, theirs in pairs))


def test_a_table_of_nccl_in_tabs_is_read() -> None:
    [table] = tables(re.sub(" {2,}", "\t", NCCL))
    assert numbers(table) == numbers(tables(NCCL)[0])


def test_a_heading_of_nccl_without_rows_is_said() -> None:
    with pytest.raises(HockneyError, match="line 2: a heading without rows"):
        tables("".join(NCCL.splitlines(keepends=True)[:3]) + "\n\n")


def test_a_cut_row_of_perftest_is_not_read_below_its_table() -> None:
    row = PERFTEST.splitlines()[-1].replace("65536 ", "131072")
    [table] = tables(f"{PERFTEST}{row[:-3]}")
    assert {row.bytes for row in table.rows} == {65536}
    assert table.cut is not None


def test_a_heading_of_osu_that_was_cut_is_said() -> None:
    with pytest.raises(HockneyError, match="line 1: no table of known columns is below MPI Lat"):
        tables("# OSU MPI Latency Test v5.9\n# Size          Laten")

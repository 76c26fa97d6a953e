"""Logs with additions of launchers, pages and debug output: the numbers stay the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import log, numbers, runs, tables

import excerpts as logs
import excerpts_of_networks as networks
from conftest import RunHockney, kept_short
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.table import LogTable

ROWS = {(8, "mean"): 1.75e-6, (1024, "mean"): 2.25e-6}


IN_LINES = {
    name: of
    for name, of in logs.EXCERPTS.items()
    if not of[1].startswith(("{", "[1,0]", "<")) and of[1].count("\n") > 1
}
"""Those that are read line by line, and have more than a line and no prefix yet."""
SHORT = ["0: ", "[0] ", "node03: "]
LONG = ["12: ", "[1,0]<stdout>:", "  0: ", "[rank0]: ", "nid000012 0: "]
LONG += ["node03.cluster.org: ", "[node03] ", "node-3  | "]


@pytest.mark.parametrize("prefix", kept_short(SHORT + LONG, SHORT))
@pytest.mark.parametrize("name", IN_LINES)
def test_labels_of_launchers_change_no_number(name: str, prefix: str) -> None:
    format, text = IN_LINES[name]
    labelled = "".join(f"{prefix}{line}".rstrip() + "\n" for line in text.splitlines())
    assert reading.recognise(log(labelled)) == format
    assert list(map(numbers, tables(labelled))) == list(map(numbers, tables(text)))


@pytest.mark.parametrize(
    "prefix",
    [
        "Tue Mar 12 14:07:31 2024[1,0]<stdout>:",
        "Tue Mar  2 14:07:31 2024[1,0]<stdout>: ",
        "Tue Mar 12 14:07:31 CET 2024[prterun-n1-7@1,0]<stdout>: ",
        "Tue Mar 12 14:07:31 2024<stdout>: ",
        "<stdout>: ",
    ],
)
def test_time_stamps_of_open_mpi_are_taken_off(prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in logs.OSU_5.splitlines())
    noisy = text + "Tue Mar 12 14:07:33 2024[1,1]<stderr>:[n2][[1,0],1] 3 processes\n"
    for each in (text, noisy):
        [table] = tables(each)
        assert numbers(table) == numbers(tables(logs.OSU_5)[0])


@pytest.mark.parametrize(
    "text",
    [
        "| # OSU MPI Latency Test v7.4 | |\n|---|---|\n| # Size | Avg Latency(us) |\n"
        "| 8 | 1.75 |\n| 1024 | 2.25 |\n",
        "# OSU MPI Latency Test v7.4\n\n| # Size | Avg Latency(us) | Iterations |\n|--:|:--:|---|\n"
        "| **8** | 1.75 | 10 |\n| `1024` | 2.25 | 10 |\n\nwords\n",
        "\\# OSU MPI Latency Test v7.4\n\n# Size | Latency (us)\n"
        "--- | ---\n8 | 1.75\n1024 | 2.25\n",
        "### OSU MPI Latency Test v7.4\n```\n# Size  Latency (us)\n8  1.75\n1024  2.25\n```\n",
        "\\# OSU MPI Latency Test v7.4\n\\# Datatype: MPI\\_CHAR.\n\\# Size  Latency (us)\n"
        "8  1.75\n1024  2.25\n",
    ],
    ids=["all in one", "title above", "no outer pipes", "fenced", "escaped"],
)
def test_markdown_keeps_its_numbers(text: str) -> None:
    [table] = tables(text)
    assert (table.operation, numbers(table)) == ("pingpong", ROWS)


def test_a_markdown_table_of_sizes_and_times_is_read_as_csv() -> None:
    text = "Our cluster:\n\n| size (bytes) | time (us) | note |\n|---|---|---|\n| 8 | 1.75 | |\n"
    [table] = tables(text + "| 1024 | 2.25 | a \\| b |\n\nThat is all.\n")
    assert numbers(table) == ROWS


@pytest.mark.parametrize("width", [120, 200, 6000])
def test_padding_changes_nothing(width: int) -> None:
    for name in ("osu 7 full", "osu windows", "imb 4", "nccl", "perftest latency", "netpipe 3"):
        text = logs.EXCERPTS[name][1]
        padded = "".join(f"{line:{width}}\r\n" for line in text.splitlines())
        assert [numbers(table) for table in tables(padded)] == list(map(numbers, tables(text)))
        assert [t.options for t in tables(padded)] == [t.options for t in tables(text)]


NCCL_ROWS = """\
# nThread {threads} nGpus {gpus} minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
n1:71:71 [0] NCCL INFO Using network IB
n1:71:71 [0] NCCL INFO 24 coll channels
           8             2     float     sum      -1    28.40    0.00    0.00      0    27.90    0.00    0.00      0
n1:71:71 [0] NCCL INFO Channel 00/24 : 0 1 2 3

          16             4     float     sum      -1    29.40    0.00    0.00      0    28.90    0.00    0.00      0
"""  # noqa: E501


@pytest.mark.parametrize(
    ("command", "operation", "ranks"),
    [
        ("$ mpirun -np 16 ./all_gather_perf -g 2", "all_gather", 32),
        ("$ srun -N 2 --ntasks-per-node=4 /opt/alltoall_perf -g 2", "alltoall", 16),
        ("$ mpirun -np 4 \\\n  -x NCCL_DEBUG=INFO \\\n  ./broadcast_perf -g 2", "broadcast", 8),
        ("ana@n1:~$ ./reduce_scatter_perf -g 2", "reduce_scatter", 2),
        ("+ srun ./sendrecv_perf -g 2", "sendrecv", None),
    ],
)
def test_a_command_names_the_operation_and_ranks_of_nccl(
    command: str, operation: str, ranks: int | None
) -> None:
    [table] = tables(f"{command}\n{NCCL_ROWS.format(threads=1, gpus=2)}")
    assert (table.operation, table.ranks, table.notes) == (operation, ranks, [])
    assert [row.bytes for row in table.rows if row.statistic == "mean"] == [8, 8, 16, 16]


PERFTEST = logs.PERFTEST_BANDWIDTH + "-" * 80 + "\n{between} 131072     5000   1.50  1.25  0.17\n"


@pytest.mark.parametrize("between", ["", "\n", "-----\n", "n1:47 [0] NCCL INFO a b\n-----\n"])
def test_rows_below_the_closing_line_of_perftest_are_read_and_said(between: str) -> None:
    first, last = tables(PERFTEST.format(between=between) + logs.PERFTEST_LATENCY)
    assert [row.bytes for row in first.rows if row.statistic == "bandwidth"] == [65536, 131072]
    assert any("below the line that closes the table" in note for note in first.notes)
    assert last.operation == "send-latency"


HEADING = "|    {of}     | # iterations | 99.0%ile | average | overall |  average |  overall |\n"


def of_ucx(text: str) -> LogTable:
    [table] = tables(f"$ ucx_perftest n2 -t put_lat -s 64\n{text}")
    assert table.operation == "put-lat"
    return table


def test_ucx_prints_final_rows_alone_with_f_and_fewer_columns_with_threads() -> None:
    row = "          1000    1.240   1.250   1.260    48.83    48.93    800000    810000\n"
    final_row = numbers(of_ucx(HEADING.format(of=" Test") + row))
    assert final_row[64, "p99"] == 1.24e-6
    assert final_row[64, "mean"] == 1.26e-6
    threads = "Final:    4000                         1.250                  48.83      800000\n"
    assert numbers(of_ucx(HEADING.format(of="Stage") + threads))[64, "mean"] == 1.25e-6


def test_a_test_of_ucx_without_its_last_row_is_said() -> None:
    heading = HEADING.format(of="Stage")
    progress = "[thread 0]   500   1.240   1.250   1.260    48.83    48.93    800000    810000\n"
    [table] = tables(f"$ ucx_perftest n2 -t tag_lat -s 8\n{heading}{progress}{networks.UCX}")[:1]
    notes = [note for run in runs(f"{heading}{progress}{networks.UCX}") for note in _notes(run)]
    assert table.rows
    assert any("line 2: a test without its last row" in note for note in notes)


def _notes(run: object) -> list[str]:
    return run.header.source.notes  # type: ignore[attr-defined,no-any-return]


def test_a_size_that_fabtests_rounded_is_not_guessed() -> None:
    [table, _] = tables(networks.FABTESTS.replace("1.5k ", "97.6k"))
    assert {row.bytes for row in table.rows} == {64}
    assert "line 4: the size 97.6k is rounded" in table.notes[0]


def test_round_trips_of_a_matrix_are_halved() -> None:
    text = "# round-trip time in us, message size 8 B\n# rank a b\na 0 3.0\nb 3.0 0\n"
    [table] = tables(text)
    assert [(row.peers, row.value_s) for row in table.rows] == [((0, 1), 1.5e-6)]


def test_a_line_longer_than_any_table_is_a_row_of_a_matrix() -> None:
    hosts = [f"node{n:04}" for n in range(300)]
    rows = [f"{h}:{n} to\t" + "1000.125\t" * 300 for n, h in enumerate(hosts[:2])]
    heading = "Send\t" + "".join(f"{h}:{n}\t" for n, h in enumerate(hosts))
    text = "\n".join(["START mpiGraph v1.5", "MsgSize\t8", heading, *rows, "END mpiGraph", ""])
    [table] = tables(text)
    assert len(table.rows) == 2 * 299
    assert [place.host for place in table.places] == hosts


def test_sizes_of_reframe_are_in_the_name_or_given() -> None:
    read = log_of(networks.REFRAME_3, Path("some.log"))
    with pytest.raises(Exception, match=r"line 1: this test does not show its message size"):
        reading.read(read, "reframe-perflogs")
    assert {row.bytes for t in tables(networks.REFRAME_4) for row in t.rows} == {1024}


def test_import_shows_what_keeps_its_files_apart(hockney: RunHockney, tmp_path: Path) -> None:
    table = logs.OSU_5.partition("\n")[2]
    text = f"$ srun -N1 osu_latency\n{table}\n$ srun -N2 osu_latency\n{table}"
    (tmp_path / "a.log").write_text(text)
    done = hockney("import", "a.log")
    assert done.stdout.splitlines() == [
        "a-pingpong.jsonl: OSU MPI Latency Test 5.3.2, 3 points, 1 launch "
        "(command srun -N1 osu_latency)",
        "a-pingpong-2.jsonl: OSU MPI Latency Test 5.3.2, 3 points, 1 launch "
        "(command srun -N2 osu_latency)",
    ]
    assert "command srun -N2 osu_latency" in hockney("show", "a-pingpong-2.jsonl").stdout
    both = hockney("import", "a.log", "--repeated", "launches", "--force")
    assert "3 points, 2 launches" in both.stdout


SLURM = "+ date\nMon May  2 10:11:12 CEST 2022\nslurmstepd: job 4711 starts\nLoading gcc/12\n"


@pytest.mark.parametrize(
    "prefix",
    [
        *("0: ", " 12: ", "[0] ", "node03: "),
        *("10:11:12 ", "10:11:12.345 ", "May 06 10:11:12 ", "> "),
    ],
)
@pytest.mark.parametrize("name", ["fabtests", "gpcnet", "mpibench", "mpigraph", "matrix", "mpip"])
def test_a_block_of_labelled_lines_is_read_between_others(name: str, prefix: str) -> None:
    """srun labels what a program prints, not what the script around it prints."""
    format, text = logs.EXCERPTS[name]
    block = "".join(f"{prefix}{line}\n" for line in text.splitlines())
    labelled = f"{SLURM}{block}srun: job ends\n"
    assert reading.recognise(log(labelled)) == format
    assert list(map(numbers, tables(labelled))) == list(map(numbers, tables(text)))


@pytest.mark.parametrize("name", ["osu 5", "osu bcast", "nccl", "nccl old", "imb 4"])
def test_an_indented_log_is_read(name: str) -> None:
    text = logs.EXCERPTS[name][1]
    indented = "Results:\n\n" + "".join(f"    {line}\n" for line in text.splitlines()) + "\nend\n"
    assert list(map(numbers, tables(indented))) == list(map(numbers, tables(text)))


def test_a_message_below_a_heading_of_osu_hides_no_row() -> None:
    text = logs.EXCERPTS["osu 7.2"][1]
    heading = next(line for line in text.splitlines() if line.startswith("# Size"))
    noisy = text.replace(heading, f"{heading}\n[1700000000.1] [n1:1:0] perf.c:1  UCX  WARN  slow")
    assert list(map(numbers, tables(noisy))) == list(map(numbers, tables(text)))


def test_lines_in_xml_of_open_mpi_are_read() -> None:
    lines = "".join(
        f'<stdout rank="0">{line}&#010;</stdout>\n' for line in logs.OSU_RATE.splitlines()
    )
    (plain,), (read,) = tables(logs.OSU_RATE), tables(f"<mpirun>\n{lines}</mpirun>\n")
    assert numbers(read) == numbers(plain)

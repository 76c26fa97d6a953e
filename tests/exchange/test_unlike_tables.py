"""Tables of one log that are not of the same thing are never put together."""

from __future__ import annotations

import pytest
from reading import runs, tables

import excerpts as logs
from hockney.records import Run

LATENCY = "# OSU MPI{device} Latency Test v5.6\n# Size          Latency (us)\n8  {us}\n16  {us}\n\n"
BCAST = "# OSU MPI Broadcast Latency Test v5.6\n# Size       Avg Latency(us)\n8  {us}\n\n"
MULTI = """\
# Benchmarking Multi-Bcast
# ( {groups} groups of {of} processes each running simultaneous )
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         1.00         2.00         1.50

"""
IMB = "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n"


def notes(run: Run) -> list[str]:
    assert run.header.source is not None
    return run.header.source.notes


def test_memory_of_a_device_is_another_experiment() -> None:
    text = LATENCY.format(device="", us=1.0) + LATENCY.format(device="-CUDA", us=9.0)
    host, device = runs(text)
    assert [run.header.experiment for run in (host, device)] == ["pingpong", "pingpong"]
    assert device.header.options["device"] == "CUDA"
    assert [s.value_s for s in host.summaries] == [1e-6, 1e-6]
    assert [s.value_s for s in device.summaries] == [9e-6, 9e-6]


def test_groups_of_other_sizes_are_other_experiments() -> None:
    experiments = runs(IMB + MULTI.format(groups=2, of=2) + MULTI.format(groups=1, of=4))
    assert [run.header.options["groups"] for run in experiments] == [2, 1]
    assert [len(run.launches) for run in experiments] == [1, 1]
    again = runs(IMB + MULTI.format(groups=2, of=2) + MULTI.format(groups=2, of=2))
    assert [len(run.launches) for run in again] == [2]


def test_a_number_of_processes_is_that_of_its_own_table_alone() -> None:
    text = "$ mpirun -n 16 osu_bcast\n" + BCAST.format(us=1.0) + BCAST.format(us=2.0)
    first, second = tables(text)
    assert (first.ranks, second.ranks) == (16, None)
    assert first.notes == []
    assert "the number of processes of this table is unknown" in second.notes[0]
    own = "$ mpirun -n 16 osu_bcast\n" + BCAST.format(us=1.0)
    assert [(t.ranks, t.notes) for t in tables(own + own)] == [(16, []), (16, [])]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (LATENCY.format(device="", us=1.0) + "# Size      Bandwidth (MB/s)\n8  7.0\n", "pingpong"),
        (
            logs.IMB_4.rstrip("\n")
            + "\n\n       #bytes #repetitions      t[usec]\n  8  10  7.00\n",
            "bcast",
        ),
    ],
    ids=["osu", "imb"],
)
def test_a_table_without_a_title_is_not_of_the_test_before(text: str, known: str) -> None:
    *before, last = tables(text)
    assert before[-1].operation == known
    assert last.operation == "asked", "what the user gives, or unknown"
    assert "a table without a title, after that of another test" in last.notes[0]
    assert len(last.rows) >= 1


def test_modes_of_one_title_are_titled() -> None:
    text = (
        IMB + "# Benchmarking Unidir_Put\n# #processes = 2\n#    MODE: AGGREGATE\n"
        "       #bytes #repetitions      t[usec]\n  8  10  7.00\n\n"
        "#    MODE: NON-AGGREGATE\n       #bytes #repetitions      t[usec]\n  8  10  9.00\n"
    )
    assert [(t.options["mode"], t.notes) for t in tables(text)] == [
        ("aggregate", []),
        ("non-aggregate", []),
    ]


def test_files_of_netpipe_one_after_the_other_are_launches() -> None:
    [run] = runs(logs.NP_OUT_2 * 2)
    assert len(run.launches) == 2
    assert len(run.summaries) == 2 * 9


def test_tables_of_other_datatypes_share_a_title() -> None:
    heading = "# Datatype: {type}.\n# Size       Avg Latency(us)\n8  {us}\n"
    text = "# OSU MPI Latency Test v7.5\n" + "".join(
        heading.format(type=type, us=us)
        for type, us in (("MPI_CHAR", 1.0), ("MPI_INT", 2.0), ("MPI_FLOAT", 3.0))
    )
    assert [
        (run.header.experiment, run.header.options["Datatype"], run.summaries[0].value_s)
        for run in runs(text)
    ] == [
        ("pingpong", "MPI_CHAR", 1e-6),
        ("pingpong", "MPI_INT", 2e-6),
        ("pingpong", "MPI_FLOAT", 3e-6),
    ]


def test_rows_without_a_heading_are_told() -> None:
    [table] = tables(LATENCY.format(device="", us=1.0) + "\n32  3.0\n64  4.0\n")
    assert [row.bytes for row in table.rows] == [8, 16]
    assert "line 7: a row below the end of the table, without a heading" in table.notes[0]
    assert table.dropped == [7, 8]


NETPIPE = "".join(
    f"  {n}: {size:9} bytes   1000 times -->   {8 * size / 2:.2f} Mbps in       2.00 usec\n"
    for n, size in enumerate((1, 2))
)


def test_short_runs_of_netpipe_are_launches_where_sizes_begin_anew() -> None:
    [run] = runs(NETPIPE * 2)
    assert len(run.launches) == 2


def test_another_mode_of_netpipe_begins_another_table() -> None:
    first, second = tables(f"{NETPIPE}Streaming in one direction only\n{NETPIPE}")
    assert (first.operation, second.operation) == ("pingpong", "stream")
    assert [len(table.rows) for table in (first, second)] == [4, 4]


def test_a_size_that_netpipe_repeats_is_told() -> None:
    row = "  {n}:         2 bytes   1000 times -->      {rate} Mbps in       {us} usec\n"
    text = row.format(n=0, rate="2.00", us="7.63") + row.format(n=1, rate="2.10", us="7.27")
    [table] = tables(text)
    assert any("line 2: 2 bytes again; the last row counts" in note for note in table.notes)

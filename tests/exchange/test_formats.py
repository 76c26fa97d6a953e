"""Every format is read to the last digit, and nothing else is read."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
from reading import log, name_of, numbers, runs, tables, value_of

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of

US, MB, MIB, GB = Decimal("1e-6"), Decimal(10**6), Decimal(2**20), Decimal(10**9)
UNITS = (
    Decimal(1),
    US,
    Decimal("1e-3"),
    Decimal("1e-9"),
    Decimal("0.5"),
    Decimal("0.01"),
    MB,
    MIB,
    GB,
    MB / 8,
    MIB / 8,
    GB / 8,
    Decimal("1.024e9") / 8,
)
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


@pytest.mark.parametrize(("format", "text"), logs.EXCERPTS.values(), ids=logs.EXCERPTS)
def test_a_format_is_recognised_by_itself(format: str, text: str) -> None:
    assert reading.recognise(log(text)) == format


@pytest.mark.parametrize(("format", "text"), logs.EXCERPTS.values(), ids=logs.EXCERPTS)
def test_every_number_is_a_printed_one_in_our_unit(format: str, text: str) -> None:
    """Nothing is invented: each value stands in the line that it names."""
    read = log(text)
    for table in reading.read(read, format):
        for row in table.rows:
            line = text if row.line is None else read.lines[row.line - 1]
            printed = [Decimal(digits) for digits in NUMBER.findall(line)]
            assert value_of(row) in {float(number * unit) for number in printed for unit in UNITS}
            assert row.definition


# Tables of each log: operation, ranks, number of rows read.
TABLES = {
    "osu 5": [("pingpong", 2, 3)],
    "osu 7 full": [("pingpong", 2, 6)],
    "osu bcast": [("bcast", 16, 6)],
    "osu rate": [("multi-bandwidth", 16, 4)],
    "osu windows": [("multi-bandwidth", 4, 4), ("multi-bandwidth", 4, 4)],
    "osu nonblocking": [("ibcast", None, 4)],
    "osu barrier": [("barrier", None, 1)],
    "osu init": [("init", 16, 3)],
    "osu one-sided": [("put-latency", None, 1)],
    "imb 4": [("pingpong", 2, 6), ("bcast", 4, 3)],
    "imb 2021": [("sendrecv", 2, 5), ("barrier", 2, 3), ("ibcast", 2, 4)],
    "imb multi": [("multi-pingpong", 4, 8)],
    "imb p2p": [("pingpong", 4, 3)],
    "nccl": [("all_reduce", 2, 12)],
    "perftest latency": [("send-latency", 2, 14)],
    "itmo": [("send-then-receive", 2, 9)],
    "cores": [("core-to-core", 2, 3)],
    "csv": [("asked", None, 3), ("asked", None, 1)],
    "nodecomm": [("pingpong", None, 4), ("pingpong", None, 2)],
    "benchpress": [("pingpong", 2, 6)],
    "calibration": [
        ("MPI_Send", None, 2),
        ("MPI_Recv", None, 2),
        ("MPI_Send", None, 1),
        ("MPI_Recv", None, 1),
    ],
    "smpi factors": [("smpi-os", None, 4), ("smpi-bw-factor", None, 2)],
    "mpip": [("MPI_Allreduce", 2, 3), ("MPI_Send", 2, 3)],
    "julia": [("pingpong", 2, 6), ("allreduce", 6, 3)],
}


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_of_a_log(name: str) -> None:
    shapes = [(t.operation, t.ranks, len(t.rows)) for t in tables(logs.EXCERPTS[name][1])]
    assert shapes == TABLES[name]


# What is wrong with a log, or known to be wrong with its program.
FLAGS = {
    "imb 4": "Mbytes are 2^20 bytes",
    "imb 2021": "some.log, line 6: not 7 columns: 2097152  out-of-mem.",
    "netpipe 3": "megabits are 2^20 bits",
    "nccl": "some.log, line 10: the benchmark found wrong results",
    "perftest latency": "t_stdev is truncated to microseconds",
    "perftest bandwidth": "MB are 2^20 bytes",
    "netgauge quiet": "shortest time beside the median bandwidth",
    "loggp": "GiB/s is 1.024 Gbit/s",
    "durham statistics": "may be of another rank",
    "tacc": "MB are 2^20 bytes",
    "itmo": "not of a ping-pong",
    "reframe report": "the test failed by its own references",
    "csv": "the same point again",
    "calibration": "each number is one call",
    "mpip": "1 call site without a size left out",
    "ucx": "MB are 2^20 bytes",
    "ucx old": "MB are 2^20 bytes",
    "ucx csv": "MB are 2^20 bytes",
    "mpigraph": "MB are 2^20 bytes",
}


def test_pairs_calls_and_sites_are_told_apart() -> None:
    [pairs] = tables(logs.BENCHPRESS)
    assert {row.peers: row.value_s for row in pairs.rows if row.bytes == 4} == {
        (0, 1): 4.1e-7,
        (0, 40): 1.5e-6,
    }
    sends, receives = runs(logs.CALIBRATION)
    assert [(sample.bytes, sample.ns) for sample in sends.samples] == [
        (765921, [425000.0]),
        (26, [2632.0]),
        (26, [2064.0]),
    ]
    assert [sample.round for sample in receives.samples] == [0, 0, 1]
    factors = tables(logs.SMPI_FACTORS)[1].rows
    assert [(row.bytes, row.value) for row in factors] == [(0, 0.0087), (65536, 0.1875)]
    sends = tables(logs.MPIP)[1]
    assert {row.repetitions for row in sends.rows} == {160}


SCOREP = """\
flt     type max_buf[B] visits time[s] time[%] time/visit[us]  region
         MPI        132     10    0.00     0.0          17.38  MPI_Reduce
"""


@pytest.mark.parametrize("text", [SCOREP, "Pinned CPU 0 and CPU 1:\t0.00128\t0.00129\n"])
def test_tables_without_sizes_or_units_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"known format in|names no size"):
        reading.recognise(log(text))


@pytest.mark.parametrize("name", FLAGS)
def test_known_faults_are_flagged(name: str) -> None:
    notes = [note for table in tables(logs.EXCERPTS[name][1]) for note in table.notes]
    assert any(FLAGS[name] in note for note in notes), notes


def test_nothing_is_flagged_without_reason() -> None:
    for name in set(logs.EXCERPTS) - set(FLAGS) - {"np.out 2", "np.out 3"}:
        assert [note for t in tables(logs.EXCERPTS[name][1]) for note in t.notes] == [], name


def test_what_makes_it_another_experiment_is_kept() -> None:
    assert tables(logs.OSU_7_FULL)[0].options == {
        "buffers": "DEVICE to HOST",
        "device": "CUDA",
        "Datatype": "MPI_CHAR",
    }
    assert tables(logs.OSU_ONE_SIDED)[0].options["Synchronization"] == "MPI_Win_flush"


def test_memories_are_axes() -> None:
    rows = tables(logs.OSU_7_FULL)[0].rows
    assert {(row.memory, row.peer_memory) for row in rows} == {("device", "host")}
    both = logs.OSU_7_FULL.replace("on HOST (H)", "on DEVICE (D)")
    assert {(row.memory, row.peer_memory) for row in tables(both)[0].rows} == {("device", None)}
    assert {row.memory for row in tables(logs.OSU_7_2)[0].rows} == {None}


def test_processes_are_those_of_the_tables_own_command() -> None:
    """A later table without a command does not inherit them."""
    log_tables = tables(logs.OSU_BCAST_FULL + logs.OSU_BARRIER)
    assert [table.ranks for table in log_tables] == [16, None]


def test_groups_and_lists_of_ranks_are_told_apart() -> None:
    [multi] = tables(logs.IMB_MULTI)
    assert {tuple(row.peers or ()) for row in multi.rows} == {(0, 1), (2, 3)}
    first, second = tables(logs.NODECOMM)
    assert {row.ranks for row in first.rows} == {2, 4}
    assert first.rows[0].peers == (0, 1, 16, 17)
    assert second.rows[0].peers == (0, 1, 32, 33)
    [cores] = tables(logs.CORES)
    assert [row.peers for row in cores.rows] == [(0, 1), (0, 2), (1, 2)]


def test_hosts_and_versions_are_kept_where_the_log_tells_them() -> None:
    [netpipe] = tables(logs.NETPIPE_3)
    assert [place.host for place in netpipe.places] == ["node-9", "node-10"]
    [nccl] = tables(logs.NCCL)
    assert ([place.host for place in nccl.places], nccl.version) == (
        ["node-001", "node-002"],
        "2.17.6",
    )
    assert [table.version for table in tables(logs.IMB_4)] == ["4.1", "4.1"]


@pytest.mark.parametrize(
    ("version", "definition"),
    [
        ("5.3.2", "whole loop over 2n, first rank"),
        ("7.4", "mean of round trips timed singly, over 2, first rank"),
        ("7.0", "mean of round trips over 2, first rank"),
    ],
)
def test_a_mean_is_defined_as_its_version_works_it_out(version: str, definition: str) -> None:
    [table] = tables(logs.OSU_5.replace("5.3.2", version))
    assert {row.definition for row in table.rows} == {definition}


def test_the_megabyte_of_imb_is_told_by_its_numbers_before_its_version() -> None:
    """A build of 4.1 that counts in 10^6."""
    [pingpong, _] = tables(logs.IMB_4.replace("12.46", "13.06").replace("108.26", "113.52"))
    assert numbers(pingpong)[4194304, "bandwidth"] == 113.52e6
    assert pingpong.notes == []


def test_rates_of_an_unknown_megabyte_are_left_out_and_it_is_said() -> None:
    text = logs.IMB_4.replace(" 4.1,", " 2018,").replace("12.46", "1.2").replace("108.26", "1.4")
    pingpong = tables(text)[0]
    assert {name_of(row) for row in pingpong.rows} == {"mean"}
    assert any("rates are ignored" in note for note in pingpong.notes)


def test_several_tables_with_noise_between_them() -> None:
    noise = "srun: job 12 queued\n", "\n\nwarning: 12 things\n"
    log_tables = tables(noise[0] + logs.OSU_5 + noise[1] + logs.OSU_BCAST_FULL)
    assert [table.operation for table in log_tables] == ["pingpong", "bcast"]
    assert [len(table.rows) for table in log_tables] == [3, 6]


def test_a_message_amid_a_table_is_passed_over() -> None:
    noisy = logs.OSU_5.replace("1 ", "[node:123] a message of 3 words\n1 ", 1)
    assert numbers(tables(noisy)[0]) == numbers(tables(logs.OSU_5)[0])


def test_a_title_without_its_mark_is_a_title_where_it_is_the_whole_line() -> None:
    [table] = tables("OSU MPI Latency Test v5.6.2\nSize Latency(us)\n0 0.41\n1 0.46\n")
    assert (table.operation, table.version) == ("pingpong", "5.6.2")
    assert numbers(table) == {(0, "mean"): 0.41e-6, (1, "mean"): 0.46e-6}
    with pytest.raises(UsageError, match="no table of a known format"):
        reading.recognise(log("we ran the OSU MPI Latency Test v5.6.2 twice\n8 0.1\n"))


def test_bandwidths_of_julia_that_no_network_has_are_doubted() -> None:
    title = "Running benchmark OSU Bandwidth with type Float32 on 2 MPI ranks\n\n"
    heading = "size (bytes),iterations,bandwidth (MB/s)\n"
    [table] = tables(f"{title}{heading}1024,16,1500.5\n")
    assert (table.operation, numbers(table), table.notes) == (
        "bandwidth",
        {(1024, "bandwidth"): 1500.5e6},
        [],
    )
    [table] = tables(f"{title}{heading}1024,16,4.718019182044829e8\n")
    assert "line 3: bandwidths above 10^12 bytes a second" in table.notes[0]


JULIA_FILE = logs.JULIA.split("\n\n")[1].partition("\n--")[0] + "\n"


def test_a_file_of_mpibenchmarks_is_known_by_its_name() -> None:
    """It has the table alone: under another name it could be anybody's."""
    named = log_of(JULIA_FILE, Path("julia_imb_pingping.csv"))
    assert reading.recognise(named) == "julia"
    [table] = reading.read(named, "julia")
    assert (table.operation, table.rows[0].definition) == (
        "pingping",
        "both messages, mean of a loop",
    )
    assert reading.recognise(log(JULIA_FILE)) == "csv"


def test_one_sided_times_of_mpibenchmarks_are_refused() -> None:
    """It prints microseconds below `time (seconds)`."""
    text = JULIA_FILE.replace(",throughput (MB/s)", "").replace(",0.0\n", "\n")
    with pytest.raises(UsageError, match="line 1: one-sided times are not in seconds"):
        reading.read(log_of(text, Path("julia_osu_put_latency.csv")), "julia")


def test_a_table_in_csv_beside_another_format_is_ambiguous_still() -> None:
    with pytest.raises(UsageError, match=r"could be csv \(line \d+\), osu \(line 2\)"):
        reading.recognise(log(logs.OSU_5 + "\n" + JULIA_FILE))

"""NetPIPE's and HPC Challenge's output with scaled units, older formats and missing parts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from reading import numbers, runs, tables

from hockney.base.errors import UsageError

NETPIPE_5 = """\
Start testing with 7 trials for each message size
  1:       1  B     24999 times -->    6.667 Mbps  in    1.200 usecs
  2:     128  B      1785 times -->    1.024 Gbps  in    1.000 usecs
  3:   1.024 KB      1249 times -->    8.192 Gbps  in    1.000 usecs
  4: 131.072 KB       400 times -->    1.049 Gbps  in    1.000 msecs
"""


def console(sizes: Sequence[int]) -> str:
    """NetPIPE 5's output of these sizes at 8 Gbps."""
    return "".join(
        f"{n:3}: {printed(size)} {1000:9} times -->    8.000 Gbps  in  {size / 1e3:7.3f} usecs\n"
        for n, size in enumerate(sizes, 1)
    )


def printed(size: int) -> str:
    if size < 1000:
        return f"    {size:3}  B"
    return f"{size / 1e3:7.3f} KB" if size < 10**6 else f"{size / 1e6:7.3f} MB"


def unperturbed(largest: int) -> list[int]:
    return sorted({base << k for base in (2, 3) for k in range(30) if base << k <= largest} | {1})


def perturbed(largest: int) -> list[int]:
    """The sizes of NetPIPE's default: 1, 2, 3, 4, 6, 8, 12, 13, 16, 19, 21, 24, 27, 29 ..."""
    large = [size for size in unperturbed(largest) if size >= 16]
    return [1, 2, 3, 4, 6, 8, 12, *(size + by for size in large for by in (-3, 0, 3))]


def test_netpipe_5_prints_sizes_rates_and_times_in_several_units() -> None:
    [table] = tables(NETPIPE_5)
    assert (table.version, table.cut, table.notes) == ("5", None, [])
    assert numbers(table) == {
        (1, "mean"): 1.2e-6,
        (1, "bandwidth"): 6.667e6 / 8,
        (128, "mean"): 1e-6,
        (128, "bandwidth"): 128e6,
        (1024, "mean"): 1e-6,
        (1024, "bandwidth"): 1.024e9,
        (131072, "mean"): 1e-3,
        (131072, "bandwidth"): 1.049e9 / 8,
    }


@pytest.mark.parametrize(
    ("rate", "time", "seconds", "rate_Bps"),
    [
        ("7.273 Mbps", "  1.100  secs", 1.1, 7.273e6 / 8),
        ("  8.000 Tbps", "500.000 nsecs", 5e-7, 1e12),
        ("  4.000 Kbps", "  2.000 msecs", 2e-3, 500.0),
        ("800.000  bps", " 10.000 msecs", 1e-2, 100.0),
    ],
)
def test_every_unit_of_netpipe_5_is_known(
    rate: str, time: str, seconds: float, rate_Bps: float
) -> None:
    row = f"  5: 196.608 KB         3 times -->  {rate}  in  {time}\n"
    [table] = tables(NETPIPE_5 + row)
    assert numbers(table)[196608, "mean"] == seconds
    assert numbers(table)[196608, "bandwidth"] == rate_Bps


@pytest.mark.parametrize("sizes", [unperturbed(1 << 23), perturbed(1 << 23)])
def test_rounded_sizes_are_those_of_netpipes_sequence(sizes: list[int]) -> None:
    [table] = tables(console(sizes))
    assert sorted({row.bytes for row in table.rows}) == sizes
    assert table.notes == [
        "sizes from 1 MB on are rounded; the sequence of sizes shows their bytes"
    ]
    assert table.dropped == []


def test_netpipes_sequence_may_start_at_any_size() -> None:
    sizes = [499997, 500000, 500003, 749997, 750000, 750003, 999997, 1000000, 1000003, 1499997]
    [table] = tables(console(sizes))
    assert sorted({row.bytes for row in table.rows}) == sizes


def test_powers_of_two_alone_show_rounded_sizes() -> None:
    sizes = [1 << power for power in range(24)]
    [table] = tables(console(sizes))
    assert sorted({row.bytes for row in table.rows}) == sizes


@pytest.mark.parametrize(
    "sizes",
    [
        [1, 5, 1048576],  # 5 is not of the sequence
        [1, 2, 13, 16, 19, 1048573],  # rows are missing, and sizes are perturbed
        [1, 2, 4, 1048573, 1048576],  # two rows with the same digits
        [1048576, 1572864],
        [1, 2, 4, 1050000],  # not near a size of the sequence
    ],
)
def test_rounded_sizes_that_nothing_shows_are_left_out(sizes: list[int]) -> None:
    rows = NETPIPE_5.splitlines()[1] + "\n" if sizes[0] != 1 else ""
    [table] = [t for t in tables(console(sizes) + rows) if t.line == 1]
    assert {row.bytes for row in table.rows} == {size for size in sizes if size < 10**6}
    assert len(table.dropped) == len([size for size in sizes if size > 10**6])
    assert all("MB is rounded; np.out has the exact bytes" in note for note in table.notes)


def test_a_broken_row_of_netpipe_is_not_the_end() -> None:
    broken = NETPIPE_5.replace("8.192 Gbps  in    1.000 usecs", "[node-1] a warning")
    [table] = tables(broken)
    assert (table.cut, table.dropped) == (None, [4])
    assert (131072, "mean") in numbers(table)


def test_the_last_row_of_netpipe_without_results_is_the_end() -> None:
    text = NETPIPE_5[: NETPIPE_5.index("  8.192 Gbps")] + "\nmpirun: killed\n"
    [table] = tables(text)
    assert table.cut == "the table ends in the middle of line 4, read up to there"
    assert {row.bytes for row in table.rows} == {1, 128}


NETPIPE_2 = """\
1: node-16
0: node-11
Latency: 0.000073617
Sync Time: 0.000147234
Now starting main loop
  0:         0 bytes 16384 times -->    0.00 Mbps in 0.000073612 sec
  1:         5 bytes 2264 times -->    0.52 Mbps in 0.000073610 sec
  2:         7 bytes 1358 times -->    0.73 Mbps in 0.000073608 sec
"""


def test_the_console_of_netpipe_2_is_in_seconds() -> None:
    [table] = tables(NETPIPE_2)
    assert (table.version, [place.host for place in table.places]) == ("2", ["node-16", "node-11"])
    assert numbers(table) == {
        (0, "best trial"): 7.3612e-5,
        (0, "bandwidth"): 0.0,
        (5, "best trial"): 7.361e-5,
        (5, "bandwidth"): 0.52 * 2**17,
        (7, "best trial"): 7.3608e-5,
        (7, "bandwidth"): 0.73 * 2**17,
    }


SUMMARY = """\
CommWorldProcs=4
MaxPingPongLatency_usec=2.5
RandomlyOrderedRingLatency_usec=3.25
MinPingPongBandwidth_GBytes=0.5
NaturallyOrderedRingBandwidth_GBytes=0.115607
"""
MAJOR_AND_DETAILS = """\
Latency-Bandwidth-Benchmark R1.5.1 (c) HLRS, University of Stuttgart
Major Benchmark results:
Max Ping Pong Latency:                 0.286150 msecs
Randomly Ordered Ring Latency:         0.306858 msecs
Min Ping Pong Bandwidth:             204.545544 MB/s
Naturally Ordered Ring Bandwidth:    115.607379 MB/s
Randomly  Ordered Ring Bandwidth:    110.774248 MB/s
Detailed benchmark results:
Ping Pong:
Latency   min / avg / max:   0.249651 /   0.267900 /   0.286150 msecs
Bandwidth min / avg / max"""


def test_a_cut_last_result_of_hpcc_is_dropped() -> None:
    log_tables = tables(SUMMARY.removesuffix("5607\n"))
    assert {table.experiment: len(table.rows) for table in log_tables} == {
        "hpcc-pingpong": 2,
        "hpcc-random-ring": 1,
        "hpcc-natural-ring": 0,
    }
    words = "some.log, line 5: the file ends in the middle of this line"
    assert words in log_tables[2].notes[0]
    assert log_tables[0].cut == "the table ends in the middle of line 5, read up to there"
    source = runs(SUMMARY.removesuffix("5607\n"))[0].header.source
    assert source is not None
    assert any(words in note for note in source.notes)


def test_a_cut_result_of_hpcc_is_read_where_it_is_whole() -> None:
    major = MAJOR_AND_DETAILS.partition("Detailed")[0]
    by_experiment = {table.experiment: numbers(table) for table in tables(major + SUMMARY[:-5])}
    assert by_experiment["hpcc-natural-ring"] == {(2000000, "bandwidth"): 115.607379e6}


def test_a_cut_number_of_processes_is_not_read() -> None:
    major = MAJOR_AND_DETAILS.partition("Detailed")[0]
    assert {table.parameters.get("processes") for table in tables(major + "CommWorldProcs=12")} == {
        None
    }


def test_results_missing_in_cut_details_are_read_above_them() -> None:
    by_experiment = {table.experiment: table for table in tables(MAJOR_AND_DETAILS)}
    assert {name: numbers(table) for name, table in by_experiment.items()} == {
        "hpcc-pingpong": {
            (8, "min"): 0.249651e-3,
            (8, "mean"): 0.2679e-3,
            (8, "max"): 0.28615e-3,
            (2000000, "min bandwidth"): 204.545544e6,
        },
        "hpcc-random-ring": {(8, "mean"): 0.306858e-3, (2000000, "bandwidth"): 110.774248e6},
        "hpcc-natural-ring": {(2000000, "bandwidth"): 115.607379e6},
    }
    pairs = by_experiment["hpcc-pingpong"]
    assert pairs.cut == "the table ends in the middle of line 11, read up to there"
    assert pairs.notes == [
        "some.log, line 5: read from the major results, since the details lack it"
    ]


def test_hpcc_output_that_ends_behind_its_results_is_whole() -> None:
    for end in ("", "End of Summary section.\n####\nEnd of HPC Challenge tests."):
        major = MAJOR_AND_DETAILS.partition("Detailed")[0].rstrip()
        text = SUMMARY + end if end else major
        assert {table.cut for table in tables(text)} == {None}


@pytest.mark.parametrize(
    ("processes", "reason"),
    [(1, "it needs two processes, and the run had one"), (5, "all its results are -1")],
)
def test_hpcc_without_its_latency_test_is_refused(processes: int, reason: str) -> None:
    lines = [f"CommWorldProcs={processes}"]
    lines += [line.partition("=")[0] + "=-1" for line in SUMMARY.splitlines()[1:]]
    words = f"line 2: the latency and bandwidth test was not run: {reason}"
    with pytest.raises(UsageError, match=words) as error:
        tables("\n".join([*lines, ""]))
    assert "out of range" not in str(error.value)


def test_a_run_without_the_latency_test_is_noted() -> None:
    lines = [line.partition("=")[0] + "=-1" for line in SUMMARY.splitlines()[1:]]
    text = SUMMARY + "\n".join(["CommWorldProcs=1", *lines, ""])
    run = runs(text)[0]
    assert len(run.launches) == 1
    assert run.header.source is not None
    assert any(
        "line 7: the latency and bandwidth test was not" in n for n in run.header.source.notes
    )


def test_the_buffers_that_netpipe_says_are_a_setting() -> None:
    says = "Send and receive buffers are {0} and {0} bytes\n"
    first = says.format(16384) + NETPIPE_5
    assert len(runs(first + first)) == 1
    experiments = runs(first + says.format(65536) + NETPIPE_5)
    assert [run.header.options["buffers"] for run in experiments] == [
        "16384 and 16384 bytes",
        "65536 and 65536 bytes",
    ]

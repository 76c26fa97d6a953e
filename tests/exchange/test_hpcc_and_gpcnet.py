"""HPC Challenge's and GPCNeT's results as they are left when parts are missing."""

from __future__ import annotations

import pytest
from reading import numbers, runs, tables

import excerpts_of_networks as networks
from hockney.base.errors import UsageError

MAJOR = """\
Major Benchmark results:
------------------------

Max Ping Pong Latency:                 0.001750 msecs
Randomly Ordered Ring Latency:         0.002500 msecs
Min Ping Pong Bandwidth:            8000.000000 MB/s
Naturally Ordered Ring Bandwidth:   4000.000000 MB/s
Randomly  Ordered Ring Bandwidth:   2500.000000 MB/s
"""


def test_the_major_results_are_read_where_there_are_no_others() -> None:
    by_experiment = {table.experiment: numbers(table) for table in tables(MAJOR)}
    assert by_experiment == {
        "hpcc-pingpong": {(8, "max"): 1.75e-6, (2000000, "min bandwidth"): 8e9},
        "hpcc-random-ring": {(8, "mean"): 2.5e-6, (2000000, "bandwidth"): 2.5e9},
        "hpcc-natural-ring": {(2000000, "bandwidth"): 4e9},
    }
    both = tables(networks.HPCC.replace("Detailed benchmark", MAJOR + "Detailed benchmark"))
    assert list(map(numbers, both)) == list(map(numbers, tables(networks.HPCC)))


def test_summaries_of_two_runs_are_two_launches() -> None:
    lines = [line for line in networks.HPCC_SUMMARY.splitlines() if "_" in line]
    text = "\n".join([*lines, *lines, ""])
    assert {len(run.launches) for run in runs(text)} == {2}


def test_results_of_tests_that_did_not_run_are_left_out() -> None:
    text = "CommWorldProcs=4\nMaxPingPongLatency_usec=-1\nMinPingPongLatency_usec=0.25\n"
    [table] = tables(text)
    assert numbers(table) == {(8, "min"): 0.25e-6}
    assert "line 2: -1 is out of range" in table.notes[0]


def box(name: str) -> str:
    return f"""\
Network Tests v1.3
  Test with 128 MPI ranks (32 nodes)
|                            Isolated Network Tests                            |
|                            Name |          Avg |          99% |        Units |
| {name:>31.31} |       1950.5 |       1401.0 |   MiB/s/rank |
"""


@pytest.mark.parametrize("size", [1048576, 16777216])
def test_a_name_of_gpcnet_that_is_cut_behind_its_size_is_read(size: int) -> None:
    [table] = tables(box(f"RR Two-sided BW+Sync ({size} B)"))
    assert numbers(table)[size, "bandwidth"] == 1950.5 * 2**20


def test_a_size_of_gpcnet_that_may_be_cut_is_refused() -> None:
    with pytest.raises(UsageError, match="has no whole size"):
        tables(box("RR Two-sided BW+Sync (1073741824 B)"))

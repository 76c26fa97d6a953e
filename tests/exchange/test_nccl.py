"""nccl-tests' JSON, its other columns, and tables that pages took the # from."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from reading import numbers, runs, tables

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.programs._nccl_columns import is_wrong

MIB = 1 << 20


def result(type: str, redop: str, time: float, **more: Any) -> dict[str, Any]:
    way = {"time": time, "alg_bw": 1.0, "bus_bw": 1.0, "nwrong": 0.0}
    return {"size": MIB, "type": type, "redop": redop, "root": "    -1", "in_place": way, **more}


def written(*results: dict[str, Any], **config: Any) -> str:
    config = {"nthreads": 1, "ngpus": 1, **config}
    args = ["./all_reduce_perf", "-d", "all"]
    whole = {"version": 3, "args": args, "config": config, "results": results}
    whole["average_bus_bandwidth"] = {"bandwidth": 1.0, "okay": "unchecked"}
    return json.dumps(whole, indent=1)


def without_marks(text: str) -> str:
    return re.sub(r"^#", "", text, flags=re.MULTILINE)


def test_each_type_and_reduction_in_json_is_an_experiment() -> None:
    experiments = runs(
        written(
            result("float", "sum", 100.0),
            result("half", "sum", 120.0),
            result("half", "prod", 160.0),
        )
    )
    kinds = [(run.header.options["type"], run.header.options["redop"]) for run in experiments]
    assert kinds == [("float", "sum"), ("half", "sum"), ("half", "prod")]
    times = [s.value_s for run in experiments for s in run.summaries if s.statistic == "mean"]
    assert times == [1e-4, 1.2e-4, 1.6e-4]


def test_a_size_that_comes_again_in_json_is_noted() -> None:
    first, again = result("float", "sum", 100.0), result("float", "sum", 120.0)
    [table] = tables(written(first, again))
    assert table.notes == ["some.log, result 2: 1048576 bytes again; the last one counts"]


def test_a_result_in_json_that_cannot_be_read_leaves_no_part() -> None:
    broken = result("float", "sum", 100.0)
    broken["in_place"] = {**broken["in_place"], "bus_bw": "fast"}
    [table] = tables(written(result("float", "sum", 90.0), {**broken, "size": 2 * MIB}))
    assert {row.bytes for row in table.rows} == {MIB}
    assert table.notes == ["some.log, result 2: 'fast' is not a number; it is ignored"]


def test_the_version_of_the_json_is_not_that_of_the_program() -> None:
    [table] = tables(logs.NCCL_JSON)
    assert table.version is None
    assert [place.host for place in table.places] == ["node-001", "node-002"]


@pytest.mark.parametrize(
    ("gpus", "ranks", "hosts"),
    [
        (1, [0, 1], ["a", "b"]),
        (2, [0, 2], ["a", "a", "b", "b"]),  # as written with MPI: the first rank of a process
        (2, [0, 1], ["a", "b"]),
        (10**12, [0, 1], ["a", "b"]),
    ],
)
def test_the_hosts_of_ranks_in_json(gpus: int, ranks: list[int], hosts: list[str]) -> None:
    devices = [{"rank": r, "hostname": host} for r, host in zip(ranks, "ab", strict=True)]
    [table] = tables(written(result("float", "sum", 1.0), ngpus=gpus, devices=devices))
    assert [place.host for place in table.places] == hosts
    assert table.ranks == len(hosts)


def test_a_count_of_wrong_results_in_json_is_noted_unless_it_is_zero() -> None:
    text = written(result("float", "sum", 1.0))
    assert tables(text)[0].notes == []
    [note] = tables(text.replace('"nwrong": 0.0', '"nwrong": 2.000000'))[0].notes
    assert note.endswith("1048576 bytes in-place: the benchmark found wrong results")


def test_a_large_count_of_wrong_results_is_one() -> None:
    assert [is_wrong(count) for count in ("1e+06", "12", "0.0", "N/A")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_time_of_the_cpu_is_not_that_of_the_operation() -> None:
    [table] = tables(written(result("float", "sum", 100.0)).replace('"time"', '"cpu_time"'))
    assert numbers(table)[MIB, "mean CPU time, in-place"] == 1e-4
    [table] = tables(logs.NCCL.replace("   time ", "cputime "))
    figures = numbers(table)
    assert figures[1 << 25, "mean CPU time, in-place"] == pytest.approx(1406.35e-6)
    assert not any(name.startswith("mean,") for _, name in figures)


def test_a_timestamp_behind_each_row_is_passed_over() -> None:
    lines = [
        line
        + ("  2025-09-01 10:00:01" if line.startswith(" ") else "")
        + ("           timestamp" if "size" in line else "")
        + ("   %Y-%m-%d %H:%M:%S" if "(B)" in line else "")
        for line in logs.NCCL.splitlines()
    ]
    [table] = tables("\n".join(lines) + "\n")
    assert numbers(table) == numbers(tables(logs.NCCL)[0])
    assert table.notes == tables(logs.NCCL)[0].notes


def test_a_last_row_of_nccl_without_a_newline_is_whole_if_its_cells_are() -> None:
    text = logs.NCCL.partition("# Out of")[0].removesuffix("\n")
    [table] = tables(text)
    assert (table.cut, len(table.rows)) == (None, 12)
    [table] = tables(text.removesuffix("      0"))
    assert (table.cut, len(table.rows)) == (
        "the table ends in the middle of line 10, read up to there",
        6,
    )


@pytest.mark.parametrize(
    "line",
    [
        "# Blocking Enabled: wait and barrier after each inner iteration (-m)\n",
        "# Parallel Init Enabled: threads call into NcclInitRank concurrently\n",
    ],
)
def test_options_that_nccl_tests_says_in_a_line_are_settings(line: str) -> None:
    setting = "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 agg iters: 1 validation: 1 graph: 0\n"
    first = logs.NCCL.replace("#  Rank  0", f"{setting}#  Rank  0")
    other = logs.NCCL.replace("#  Rank  0", f"{setting}{line}#  Rank  0")
    assert len(runs(first + first)) == 1
    experiments = runs(first + other)
    assert [line[2:-1] in run.header.options["setting"] for run in experiments] == [False, True]


def test_tables_of_nccl_without_their_marks_are_read() -> None:
    [usual] = tables(logs.NCCL)
    plain = without_marks(logs.NCCL)
    first, second = tables(2 * plain)
    assert numbers(first) == numbers(second) == numbers(usual)
    assert (first.operation, first.version, first.ranks) == ("all_reduce", "2.17.6", 2)
    assert [place.host for place in second.places] == ["node-001", "node-002"]


@pytest.mark.parametrize(
    "text",
    [
        "name,size,type,redop,inPlace,time,algBw,busBw,#wrong,gpus\n"
        "AllReduce,1024,float,sum,0,19.18,0.053,0.080,0,4\n",
        '{"#wrong":"0","algBw":0.05,"busBw":0.08,"gpus":4,"inPlace":0,"size":1024,"time":19.18}\n',
    ],
)
def test_the_files_of_rccl_tests_are_refused_with_what_to_import(text: str) -> None:
    with pytest.raises(UsageError, match="line 1: the files that rccl-tests writes with -x are"):
        tables(text)


IN_PLACE = """\
#                                                           in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    22.91    0.04    0.08      0
# Testing 2 cycle.
        1024           256     float     sum      -1    22.81    0.04    0.08      0
"""
BOTH = (
    "#      size  count   type  redop  root  time  algbw busbw #wrong time  algbw busbw  #wrong\n"
)
MATRIX = f"""\
#                                            out-of-place                in-place
{BOTH}\
#       (B)  (elements)                 (us)  (GB/s) (GB/s)       (us)  (GB/s)  (GB/s)
    1048576  262144  float   none    -1                          133.47   7.86    6.88      0
"""


def test_one_way_alone_is_the_way_that_it_says() -> None:
    first, second = tables(IN_PLACE)
    assert numbers(first)[1024, "mean, in-place"] == pytest.approx(22.91e-6)
    assert numbers(second)[1024, "mean, in-place"] == pytest.approx(22.81e-6)
    assert "another cycle" in second.notes[0]
    (matrix,) = tables(MATRIX)
    assert numbers(matrix)[1048576, "mean, in-place"] == pytest.approx(133.47e-6)
    assert len(matrix.rows) == 3
    assert not matrix.notes

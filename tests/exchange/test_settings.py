"""Tables under other commands, headings, variables or parameters are no launches of each other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reading import log, runs

from hockney.foreign.exchange import reading
from hockney.foreign.logs.runs import runs_of
from hockney.records import Run

TABLE = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n{rows}"
FAST = TABLE.format(rows="8     1.25\n1024  2.50\n")
AS_FAST = TABLE.format(rows="8     1.35\n1024  2.40\n")
SLOW = TABLE.format(rows="8    18.50\n1024 22.75\n")
PERFTEST = """\
                    RDMA_Write BW Test
 Number of qps   : {qps}            Transport type : IB
 Device          : {device}
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      5000             11000.50            10900.25            0.174404
---------------------------------------------------------------------------------------
"""
UCX = """\
+------------------------------------------------------------------------------------------+
| Test:         tag match latency                                                          |
| Send memory:  {memory:<74} |
| Message size: {size:<74} |
+------------------------------------------------------------------------------------------+
|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
Final:                200000      1.240     1.250     1.250       48.83      48.83      800000      800000
"""  # noqa: E501


def launches(text: str) -> list[int]:
    return [len(run.launches) for run in runs(text)]


@pytest.mark.parametrize(
    "two",
    [
        ("$ srun -N1 -n2 ./osu_latency\n", "$ srun -N2 -n2 ./osu_latency\n"),
        ("mpirun -np 2 --map-by core osu_latency\n", "mpirun -np 2 --map-by node osu_latency\n"),
        ("[ana@n1 ~]$ srun -w n1,n2 osu_latency\n", "[ana@n1 ~]$ srun -w n1,n9 osu_latency\n"),
        ("+ UCX_TLS=tcp mpiexec -n 2 ./osu_latency\n", "+ UCX_TLS=rc mpiexec -n 2 ./osu_latency\n"),
        ("$ mpirun \\\n -x UCX_TLS=tcp osu_latency\n", "$ mpirun \\\n -x UCX_TLS=rc osu_latency\n"),
        ("$ ./bench.sh eth0\n", "$ ./bench.sh ib0\n"),
        ("$ export UCX_TLS=tcp\n$ ./run.sh\n", "$ export UCX_TLS=rc\n$ ./run.sh\n"),
        ("$ module load openmpi/4.1\n", "$ module load mpich/4.2\n"),
        ("## Over Ethernet\n\n", "## Over InfiniBand\n\n"),
        ("## Node A\n\n### Latency\n\n", "## Node B\n\n### Latency\n\n"),
        ("Over Ethernet\n-------------\n", "Over InfiniBand\n---------------\n"),
        ("=== TCP ===\n", "=== verbs ===\n"),
        ("**Within a node**\n\n", "**Between nodes**\n\n"),
        ("Between two nodes:\n\n", "On one node:\n\n"),
        ("Nodes: n1,n2\n", "Nodes: n1,n9\n"),
        ("# network = tcp\n", "# network = ib\n"),
        ("`export UCX_TLS=tcp`\n\n", "`export UCX_TLS=rc`\n\n"),
    ],
    ids=lambda two: two[1].strip()[:30],
)
def test_what_differs_above_two_tables_keeps_them_apart(two: tuple[str, str]) -> None:
    """Tables stay apart even where their numbers are close."""
    above, below = two
    assert launches(f"{above}{FAST}\n{below}{AS_FAST}") == [1, 1]
    assert launches(f"{above}{FAST}\n{above}{AS_FAST}") == [2]


@pytest.mark.parametrize(
    "two",
    [
        ("$ srun -n2 osu_latency > run1.log\n", "$ srun -n2 osu_latency | tee run2.log\n"),
        ("$ srun -n2 osu_latency -i 100\n", "time srun -n 2 osu_latency -i 1000 -x 10\n"),
        ("ana@n1:~$ srun -n2 osu_latency\n", "ana@n2:~$ srun -n2 osu_latency\n"),
        ("=== run 1 of 5 ===\n", "=== run 2 of 5 ===\n"),
        ("Launch 1:\n", "Launch 2:\n"),
        ("$ srun osu_latency\n", "$ date\n"),
        ("real 0m2.453s\n", "real 0m2.511s\n"),
        ("--- 10:01:07 start ---\n", "--- 10:02:31 start ---\n"),
        ("", "some words of the scheduler\n"),
    ],
    ids=lambda two: two[1].strip()[:30],
)
def test_what_launches_differ_in_keeps_nothing_apart(two: tuple[str, str]) -> None:
    assert launches(f"{two[0]}{FAST}\n{two[1]}{AS_FAST}") == [2]


def test_the_option_that_differs_is_kept_and_shown() -> None:
    experiments = runs(f"$ srun -N1 -n2 osu_latency\n{FAST}\n$ srun -N2 -n2 osu_latency\n{FAST}")
    assert [run.header.options for run in experiments] == [
        {"command": "srun -N1 osu_latency"},
        {"command": "srun -N2 osu_latency"},
    ]


def test_more_processes_under_another_command_are_other_points() -> None:
    bcast = "# OSU MPI Broadcast Latency Test v5.6\n# Size       Avg Latency(us)\n8  1.0\n\n"
    text = f"$ srun -N1 -n48 osu_bcast\n{bcast}$ srun -N2 -n96 osu_bcast\n{bcast}"
    [run] = runs(text)
    assert {row.ranks for row in run.summaries} == {48, 96}
    assert len(run.launches) == 1


def test_sizes_of_another_command_are_no_part_of_the_curve() -> None:
    other = TABLE.format(rows="2048     4.35\n4096  7.40\n")
    text = f"$ srun -N1 osu_latency -m 0:1024\n{FAST}\n$ srun -N{{nodes}} osu_latency\n{other}"
    assert launches(text.format(nodes=2)) == [1, 1]
    [run] = runs(text.format(nodes=1))
    assert len(run.summaries) == 4


def test_a_loop_whose_command_stands_above_the_first_table_is_one_setting() -> None:
    assert launches(f"$ srun -N2 osu_latency\n{FAST}\n{AS_FAST}\n{FAST}") == [3]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PERFTEST.format(qps=1, device="mlx5_0"), PERFTEST.format(qps=4, device="mlx5_0")),
        (PERFTEST.format(qps=1, device="mlx5_0"), PERFTEST.format(qps=1, device="mlx5_1")),
        (UCX.format(memory="host", size=8), UCX.format(memory="cuda", size=8)),
    ],
    ids=["queue pairs", "device", "memory"],
)
def test_parameters_of_a_table_keep_it_apart(one: str, other: str) -> None:
    assert launches(one + other) == [1, 1]
    assert launches(one + one) == [2]


def test_sizes_that_are_commands_of_their_own_are_one_curve() -> None:
    line = "$ ucx_perftest n2 -t tag_lat -s {size}\n"
    texts = (line.format(size=n) + UCX.format(memory="host", size=n) for n in (8, 64, 512))
    [run] = runs("".join(texts))
    assert [row.bytes for row in run.summaries if row.statistic == "mean"] == [8, 64, 512]
    assert len(run.launches) == 1


def notes(run: Run) -> str:
    assert run.header.source is not None
    return " ".join(run.header.source.notes)


def test_numbers_that_differ_by_more_than_launches_do_are_kept_apart_and_said() -> None:
    experiments = runs(f"{FAST}\n{SLOW}\n{AS_FAST}\n{SLOW}")
    assert [len(run.launches) for run in experiments] == [2, 2]
    assert [run.header.options.get("table") for run in experiments] == [None, 2]
    assert "line 7: this table differs from that of line 2 by more than launches" in notes(
        experiments[1]
    )


def test_a_quarter_of_sizes_that_are_twice_as_slow_is_enough() -> None:
    sizes = [1 << power for power in range(12)]
    table = [
        TABLE.format(rows="".join(f"{n} {1 + n * slope}\n" for n in sizes))
        for slope in (0.001, 0.01)
    ]
    assert launches("\n".join(table)) == [1, 1]


def test_the_user_can_say_that_they_are_launches() -> None:
    read = replace(
        log(f"$ srun -N1 osu_latency\n{FAST}\n$ srun -N2 osu_latency\n{SLOW}"), repeated="launches"
    )
    [run] = runs_of([(read, table) for table in reading.read(read, "osu")], "osu")
    assert len(run.launches) == 2


def test_tables_of_joined_logs_are_launches_whatever_their_numbers() -> None:
    logs = [log(text) for text in (FAST, SLOW)]
    pairs = [(read, table) for read in logs for table in reading.read(read, "osu")]
    [run] = runs_of(pairs, "osu")
    assert len(run.launches) == 2

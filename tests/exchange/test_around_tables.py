"""What stands around and within tables of real logs: commands, messages, two sides, labels."""

from __future__ import annotations

import pytest
from reading import numbers, runs, tables

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.show.experiments import imported

ALLREDUCE = (
    "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4  {us}\n8  {us}\n"
)
NCCL = """\
#                                        out-of-place              in-place
#  size  count  type   redop    root  time  algbw  busbw #wrong  time  algbw  busbw #wrong
#   (B)  (elements)                   (us)  (GB/s) (GB/s)        (us)  (GB/s) (GB/s)
"""
NCCL_ROW = "{size}  {count}  {type}  {redop}  -1  {us}  1.00  2.00  0  {us}  1.00  2.00  0\n"
UCX = """\
+--------------+-----------------------------+---------------------+-----------------------+
|              |       latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |
+--------------+---------+---------+---------+----------+----------+-----------+-----------+
| # iterations | typical | average | overall |  average |  overall |   average |   overall |
+--------------+---------+---------+---------+----------+----------+-----------+-----------+
        586527     0.845     0.852     0.852       4.47       4.47      586527      586527
       1000000     0.844     0.848     0.851       4.50       4.48      589339      587686
"""
SEND_BW = """\
                    Send BW Test
 #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]
 65536      1000             11567.25            11557.00             0.184912
---------------------------------------------------------------------------------------
 65536      1000             0.00                11650.00             0.186401
---------------------------------------------------------------------------------------
"""
IMB_MT = """\
#    Intel(R) MPI Benchmarks 2021.3, MT part
# Benchmarking PingPongMT
# #processes = 2 (threads: {threads})
        #bytes  #repetitions   t_max[usec]   t_avg[usec]    Mbytes/sec
         65536           100         20.00         19.80       3276.80

"""


@pytest.mark.parametrize(
    "command",
    [
        "+ srun -n {ranks} ./osu_allreduce\n",
        "$ mpirun -np {ranks} ./osu_allreduce\n",
        "mpiexec -n {ranks} ./osu_allreduce\n",
        "module load mpich; MPIR_CVAR_X={ranks} ; mpiexec -n {ranks} ./osu_allreduce\n",
    ],
)
def test_a_command_below_a_table_is_that_of_the_next(command: str) -> None:
    text = "".join(command.format(ranks=n) + ALLREDUCE.format(us=n) for n in (64, 128))
    assert [(table.ranks, numbers(table)) for table in tables(text)] == [
        (n, {(4, "mean"): pytest.approx(n * 1e-6), (8, "mean"): pytest.approx(n * 1e-6)})
        for n in (64, 128)
    ]


def test_variables_of_a_chained_command_keep_tables_apart() -> None:
    command = "module load mpich; MPIR_CVAR_X={x} ; mpiexec -n 2 ./osu_allreduce\n"
    text = "".join(command.format(x=x) + ALLREDUCE.format(us=2.0) for x in (0, 1))
    assert [len(run.launches) for run in runs(text)] == [1, 1]


def test_a_command_ends_a_table_of_nccl() -> None:
    row = NCCL_ROW.format(size=4, count=1, type="float", redop="sum", us=9.0)
    text = "".join(
        f"$ mpirun -np 2 ./{name}_perf\n{NCCL}{row}" for name in ("all_reduce", "sendrecv")
    )
    assert [table.operation for table in tables(text)] == ["all_reduce", "sendrecv"]


@pytest.mark.parametrize(
    ("name", "kinds"), [("type", ("int8", "float")), ("redop", ("sum", "max"))]
)
def test_types_and_reductions_below_one_heading_stay_apart(
    name: str, kinds: tuple[str, str]
) -> None:
    usual = {"type": "float", "redop": "sum", "count": 1}
    rows = [
        NCCL_ROW.format(**usual | {name: kind}, size=size, us=us)
        for kind, us in zip(kinds, (1.0, 9.0), strict=True)
        for size in (4, 8)
    ]
    experiments = runs(
        "./all_reduce_perf -g 2\n" + NCCL + "".join(rows) + "# Avg bus bandwidth : 2\n"
    )
    assert [run.header.options[name] for run in experiments] == list(kinds)
    assert [len(run.launches) for run in experiments] == [1, 1]
    assert {s.value_s for s in experiments[1].summaries if s.statistic == "mean"} == {9e-6}


def test_a_row_that_a_message_splits_does_not_cost_the_others() -> None:
    rows = [
        NCCL_ROW.format(size=size, count=1, type="float", redop="sum", us=9.0)
        for size in (4, 8, 16)
    ]
    head, tail = rows[0].split("-1", 1)
    [table] = tables(
        NCCL + f"{head}-1host:15:16 [0] NCCL INFO Connected\n{tail}" + "".join(rows[1:])
    )
    assert {row.bytes for row in table.rows} == {8, 16}
    assert not [note for note in table.notes if "wrong results" in note]


def test_which_way_comes_first_is_read_from_above_the_heading() -> None:
    first, *rest = NCCL.splitlines(keepends=True)
    swapped = first.replace("out-of-place", "IN").replace("in-place", "out-of-place")
    row = "4  1  float  sum  -1  1.00  1.00  2.00  0  9.00  1.00  2.00  0\n"
    [usual], [other] = (
        tables(NCCL + row),
        tables(swapped.replace("IN", "in-place") + "".join(rest) + row),
    )
    assert numbers(usual)[4, "mean, in-place"] == pytest.approx(9e-6)
    assert numbers(other)[4, "mean, in-place"] == pytest.approx(1e-6)


def test_a_command_that_goes_on_below_names_the_test_of_ucx() -> None:
    [table] = tables(
        "$ mpirun ucx_perftest -d mlx5_1:1 \\\n       -x rc_mlx5 -t put_lat -s 8\n" + UCX
    )
    assert table.operation == "put-lat"
    assert numbers(table)[8, "median"] == pytest.approx(0.844e-6)


def test_a_heading_of_latencies_makes_no_overheads() -> None:
    [table] = tables(UCX)
    assert numbers(table)[8, "median"] == pytest.approx(0.844e-6)
    assert not [note for note in table.notes if "below the end of the table" in note]


def test_a_test_of_ucx_without_a_result_says_why() -> None:
    progress = "[thread 5]    2582   0.089  387.483  387.483   161.30   161.30   2581   2581\n"
    with pytest.raises(UsageError, match="a test without its last row"):
        tables("".join(UCX.splitlines(keepends=True)[:5]) + progress)


def test_both_sides_of_one_test_stay_apart() -> None:
    sender, receiver = runs(SEND_BW)
    mebibyte = 2**20
    rates = [
        {s.statistic: s.value_Bps for s in run.summaries if s.value_Bps is not None}
        for run in (sender, receiver)
    ]
    assert rates[0]["bandwidth"] == 11557.0 * mebibyte
    assert rates[1]["bandwidth"] == 11650.0 * mebibyte


def test_numbers_of_threads_are_settings() -> None:
    experiments = runs(IMB_MT.format(threads=4) + IMB_MT.format(threads=8))
    assert [run.header.options["threads"] for run in experiments] == [4, 8]


@pytest.mark.parametrize(
    ("title", "operation"),
    [
        ("MPI Non-blocking All-to-All", "ialltoall"),
        ("MPI Non-blocking All-to-Allw Personalized Exchange", "ialltoallw"),
        ("MPI Neighborhood Non-blocking Allgather", "ineighbor-allgather"),
        ("NCCL-CUDA Allreduce", "allreduce"),
    ],
)
def test_titles_name_the_call(title: str, operation: str) -> None:
    [table] = tables(f"# OSU {title} Latency Test v7.4\n# Size       Avg Latency(us)\n4  2.00\n")
    assert table.operation == operation
    assert table.options.get("library") == ("NCCL" if "NCCL" in title else None)


def test_rows_with_more_columns_than_their_heading_say_what_to_do() -> None:
    head = "# OSU MPI Reduce Latency Test v7.3\n# Size       Avg Latency(us)\n"
    with pytest.raises(UsageError, match="name all of them there"):
        tables(head + "4   50.00   18.00   89.00   1000\n8   51.00   18.00   89.00   1000\n")


@pytest.mark.parametrize("label", ["[rank 1] ", "[rank0]: ", "[node-0] ", "> > ", ">> "])
def test_labels_before_all_lines_are_removed(label: str) -> None:
    text = ALLREDUCE.format(us=2.5).replace("\n4", "\n2  2.50\n4")
    [table] = tables("".join(f"{label}{line}\n" for line in text.splitlines()))
    assert {row.bytes for row in table.rows} == {2, 4, 8}


def test_tables_of_other_nodes_are_launches_that_say_so() -> None:
    head = "Point-to-point pairwise experiments for nodes a-1 {other}\n"
    [run] = runs("".join(head.format(other=n) + ALLREDUCE.format(us=2.0) for n in ("a-2", "a-3")))
    assert len(run.launches) == 2
    assert run.header.source is not None
    assert any("2 sets of nodes" in note for note in run.header.source.notes)


def test_a_median_of_two_has_no_digits_of_doubles() -> None:
    [run] = runs("".join(ALLREDUCE.format(us=us) for us in ("4.60", "5.20")))
    shown = "\n".join(imported.parts(Analysis(run), all_states=False))
    assert "4.9\n" in shown
    assert "4.9000000" not in shown


def test_a_sentence_that_ends_in_a_number_is_no_row() -> None:
    head = "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
    row = "64      10      =10      1.2k        0.00s      1.77      36.25       0.03\n"
    [table] = tables(f"{head}{row}\nThe next section of this page is about version 4\n")
    assert {row.bytes for row in table.rows} == {64}
    assert table.notes == []

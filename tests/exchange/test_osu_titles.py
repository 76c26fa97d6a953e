"""What OSU's titles leave open, and the lines near them say."""

from __future__ import annotations

import pytest
from reading import runs, tables

ONE_SIDED = """\
# OSU MPI_Put-CUDA Latency Test v7.4
# Window creation: MPI_Win_allocate
# Synchronization: MPI_Win_flush
# Rank 0 Memory on {} and Rank 1 Memory on HOST (H)
# Size          Latency (us)
1                       1.25
8                       1.50
"""
BANDWIDTH = """\
+ mpirun -np {ranks} ./{program}
# OSU MPI{device} Bandwidth Test v7.4
# Size      Bandwidth (MB/s)
1                       0.85
8                       6.80
"""
TABLE = "# OSU {} Test v7.4\n# Size  Latency (us)\n8   1.25\n"


def test_memories_of_one_sided_tests_are_no_launches_of_one_run() -> None:
    text = ONE_SIDED.format("DEVICE (D)") + ONE_SIDED.format("HOST (H)")
    device, host = runs(text)
    assert [run.header.experiment for run in (device, host)] == ["put-latency", "put-latency"]
    assert {(s.memory, s.peer_memory) for s in device.summaries} == {("device", "host")}
    assert {(s.memory, s.peer_memory) for s in host.summaries} == {("host", None)}


def test_a_fan_of_many_ranks_is_no_bandwidth_of_two() -> None:
    starts = [(8, "osu_bw_fan_in", "-CUDA"), (8, "osu_bw_fan_out", ""), (2, "osu_bw", "")]
    text = "".join(
        BANDWIDTH.format(ranks=ranks, program=program, device=device)
        for ranks, program, device in starts
    )
    assert [(table.operation, table.ranks) for table in tables(text)] == [
        ("bandwidth-fan-in", 8),
        ("bandwidth-fan-out", 8),
        ("bandwidth", 2),
    ]


@pytest.mark.parametrize(
    ("title", "operation", "ranks", "definition"),
    [
        ("MPI Latency Persistent", "latency-persistent", 2, "first rank"),
        ("MPI Bi-Directional Bandwidth Persistent", "bibandwidth-persistent", 2, "first rank"),
        ("OpenSHMEM Put", "openshmem-put", None, "origin rank"),
        ("UPC MEMGET", "upc-memget", None, "origin rank"),
        ("UPC++ Async Copy (Put)", "upc++-async-copy-(put)", None, "origin rank"),
        ("OpenSHMEM Reduce Latency", "openshmem-reduce", None, "each rank's mean"),
    ],
)
def test_a_mean_is_defined_by_what_the_title_names(
    title: str, operation: str, ranks: int | None, definition: str
) -> None:
    (table,) = tables(TABLE.format(title))
    assert (table.operation, table.ranks) == (operation, ranks)
    assert table.rows[0].definition.endswith(definition)


def test_each_start_of_init_shows_its_own_ranks() -> None:
    start = "# OSU MPI Init Test v7.4\nnprocs: {}, min: 120 ms, max: 130 ms, avg: 125 ms\n"
    read = tables(start.format(4) + start.format(8))
    assert [(table.ranks, table.notes) for table in read] == [(4, []), (8, [])]


def test_the_size_of_a_derived_datatype_is_what_it_sends() -> None:
    text = TABLE.format("MPI Latency") + (
        "# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)  Transmit Size\n"
        "8   1.25   4\n16   1.50   8\n"
    )
    _, vector = runs(text)
    assert [summary.bytes for summary in vector.summaries] == [4, 8]
    assert vector.header.source is not None
    assert "bytes that its derived datatype sends" in vector.header.source.notes[0]


def test_managed_memory_that_begins_elsewhere_is_another_setting() -> None:
    title = "# OSU MPI-CUDA Latency Test v7.4\n"
    buffers = "# Send Buffer on MANAGED ({0}) and Receive Buffer on MANAGED ({0})\n"
    text = "".join(
        f"{title}{buffers.format(place)}# Size Avg Latency(us)\n8 1.25\n" for place in ("MD", "MH")
    )
    device, host = runs(text)
    assert device.header.options["buffers"] == "MANAGED (MD) to MANAGED (MD)"
    assert {(s.memory, s.peer_memory) for s in host.summaries} == {("managed", None)}

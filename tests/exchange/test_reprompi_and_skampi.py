"""ReproMPI's calls and summaries, and SKaMPI's blocks."""

from __future__ import annotations

import pytest
from reading import numbers, runs, tables

import excerpts_of_networks as networks
from hockney.base.errors import UsageError

CALLS, SUMMARY = networks.REPROMPI, networks.REPROMPI_SUMMARY


def test_calls_of_reprompi_are_samples_of_bytes_not_of_counts() -> None:
    [run] = runs(CALLS)
    assert run.header.experiment == "bcast"
    assert len(run.launches) == 1
    assert [(s.bytes, s.ranks, list(s.ns)) for s in run.samples] == [
        (8, 4, [1250.0]),
        (1024, 4, [2500.0]),
        (8, 4, [1125.0]),
    ]


def test_summaries_of_reprompi_keep_their_names_and_valid_repetitions() -> None:
    [table] = tables(SUMMARY)
    assert numbers(table) == {
        (8, "mean"): pytest.approx(2.5e-6),
        (8, "median"): pytest.approx(2.375e-6),
        (1024, "mean"): pytest.approx(4.5e-6),
        (1024, "median"): pytest.approx(4.375e-6),
    }
    assert {(row.repetitions, row.ranks) for row in table.rows} == {(9, 8), (10, 8)}


def test_a_second_start_is_no_more_samples_of_the_first() -> None:
    assert [len(list(run.samples)) for run in runs(CALLS + CALLS)] == [3, 3]
    again = SUMMARY.replace("nprocs=8", "nprocs=8\n#@sync=clock")
    first = SUMMARY.replace("nprocs=8", "nprocs=8\n#@sync=barrier")
    assert [run.header.options for run in runs(first + again)] == [
        {"sync": "barrier"},
        {"sync": "clock"},
    ]
    assert [len(run.launches) for run in runs(first + first)] == [2]


def test_calls_that_missed_their_window_are_left_out_and_counted() -> None:
    rows = (("MPI_Scan", 0, 8, 0, "0.0000010000"), ("MPI_Scan", 1, 8, 1, "0.0090000000"))
    lines = "".join("  ".join(map(str, row)) + "\n" for row in rows)
    log_tables = tables("#@datatype_size_bytes=1\ntest nrep count errorcode runtime_sec\n" + lines)
    assert [row.value_s for table in log_tables for row in table.rows] == [1e-6]
    assert "left out: 1 call that missed the window (errorcode)" in log_tables[0].notes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CALLS.replace("#@datatype_size_bytes=4\n", ""), "no line #@datatype_size_bytes=N above"),
        ("process test nrep count loc_tstart_sec loc_tend_sec\n0 MPI_Scan 0 8 1.5 1.6\n", "(-v)"),
        (CALLS.replace("runtime_sec", "rounds"), "line 4: a heading without runtime_sec"),
        (SUMMARY.replace("valid_nrep", "lost_nrep"), "line 2: a heading without valid_nrep"),
        (SUMMARY.replace("mean_sec median_sec", "x_sec y_sec"), "a heading without statistics"),
    ],
)
def test_what_reprompi_does_not_show_is_refused_with_the_remedy(text: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        tables(text)
    assert words in str(refused.value)


def test_a_long_setting_of_reprompi_is_kept_in_part() -> None:
    words = "x" * 300
    [table, *_] = tables(CALLS.replace("#@sync=MPI_Barrier", f"#@sync= {words}   "))
    assert table.parameters == {"sync": words[:200]}


def test_damaged_lines_of_reprompi_are_said() -> None:
    broken = CALLS.replace("1            2   0.0000011250", "1            2   0.00x")
    assert any("line 6" in note for table in tables(broken) for note in table.notes)
    cut = tables(CALLS[:-5])
    assert any(table.cut and "line 7" in table.cut for table in cut)


SKAMPI = networks.SKAMPI + networks.SKAMPI_PINGPONG


def test_blocks_of_skampi_are_experiments_in_microseconds() -> None:
    bcast, _ = tables(SKAMPI)
    assert (bcast.operation, bcast.version) == ("bcast", "5.0.4")
    means = {(r.bytes, r.ranks): r.value_s for r in bcast.rows if r.statistic == "mean"}
    assert means == {
        (8, 2): pytest.approx(6.6e-6),
        (8, 4): pytest.approx(7.4e-6),
        (1024, 2): pytest.approx(8.5e-6),
    }
    assert {row.repetitions for row in bcast.rows} == {54, 8}


def test_ping_pongs_of_skampi_are_round_trips_and_halved() -> None:
    pingpong = tables(SKAMPI)[1]
    assert pingpong.operation == "pingpong"
    assert numbers(pingpong)[8, "mean"] == pytest.approx(1.5e-6)
    assert any("half of them is read" in note for note in pingpong.notes)
    both = tables(SKAMPI.replace("Pingpong_Send_Recv", "Pingpong_Sendrecv"))[1]
    assert both.operation == "exchange"
    assert numbers(both)[8, "mean"] == pytest.approx(3e-6)


def test_a_ping_pong_of_skampi_that_is_not_divided_is_not_read() -> None:
    ping_pong = tables(SKAMPI.replace("Pingpong_Send_Recv", "Pingpong_Send_Iprobe_Recv"))[1]
    assert ping_pong.rows == []
    assert "of all iterations" in ping_pong.notes[1]


def test_loops_over_other_things_are_experiments() -> None:
    """Iterations of a ping-pong: as SKaMPI's manual has it."""
    rows = "".join(
        f"   iterations= {n}        4       {6 - n}.0       0.0       80\n" for n in (1, 2)
    )
    experiments = runs(f'   begin result "Pingpong_Send_Recv"\n{rows}   end result\n')
    assert [run.header.options["iterations"] for run in experiments] == ["1", "2"]


def test_blocks_of_several_measurements_are_no_launches_of_one() -> None:
    other = SKAMPI.replace("nodes-length", "nodes-short").replace("Recv-length", "Recv-short")
    assert [len(run.launches) for run in runs(SKAMPI + other)] == [1, 1, 1, 1]
    assert [len(run.launches) for run in runs(SKAMPI + SKAMPI)] == [2, 2]


@pytest.mark.parametrize("above", ["", "iterations= 1  4  5.0  0.0  80\n"])
def test_a_line_of_skampi_that_is_no_row_makes_no_table(above: str) -> None:
    rows = f"{above}1{'a' * 70}b=4 nodes= 3 x\niterations= 2  4  5.0  0.0  80\n"
    log_tables = tables(f'begin result "Pingpong_Send_Recv"\n{rows}end result\n')
    assert [table.options["iterations"] for table in log_tables] == (["1", "2"] if above else ["2"])
    assert log_tables[0].dropped == [3 if above else 2]


def test_damaged_rows_of_skampi_are_said() -> None:
    broken = SKAMPI.replace("8.5       0.1        8", "8.5       x        8")
    assert any("line 6: not a size" in note for note in tables(broken)[0].notes)
    cut = SKAMPI[: SKAMPI.index("       80       5.0")]
    assert tables(cut)[1].cut == "the table ends in the middle of line 10, read up to there"
    [barrier] = tables('begin result "MPI_Barrier-nodes"\nnodes= 4    6.6   0.1   54\n# end\n')
    assert [(row.bytes, row.ranks) for row in barrier.rows] == [(0, 4)] * 2


def test_columns_of_reprompi_have_any_order() -> None:
    head = "#@datatype_size_bytes=4\ntest count nrep runtime_sec\n"
    [run] = runs(head + "MPI_Bcast 2 0 0.0000012500\nMPI_Bcast 2 1 0.0000011250\n")
    assert [(s.bytes, list(s.ns)) for s in run.samples] == [(8, [1250.0]), (8, [1125.0])]

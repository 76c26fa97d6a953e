"""The content of one result file: an experiment, with the tables of the same curve as its
launches."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import log, runs, tables

import excerpts as logs
from hockney import records
from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.runs import runs_of, store
from hockney.foreign.programs import netpipe
from hockney.infer.estimate import estimate


def test_different_experiments_are_different_runs() -> None:
    assert [run.header.experiment for run in runs(logs.IMB_2021)] == [
        "sendrecv",
        "barrier",
        "ibcast",
    ]


def test_a_table_that_comes_again_is_another_launch() -> None:
    again = logs.OSU_5.replace("1.14", "1.18")
    [run] = runs(logs.OSU_5 + again)
    assert [launch.launch for launch in run.launches] == [0, 1]
    point = next(point for point in estimate(run).headline if point.bytes == 1)
    assert point.medians_s == (1.14e-6, 1.18e-6)


def test_more_processes_are_other_points_of_the_same_launch() -> None:
    bcast = logs.IMB_4[logs.IMB_4.index("# Benchmarking Bcast") :]
    [run] = runs(bcast + bcast.replace("= 4", "= 8"))
    assert len(run.launches) == 1
    assert {summary.ranks for summary in run.summaries} == {4, 8}


def test_other_windows_are_another_experiment() -> None:
    other = logs.OSU_RATE.replace("window size: 64", "window size: 32")
    assert [run.header.options["window"] for run in runs(logs.OSU_RATE + other)] == ["64", "32"]


def test_bandwidths_and_message_rates_of_one_start_are_one_launch() -> None:
    [run] = runs(logs.OSU_WINDOWS)
    assert len(run.launches) == 1


def test_a_run_is_a_result_file_of_ours(tmp_path: Path) -> None:
    for index, run in enumerate(runs(logs.IMB_4)):
        path = tmp_path / f"{index}.jsonl"
        store(run, path, force=False)
        back = records.read(path)
        assert (back.header, back.summaries, back.launches) == (
            run.header,
            run.summaries,
            run.launches,
        )
        assert back.cut is None
        assert back.header.started is None  # the log does not tell
        assert back.samples == []
        with pytest.raises(UsageError, match="exists"):
            store(run, path, force=False)


def test_the_definition_goes_with_the_launch() -> None:
    [run] = runs(logs.OSU_7_FULL)
    assert run.launches[0].definition == (
        "median: nearest rank; round trips timed singly, over 2, first rank"
    )


def test_files_of_the_same_program_are_launches_of_one_run() -> None:
    pairs = [
        (log(text), table)
        for text in (logs.OSU_5, logs.OSU_5, logs.OSU_5)
        for table in tables(text)
    ]
    [run] = runs_of(pairs, "osu", "mine")
    assert (len(run.launches), run.label) == (3, "mine")


def test_the_definition_of_a_run_is_that_of_its_typical_time() -> None:
    (run,) = runs(logs.NETPIPE_3)
    assert run.launches[0].definition == f"best trial: {netpipe.BEST}"


def test_launches_of_versions_with_other_times_say_so() -> None:
    old, new = (log(logs.OSU_5.replace("v5.3.2", version)) for version in ("v5.3.2", "v7.4"))
    logged = [(each, table) for each in (old, new) for table in reading.read(each, "osu")]
    (run,) = runs_of(logged, "osu")
    assert run.header.source is not None
    (note,) = run.header.source.notes
    assert note.startswith("unlike definitions of its launches: some.log, line 3 (OSU MPI")
    assert note.endswith("7.4): mean: mean of round trips timed singly, over 2, first rank")

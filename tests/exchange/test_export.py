"""Exported files can be read back, by us and by others."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import msgspec
import numpy as np
import pytest
from reading import numbers, runs, tables

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.exchange import writing
from hockney.infer.analysis import Analysis
from hockney.infer.estimate import estimate
from hockney.infer.estimate.states import ONE_STATE
from hockney.records import LaunchRecord, Run, Samples
from samples import HEADER, make_run

pyarrow = pytest.importorskip("pyarrow")
WRITERS = ("osu", "imb", "durham", "itmo")


def measured() -> Run:
    return make_run(lambda launch, _, size: [1000.0 + launch + size], sizes=(0, 8, 1 << 20))


def test_csv_has_the_columns_that_have_a_value() -> None:
    run = measured()
    used, whole = (
        list(csv.DictReader(io.StringIO(writing.write(Analysis(run), "csv", every).decode())))
        for every in (False, True)
    )
    assert all(any(row[name] for row in used) for name in used[0])
    assert len(used[0]) < len(whole[0]) / 2
    for row, all_of_it in zip(used, whole, strict=True):
        assert {name: value for name, value in all_of_it.items() if name in row} == row
    with pytest.raises(UsageError, match="--all-columns: not of osu"):
        writing.write(Analysis(run), "osu", True)


def test_csv_has_the_columns_that_are_chosen_in_their_order() -> None:
    text = writing.write(Analysis(measured()), "csv", columns=["median_s", "bytes"]).decode()
    assert text.splitlines()[0] == "median_s,bytes"
    assert [row["bytes"] for row in csv.DictReader(io.StringIO(text))] == ["0", "8", "1048576"]
    with pytest.raises(UsageError, match="no column 'median'") as refused:
        writing.write(Analysis(measured()), "csv", columns=["bytes", "median"])
    assert "known are operation, " in str(refused.value.advice)


@pytest.mark.parametrize("format", WRITERS)
def test_a_layout_is_read_back_as_its_format(format: str) -> None:
    run = measured()
    text = writing.write(Analysis(run), format).decode()
    [table] = tables(text)
    means = {point.bytes: point.mean_s for point in estimate(run).headline}
    read = {size: value for (size, name), value in numbers(table).items() if name == "mean"}
    assert read == pytest.approx(means, rel=0.01)


def test_tacc_is_read_back() -> None:
    run = make_run(lambda *_: [9e5, 1e6], sizes=(1024,))
    [table] = tables(writing.write(Analysis(run), "tacc").decode())
    assert numbers(table)[1024, "mean"] == pytest.approx(9.5e-4, rel=1e-3)


@pytest.mark.parametrize("sizes", [(1, 8, 1024), (0, 1, 8, 1024)])
@pytest.mark.parametrize("ns", [20.0, 123.456, 1500.0])
def test_short_times_survive_tacc(sizes: tuple[int, ...], ns: float) -> None:
    """Its seconds have six decimals; rates show the times of all sizes but 0."""
    run = make_run(lambda *_: [ns, 1.2 * ns], sizes=sizes)
    [table] = tables(writing.write(Analysis(run), "tacc").decode())
    for size in sizes:
        of_size = {name: numbers(table)[size, name] for name in ("min", "mean", "max")}
        true = {"min": 1e-9 * ns, "mean": 1.1e-9 * ns, "max": 1.2e-9 * ns}
        assert of_size == pytest.approx(true, rel=0.03)
    assert any("are taken as bytes" in note for note in table.notes) is (0 not in sizes)


def test_rates_of_other_times_are_not_taken_for_those_of_tacc() -> None:
    log = logs.TACC.splitlines()[:2]
    log.append(" 3     1024  10.0000 --  10.0000 --  10.0000    0.000002 -- 0.000002 -- 0.000002")
    [table] = tables("\n".join(log) + "\n")
    assert numbers(table)[1024, "mean"] == pytest.approx(1e-6)
    assert not any("are taken as bytes" in note for note in table.notes)


def test_the_floor_is_none_of_the_experiment() -> None:
    run = measured()
    run.samples[:10] = [
        msgspec.structs.replace(visit, operation="handover") for visit in run.samples[:10]
    ]
    assert len(tables(writing.write(Analysis(run), "osu").decode())[0].rows) == 3


def test_csv_has_every_point_and_is_read_back() -> None:
    run = measured()
    content = writing.write(Analysis(run), "csv").decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    points = estimate(run).headline
    assert [float(row["median_s"]) for row in rows] == [point.median_s for point in points]
    assert rows[0]["bandwidth_Bps"] == ""  # of 0 bytes there is none
    [table] = tables(content)
    assert table.operation == "pingpong"
    assert [row.value_s for row in table.rows if row.statistic == "median"] == [
        point.median_s for point in points
    ]


def test_imported_points_keep_what_they_are_in_csv() -> None:
    [run] = runs(logs.OSU_5)
    content = writing.write(Analysis(run), "csv", all_columns=True).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert {(row["statistic"], row["median_s"], row["min_s"]) for row in rows} == {("mean", "", "")}
    assert [row["mean_s"] for row in rows] == ["1.07e-06", "1.14e-06", "0.00010343"]


@pytest.mark.parametrize(("format", "count"), [("parquet", 3), ("parquet-samples", 150)])
def test_parquet_is_read_by_its_own_library(format: str, count: int) -> None:
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(writing.write(Analysis(measured()), format)))
    assert table.num_rows == count
    assert table.schema.field("bytes").type == pyarrow.int64()
    seconds = "median_s" if format == "parquet" else "seconds"
    assert table.schema.field(seconds).type == pyarrow.float64()


def test_samples_are_all_there() -> None:
    run = measured()
    rows = list(csv.DictReader(io.StringIO(writing.write(Analysis(run), "csv-samples").decode())))
    assert np.allclose(
        [float(row["seconds"]) for row in rows],
        [ns * 1e-9 for visit in run.samples for ns in visit.ns],
        rtol=1e-12,
    )


def test_samples_have_the_state_of_their_round() -> None:
    analysis = Analysis(measured())
    rounds = {(launch, round_): launch % 2 for launch in range(5) for round_ in range(1, 10)}
    analysis.states = replace(ONE_STATE, probe="handover", rounds=rounds)
    rows = csv.DictReader(io.StringIO(writing.write(analysis, "csv-samples").decode()))
    for row in rows:
        expected = "" if row["round"] == "0" else str(int(row["launch"]) % 2)
        assert row["state"] == expected


@pytest.mark.parametrize(
    ("text", "format", "words"),
    [
        (logs.OSU_5, "tacc", "max_s, which is not known at 0 bytes"),
        (logs.OSU_5, "imb", "how often 0 bytes were exchanged, which is not known"),
        (logs.OSU_BCAST_FULL, "imb", "is for pingpong, not for bcast"),
        (logs.NETPIPE_3, "osu", "mean_s, which is not known at 1 bytes"),
        (logs.OSU_5, "perftest", "perftest cannot be written"),
    ],
)
def test_what_the_data_do_not_carry_is_not_written(text: str, format: str, words: str) -> None:
    [run] = runs(text)
    with pytest.raises(UsageError, match=words):
        writing.write(Analysis(run), format)


def test_a_collective_is_written_under_its_own_name() -> None:
    [run] = runs(logs.OSU_BCAST_FULL)
    [table] = tables(writing.write(Analysis(run), "osu").decode())
    assert (table.operation, numbers(table)) == (
        "bcast",
        {(1, "mean"): 2.25e-6, (2, "mean"): 2.5e-6},
    )


def collectives() -> Run:
    """A run in which a collective and its nonblocking form have two algorithms and two numbers of
    ranks each, whose times differ."""
    run = Run(msgspec.structs.replace(HEADER, experiment="collective"))
    cases = product(range(3), ("bcast", "ialltoall"), ("binomial", "chain"), (4, 16), (8, 1 << 16))
    for launch, operation, algorithm, ranks, size in cases:
        if len(run.launches) == launch:
            run.add(LaunchRecord(launch=launch))
        point = {"operation": operation, "algorithm": algorithm, "ranks": ranks, "bytes": size}
        if operation.startswith("i"):
            point["form"] = "nonblocking"
        ns = [1e3 * (1 + len(algorithm)) + ranks + size / 8]
        run.add(Samples(launch=launch, round=0, repetitions=10, ns=ns, **point))
    return run


def under_load() -> Run:
    """A run of ping-pongs, of one pair, another pair and both at once, alone and under a load."""
    run = Run(msgspec.structs.replace(HEADER, experiment="congestion"))
    loads = ({}, {"aggressor": "incast", "load_bytes": 65536}, {"aggressor": "alltoall"})
    pairs = ({"peers": (0, 1)}, {"peers": (2, 3)}, {"pairs": 2, "ranks": 4})
    memories = ({"memory": "host"}, {"memory": "pinned"}, {"memory": "device"})
    for launch in range(3):
        run.add(LaunchRecord(launch=launch))
        for number, axes in enumerate(product(pairs, loads, memories)):
            point = {"ranks": 2, **axes[0], **axes[1], **axes[2]}
            for size in (0, 8, 1024):
                ns = [1e3 + 10.0 * number + size]
                more = {"operation": "pingpong", "mode": "standard", "bytes": size}
                run.add(Samples(launch=launch, round=0, repetitions=1, ns=ns, **more, **point))
    return run


@pytest.mark.parametrize("made", [measured, collectives, under_load])
def test_osu_keeps_every_point_apart(made: Callable[[], Run]) -> None:
    points = estimate(made()).headline
    read = runs(writing.write(Analysis(made()), "osu").decode())
    assert all(len(run.launches) == 1 for run in read)
    again = [point for run in read for point in estimate(run).headline]
    times = sorted(
        (point.operation, point.bytes, round((point.mean_s or 0.0) * 1e6, 2)) for point in points
    )
    assert sorted((p.operation, p.bytes, round(p.typical_s * 1e6, 2)) for p in again) == times
    if made is collectives:
        assert {point.ranks for point in again} == {4, 16}


def test_osu_names_what_its_title_does_not_say() -> None:
    text = writing.write(Analysis(under_load()), "osu").decode()
    assert text.count("# Aggressor: incast\n# Load bytes: 65536\n# Ranks: 4\n# Pairs: 2\n") == 3
    assert text.count("# Memory: pinned\n") == 9
    plain = writing.write(Analysis(measured()), "osu").decode().strip().splitlines()
    assert plain[:2] == ["# OSU MPI Latency Test v7.4", "# Datatype: MPI_CHAR."]


def test_short_times_keep_their_digits_in_osu() -> None:
    run = make_run(lambda _, __, size: [1.2345 + size], sizes=(0, 1024))
    [table] = tables(writing.write(Analysis(run), "osu").decode())
    assert numbers(table)[0, "mean"] == pytest.approx(1.23e-9, abs=5e-12)


@pytest.mark.parametrize("format", ["imb", "durham", "itmo", "tacc"])
def test_tables_that_a_layout_cannot_tell_apart_are_refused(format: str) -> None:
    run = under_load()
    run.header.experiment = "pingpong"
    with pytest.raises(UsageError, match="how these 27 tables differ: memory, aggressor"):
        writing.write(Analysis(run), format)


def test_what_osu_has_no_program_or_no_line_for_is_refused() -> None:
    run = measured()
    run.samples[:] = [msgspec.structs.replace(visit, operation="stream") for visit in run.samples]
    with pytest.raises(UsageError, match="no latency test of stream"):
        writing.write(Analysis(run), "osu")
    run = measured()
    run.samples[:] = [msgspec.structs.replace(v, peers=tuple(range(99))) for v in run.samples]
    with pytest.raises(UsageError, match="no place for peers of 286 characters"):
        writing.write(Analysis(run), "osu")

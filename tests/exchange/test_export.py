"""Exported files can be read back, by us and by others."""

from __future__ import annotations

import csv
import io

import msgspec
import numpy as np
import pytest
from reading import numbers, runs, tables

import excerpts as logs
from hockney.base.errors import UsageError
from hockney.foreign.exchange import writing
from hockney.infer.analysis import Analysis
from hockney.infer.estimate import estimate
from hockney.records import Run
from samples import make_run

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

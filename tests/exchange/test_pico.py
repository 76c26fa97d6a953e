"""PICO's files of calls, and the table that its scripts make of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hockney.base.errors import UsageError
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import log_of
from hockney.foreign.logs.runs import runs_of
from hockney.records import Run

ALL = "highest,rank0,rank1\n2500,2500,2400\n2125,2000,2125\n"
HEADING = (
    "collective_type,array_dim,buffer_size,algo_name,datatype,mean,median,std,min,max,nnodes,"
    "tasks_per_node,n_iter,percentile_10,system,timestamp,test_id,mpi_lib,notes\n"
)
ROWS = (
    "ALLREDUCE,512,2048,ring,int32,2500.5,2400.0,10.25,2000,9000,8,1,80,2100,lynx,t1,0,OMPI,null\n"
    "ALLREDUCE,512,2048,rabenseifner,int32,1500.5,1400.0,5,1000,3000,8,1,80,1100,lynx,t1,0,OMPI,\n"
    "ALLREDUCE,512,2048,ring,int32,3500.5,3400.0,10.25,3000,9900,4,2,80,3100,lynx,t1,1,OMPI,null\n"
    "BCAST,1024,4096,binomial,int32,500.5,400.0,1,300,900,8,1,80,310,lynx,t1,2,OMPI,null\n"
)


def pico(text: str, name: str, bytes: int | None = None) -> list[Run]:
    read = replace(log_of(text, Path(name)), bytes=bytes, operation="allreduce")
    format = reading.recognise(read)
    assert format == "pico"
    return runs_of([(read, table) for table in reading.read(read, format)], format)


@pytest.mark.parametrize(
    ("name", "size", "algorithm", "options"),
    [
        ("512_bine_static_over_int32.csv", 2048, "bine_static_over", {}),
        ("512_ring_65536_double.csv", 4096, "ring", {"segment size": "65536"}),
        ("3_default_ompi_unsigned_char.csv", 3, "default_ompi", {}),
        ("8_ring_char.csv.gz", 8, "ring", {}),
    ],
)
def test_calls_are_samples_of_the_size_in_the_files_name(
    name: str, size: int, algorithm: str, options: dict[str, str]
) -> None:
    [run] = pico(ALL, name)
    assert len(run.launches) == 1
    samples = list(run.samples)
    assert [list(sample.ns) for sample in samples] == [[2500.0], [2125.0]]
    assert {(sample.bytes, sample.algorithm, sample.ranks) for sample in samples} == {
        (size, algorithm, 2)
    }
    assert run.header.options == {"repeated": "samples", **options}


def test_calls_without_the_ranks_have_an_unknown_number_of_them() -> None:
    [run] = pico("highest\n2500\n2125\n", "512_ring_int32.csv")
    assert [sample.ranks for sample in run.samples] == [None, None]


def test_a_name_without_a_type_shows_no_size() -> None:
    with pytest.raises(UsageError, match="does not show the message size: give it with --bytes"):
        pico(ALL, "512_ring.csv")
    [run] = pico(ALL, "512_ring.csv", bytes=2048)
    assert {sample.bytes for sample in run.samples} == {2048}


def test_a_call_that_is_cut_is_left_out() -> None:
    [run] = pico(ALL + "2375,23", "512_ring_int32.csv")
    assert len(list(run.samples)) == 2
    assert run.header.source is not None
    assert any("the middle of line 4" in note for note in run.header.source.notes)
    assert len(list(pico(ALL.rstrip(), "512_ring_int32.csv")[0].samples)) == 2


def test_the_table_of_many_keeps_settings_apart() -> None:
    first, second, bcast = pico(HEADING + ROWS, "aggregated.csv")
    assert {(s.algorithm, s.ranks, s.bytes) for s in first.summaries} == {
        ("ring", 8, 2048),
        ("rabenseifner", 8, 2048),
    }
    assert second.header.options["tasks_per_node"] == "2"
    assert {(s.statistic, s.value_s) for s in bcast.summaries} == {
        ("mean", 500.5e-9),
        ("median", 400e-9),
        ("std", 1e-9),
        ("min", 300e-9),
        ("max", 900e-9),
        ("p10", 310e-9),
    }
    assert {s.operation for s in bcast.summaries} == {"bcast"}


def test_a_point_that_comes_again_in_the_table_is_said() -> None:
    again = ROWS.splitlines(keepends=True)[0].replace("2400.0", "2450.0")
    first, *_ = pico(HEADING + ROWS + again, "aggregated.csv")
    assert first.header.source is not None
    assert "aggregated.csv, line 6: 2048 bytes again; the last row counts" in (
        first.header.source.notes
    )


def test_a_call_that_is_none_of_its_ranks_times_is_said() -> None:
    """One note has the number of such calls; a program that prints 2500.0 beside 2500 is right."""
    rows = "2500,2400,2500.0\n9999,2000,2125\n8,7,9\n2125,2125,2000\n"
    [run] = pico(f"highest,rank0,rank1\n{rows}", "512_ring_int32.csv")
    assert run.header.source is not None
    said = [note for note in run.header.source.notes if "slowest rank" in note]
    assert said == [
        "512_ring_int32.csv, line 3: highest is 9999, but the slowest rank took 2125; 2 of 4 calls "
        "differ so, and are read as printed"
    ]
    [whole] = pico(ALL, "512_ring_int32.csv")
    assert whole.header.source is not None
    assert not any("slowest rank took" in note for note in whole.header.source.notes)

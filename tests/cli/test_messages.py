"""Threads, layouts, partitions and sources on the command line."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import RunHockney

QUICK = ("--budget", "0.5s", "--launches", "2", "-q")


def asked(hockney: RunHockney, path: Path, *words: str) -> dict[str, Any]:
    done = hockney.ok(*words, *QUICK, "-o", str(path / "run.jsonl"), "--json")
    answer: dict[str, Any] = done.json
    return answer


def test_threads_are_an_axis(hockney: RunHockney, tmp_path: Path) -> None:
    answer = asked(hockney, tmp_path, "pairs", "-n", "2", "--threads", "1,2", "--sizes", "8,1KiB")
    assert {(point["threads"], point["bytes"]) for point in answer["points"]} == {
        (threads, size) for threads in (1, 2) for size in (8, 1024)
    }
    assert answer["run"]["mpi"]["threads"] == "multiple"
    for row in answer["contention"]:
        # Where visits had equal repetitions by chance, the rate is that of the slower side.
        expected = row["threads"] / row["typical_s"]
        assert row["messages_per_s"] == pytest.approx(expected, rel=0.2)
    hockney.ok("fit", "--model", "max-rate", str(tmp_path / "run.jsonl"))
    shown = hockney("show", str(tmp_path / "run.jsonl"))
    assert "2 threads" in shown.stdout


def test_threads_of_pingpong(hockney: RunHockney, tmp_path: Path) -> None:
    words = ("pingpong", "--threads", "2,2:1", "--sizes", "8")
    answer = asked(hockney, tmp_path, *words)
    assert [(p["threads"], p["receiver_threads"]) for p in answer["points"]] == [(2, None), (2, 1)]


def test_a_layout_is_measured_beside_contiguous_messages(
    hockney: RunHockney, tmp_path: Path
) -> None:
    words = ("pairs", "-n", "2", "--datatype", "vector:64:8:64")
    answer = asked(hockney, tmp_path, *words)
    ways = {(point["datatype"], point["packing"]) for point in answer["points"]}
    assert ways == {
        ("contiguous", None),
        *(("vector:64:8:64", packing) for packing in ("datatype", "pack", "hand")),
    }
    assert {point["bytes"] % 512 for point in answer["points"]} == {0}
    assert {comparison["packing"] for comparison in answer["side_by_side"]} == {
        "datatype",
        "pack",
        "hand",
    }
    assert {tuple(comparison["over"]) for comparison in answer["side_by_side"]} == {
        ("datatype", "packing")
    }


def test_partitions_are_measured_beside_whole_messages(hockney: RunHockney, tmp_path: Path) -> None:
    words = ("pairs", "-n", "2", "--mode", "partitioned", "--partitions", "4", "--stagger", "5us")
    done = hockney(*words, *QUICK, "-o", str(tmp_path / "run.jsonl"), "--json")
    if done.status == 2:
        assert "partitioned communication came with MPI 4.0" in done.stderr
        pytest.skip("this MPI has none")
    answer = done.json
    assert {(p["mode"], p["partitions"], p["stagger_ns"]) for p in answer["points"]} == {
        ("partitioned", 4, 5000.0),
        ("persistent", 4, 5000.0),
    }
    assert {comparison["over"]["mode"] for comparison in answer["side_by_side"]} == {"persistent"}


@pytest.mark.long
def test_an_mpi_without_partitions_is_named_with_what_it_has(
    hockney: RunHockney, tmp_path: Path
) -> None:
    mpicc = shutil.which("mpicc.openmpi")
    if mpicc is None:
        pytest.skip("no Open MPI 4")
    hockney.refused(
        *("pairs", "-n", "2", "--mode", "partitioned", "--partitions", "4", "--mpicc", mpicc),
        *(*QUICK, "-o", str(tmp_path / "run.jsonl")),
        because="Open MPI was built for MPI 3.1",
    )
    hockney.refused(
        *("pairs", "-n", "2", "--threads", "2", "--thread-comms", "vci", "--mpicc", mpicc),
        because="no setting for the number of endpoints",
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("pairs -n 2 --threads x", "write 2 or 1,2,4, or 4:1"),
        ("pairs -n 2 --threads 2,2", "is given twice"),
        ("pairs -n 2 --threads 0", "a rank has 1 to 1024 threads"),
        ("pairs -n 2 --threads 2:1 --verify", "a receiver would overwrite"),
        ("pairs -n 2 --threads 2:1 --operation stream", "only pingpong takes more threads"),
        ("pairs -n 2 --threads 2:1 --thread-comms own", "each needs a partner"),
        ("pairs -n 2 --thread-comms own", "there is one thread"),
        ("pairs -n 2 --threads 2 --platform cluster:2", "--platform simulates one"),
        ("pairs -n 2 --datatype vector:64:8:4", "blocks of 8 bytes overlap at a stride of 4"),
        ("pairs -n 2 --datatype vector:4:8:16 --sizes 8", "no whole number of elements"),
        ("pairs -n 2 --datatype vector:4:8:16 --buffers returned", "--buffers returned"),
        ("pairs -n 2 --receive-datatype vector:4:8:16", "give --datatype"),
        ("pairs -n 2 --packing hand", "contiguous messages need none"),
        ("pairs -n 2 --datatype vector:4:8:16 --packing zip", "name some of datatype, pack, hand"),
        (
            "pairs -n 2 --datatype vector:4:8:16 --mode persistent --packing hand",
            "--packing is for",
        ),
        (
            "pairs -n 2 --operation exchange --mode replace --datatype vector:4:8:16",
            "no --datatype",
        ),
        ("pairs -n 2 --mode partitioned", "need each other"),
        ("pairs -n 2 --partitions 4", "need each other"),
        ("pairs -n 2 --mode partitioned --partitions 16 --sizes 8", "more partitions than bytes"),
        ("pairs -n 2 --mode partitioned --partitions 3 --sizes 8", "as many equal parts"),
        ("pairs -n 2 --mode partitioned --partitions 2 --threads 2", "leave out --threads"),
        ("pairs -n 2 --stagger 1us", "there are no partitions"),
        ("pairs --multi --threads 2", "--multi fixes the workload"),
        ("pingpong --preset osu --threads 2", "--preset osu fixes the workload"),
        ("pingpong --refine --threads 1,2", "measure one way to exchange messages"),
        ("pingpong --datatype vector:4:8:16 --sizes 0,8", "no whole number of elements"),
    ],
)
def test_bad_questions_are_told(hockney: RunHockney, words: str, complaint: str) -> None:
    done = hockney(*words.split())
    assert done.status == 2
    assert complaint in " ".join(done.stderr.split())

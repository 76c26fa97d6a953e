"""Messages with a layout: what arrives is what was sent, by every packing."""

from __future__ import annotations

from itertools import product

import pytest

from conftest import Done, RunEngine, each_once, first_of
from hockney.run.mpis import Engine

PACKINGS = "--packing=datatype,pack,hand"
LAYOUTS = {
    "vector:4:8:24": 32,
    "vector:3:5:7": 15,
    "vector:64:4:4": 256,
    "indexed:8@8:4@0:4@20": 16,
    "indexed:3@1:2@9": 5,
    "struct:double@0:int@8:4xchar@12:double@16": 24,
    "struct:char@0:int@4": 5,
    "subarray:8x8:8x1:0x7": 64,
    "subarray:4x4x4:2x2x3:1x2x0": 96,
}


def quick(layout: str, elements: tuple[int, ...] = (1, 7)) -> list[str]:
    sizes = ",".join(str(LAYOUTS[layout] * count) for count in elements)
    return ["--seconds=0.05", f"--sizes={sizes}", f"--datatype={layout}"]


def ways(done: Done) -> set[tuple[object, object]]:
    return {(s["datatype"], s.get("packing")) for s in done.of("samples")}


OTHERS = (
    "--mode=persistent",
    "--operation=exchange",
    "--operation=stream --window=4",
    "--operation=stream --window=4 --mode=persistent",
    "--operation=bidirectional --window=4 --buffers=cold",
)


@pytest.mark.parametrize("layout", first_of(LAYOUTS, 3))
def test_every_layout_arrives_by_every_packing(run_engine: RunEngine, layout: str) -> None:
    """The pattern is packed by MPI and unpacked by our own copies, and the other way round: both
    must have the same idea of the layout."""
    done = run_engine.ok("pairs", *quick(layout), PACKINGS, "--verify")
    assert ways(done) == {
        ("contiguous", None),
        *((layout, packing) for packing in ("datatype", "pack", "hand")),
    }


@pytest.mark.parametrize(
    ("asked", "layout"),
    each_once(list(product(OTHERS, ["vector:4:8:24", "subarray:4x4x4:2x2x3:1x2x0"]))),
)
def test_other_operations_send_the_datatype(run_engine: RunEngine, asked: str, layout: str) -> None:
    done = run_engine.ok("pairs", *asked.split(), *quick(layout), "--verify")
    assert ways(done) == {("contiguous", None), (layout, "datatype")}


def test_the_received_layout_may_be_another(run_engine: RunEngine) -> None:
    layout, other = "vector:12:8:24", "subarray:4x4x4:2x2x3:1x2x0"
    done = run_engine.ok(
        "pingpong",
        *("--seconds=0.05", "--sizes=96,960", "--verify", PACKINGS),
        *(f"--datatype={layout}", f"--receive-datatype={other}"),
    )
    assert {s["datatype"] for s in done.of("samples")} == {"contiguous", f"{layout}>{other}"}


def test_a_damaged_byte_is_found(run_engine: RunEngine, faulty_engine: Engine) -> None:
    """Byte 17 of the last 64 is data: each 32 bytes have a block of 16."""
    done = run_engine(
        "pairs",
        *("--verify", "--seconds=0.05", "--sizes=64", "--datatype=vector:4:16:32"),
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: in a message of 64 bytes" in done.stderr


def test_threads_have_layouts_too(run_engine: RunEngine) -> None:
    done = run_engine.ok("pairs", *quick("vector:4:8:24"), PACKINGS, "--threads=2", "--verify")
    assert {s["threads"] for s in done.of("samples")} == {2}


@pytest.mark.parametrize(
    ("layout", "complaint"),
    [
        ("vector:4:8:4", "its blocks overlap"),
        ("vector:0:8:16", "it has no data"),
        ("vector:4:8", "a part is missing"),
        ("vector:4:8:16:3", "one is too many"),
        ("indexed:8@0:8@4", "two parts overlap"),
        ("indexed:0@0", "a part has no data"),
        ("struct:double@4", "not aligned"),
        ("struct:long@0", "a member is char, int, float or double"),
        ("subarray:8:4", "2 or 3 dimensions"),
        ("subarray:8x8:9x1", "does not lie in the array"),
        ("subarray:8x8:4x4:5x0", "does not lie in the array"),
        ("subarray:99999x99999:1x1", "larger than 2 GiB"),
        ("vector:99999999999:8:8", "expected a number"),
        ("list:8", "not a vector, indexed, struct or subarray"),
    ],
)
def test_a_bad_layout_is_told(run_alone: RunEngine, layout: str, complaint: str) -> None:
    run_alone.refused("pairs", "--sizes=64", f"--datatype={layout}", because=complaint)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ("--datatype=vector:4:8:16 --sizes=8", "not a multiple of a datatype's 32 bytes"),
        ("--datatype=vector:4:8:16 --sizes=32 --buffers=returned", "--datatype needs --buffers"),
        ("--receive-datatype=vector:4:8:16 --sizes=32", "--receive-datatype needs --datatype"),
        (
            "--datatype=vector:4:8:16 --sizes=32 --packing=hand --operation=exchange",
            "exchange takes no --packing hand",
        ),
        ("--datatype=vector:4:8:16 --sizes=32 --packing=hand,hand", "given twice"),
        ("--datatype=vector:4:8:16 --sizes=32 --packing=zip", "--packing zip: unknown"),
    ],
)
def test_bad_questions_are_told(run_alone: RunEngine, asked: str, complaint: str) -> None:
    run_alone.refused("pairs", *asked.split(), because=complaint)

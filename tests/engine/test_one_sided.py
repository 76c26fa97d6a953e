"""One-sided operations: every way of every operation delivers what it should, and what does not is
found; the two-sided exchange is in the same rounds."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from conftest import NeedMemory, RunEngine, each_once, kept_short
from hockney.plan.words import ELEMENTS, SYNCHRONIZATIONS, WINDOW_KINDS, Reduction
from hockney.plan.workloads.rma import BITWISE, FLOATING, MOVING, ONE_ELEMENT, RMA_OPERATIONS
from hockney.run.mpis import Engine, Mpi
from preloads import build_library, write_wrapper

EVERY = (
    "--synchronization=" + ",".join(SYNCHRONIZATIONS),
    "--window-kind=" + ",".join(WINDOW_KINDS),
)
DIRECTIONS = ["", "--direction=one-way --window=1,8", "--direction=both-ways --window=1,8"]
LARGE = 2**31 + 4096
OF_16_BITS = ("float16", "bfloat16")


def sizes_of(operation: str) -> list[str]:
    """Open MPI 4.1 crashes where it compares elements of 64 bits within a node (ompi#11349)."""
    if operation == "compare-and-swap":
        return ["--sizes=4", "--element=int32"]
    return ["--sizes=8"] if operation in ONE_ELEMENT else ["--sizes=8,64,4KiB"]


def ways(samples: list[dict[str, object]]) -> set[tuple[object, ...]]:
    return {(s["synchronization"], s["window_kind"]) for s in samples if "synchronization" in s}


@pytest.mark.parametrize(
    ("operation", "direction"),
    kept_short(
        product(RMA_OPERATIONS, DIRECTIONS),
        [("put", ""), ("put", DIRECTIONS[2]), ("fetch-and-op", DIRECTIONS[1])],
    ),
)
def test_every_way_delivers_what_it_should(
    run_engine: RunEngine, operation: str, direction: str
) -> None:
    done = run_engine.ok(
        *("rma", operation, *EVERY, "--verify", "--seconds=0.05"),
        *(*sizes_of(operation), *direction.split()),
    )
    own = [s for s in done.of("samples") if s["operation"] == operation]
    assert ways(own) == {(how, kind) for how in SYNCHRONIZATIONS for kind in WINDOW_KINDS}
    assert {s.get("window") for s in own} == ({1, 8} if direction else {None})
    beside = {s["operation"] for s in done.of("samples")} - {operation}
    assert len(beside) == 1
    assert {s["round"] for s in own} == {s["round"] for s in done.of("samples")}


@pytest.mark.long
@pytest.mark.parametrize(
    ("operation", "direction"),
    each_once(list(product(["put", "accumulate", "get-accumulate"], DIRECTIONS))),
)
def test_so_do_walks_through_cold_memory(
    run_engine: RunEngine, operation: str, direction: str
) -> None:
    run_engine.ok(
        *("rma", operation, "--synchronization=fence,lock,flush", "--verify", "--buffers=cold"),
        *("--seconds=0.05", "--sizes=64,4KiB", *direction.split()),
    )


@pytest.mark.parametrize(
    ("operation", "how"), each_once(list(product(RMA_OPERATIONS, SYNCHRONIZATIONS)))
)
def test_a_damaged_byte_is_found(
    run_engine: RunEngine, faulty_engine: Engine, operation: str, how: str
) -> None:
    sizes = sizes_of(operation) if operation in ONE_ELEMENT else ["--sizes=64"]
    damaged = sizes[0].removeprefix("--sizes=")
    done = run_engine(
        *("rma", operation, f"--synchronization={how}", "--verify", "--seconds=0.05", *sizes),
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": damaged},
    )
    assert done.status != 0
    assert "data check: " in done.stderr


@pytest.mark.parametrize(
    ("element", "reduction"),
    each_once(
        [
            (element, reduction)
            for element in ELEMENTS
            if element not in OF_16_BITS  # no types of MPI itself; MPICH 5.0.2 adds them up wrongly
            for reduction in get_args(Reduction)
            if not (element in FLOATING and reduction in BITWISE)
            and not (element == "byte" and reduction in ("sum", "min", "max"))
        ]
    ),
)
def test_every_reduction_of_every_type_is_right(
    run_engine: RunEngine, element: str, reduction: str
) -> None:
    done = run_engine.ok(
        *("rma", "get-accumulate", f"--element={element}", f"--reduction={reduction}"),
        *("--verify", "--sizes=64", "--seconds=0.02"),
    )
    own = [s for s in done.of("samples") if s["operation"] == "get-accumulate"]
    assert {(s["element"], s["reduction"]) for s in own} == {(element, reduction)}


@pytest.mark.parametrize("element", OF_16_BITS)
def test_a_library_that_accumulates_wrongly_is_found(run_engine: RunEngine, element: str) -> None:
    words = ("rma", "accumulate", f"--element={element}", "--verify", "--sizes=64")
    done = run_engine(*words, "--seconds=0.02")
    refused = done.status == 2 and f"--element {element}: this MPI library adds up" in done.stderr
    wrong = done.status == 1 and f"data check: after an operation on {element}" in done.stderr
    assert done.status == 0 or refused or wrong, done.stderr


@pytest.mark.long
def test_pairs_have_windows_of_their_own(run_engine: RunEngine) -> None:
    done = run_engine.ok(
        *("pairs", "--operation=put", "--synchronization=flush,fence", "--verify"),
        *("--sizes=8,64", "--pairing=0-2,1-3", "--seconds=0.05"),
        ranks=5,
    )
    own = [s for s in done.of("samples") if s["operation"] == "put"]
    assert {(*s["peers"], s["pairs"]) for s in own} >= {(0, 2, 1), (0, 2, 2), (1, 3, 2)}
    assert {"put", "pingpong"} == {s["operation"] for s in done.of("samples")}


def test_the_target_of_a_passive_operation_has_no_time_of_its_own(run_engine: RunEngine) -> None:
    """Ranks of pairs have lines of their own if each operation is timed by itself."""
    done = run_engine.ok(
        *("pairs", "--operation=put", "--every-iteration", "--sizes=8", "--seconds=0.05"),
        "--synchronization=flush,fence",
    )
    own = [s for s in done.of("samples") if s["operation"] == "put"]
    first = {(s["synchronization"], s["peers"][0]) for s in own}
    assert first == {("flush", 0), ("fence", 0), ("fence", 1)}


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ("rma put --sizes=0", "--sizes 0: a window of no bytes has nothing to put"),
        ("rma put --element=int8 --sizes=8", "put takes no --element"),
        ("rma accumulate --sizes=12", "--sizes 12: not whole elements of 8 bytes (int64)"),
        ("rma accumulate --element=byte --sizes=8", "--reduction sum: MPI defines none of type"),
        ("rma accumulate --element=float --reduction=bor --sizes=8", "--reduction bor: MPI"),
        ("rma fetch-and-op --sizes=16", "--sizes 16: fetch-and-op works on one element"),
        ("rma compare-and-swap --element=double --sizes=8", "compare-and-swap compares integers"),
        ("rma compare-and-swap --reduction=sum --sizes=8", "compare-and-swap takes no --reduction"),
        ("rma put --synchronization=barrier --sizes=8", "--synchronization barrier: unknown"),
        ("rma put --synchronization=lock,lock --sizes=8", "--synchronization lock,lock: lock is"),
        ("rma put --window-kind=huge --sizes=8", "--window-kind huge: unknown"),
        ("rma put --window=8 --sizes=8", "--window: operations in flight need --direction"),
        ("rma put --buffers=returned --sizes=8", "put takes no --buffers returned"),
        ("rma swap", "swap: no such operation"),
        ("rma", "name one operation, such as put"),
        ("pairs --direction=one-way", "pingpong takes no --direction: it is two-sided"),
        ("pingpong --operation=put", "put is one-sided: measure it by rma put"),
        ("startup --sizes=8,16", "startup takes one of --sizes"),
        ("startup --sizes=8 --buffers=cold", "startup takes no --buffers but returned"),
        ("startup --sizes=8 --seconds=1", "startup takes no --seconds"),
    ],
)
def test_what_cannot_be_is_refused(run_alone: RunEngine, asked: str, refusal: str) -> None:
    run_alone.refused(*asked.split(), because=refusal)


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        (
            "--window-kind=allocate,dynamic --synchronization=fence",
            r"--window-kind dynamic: .*makes no such window here .*; it makes: allocate, create, "
            "shared",
        ),
        ("--synchronization=lock-all", "put by lock-all does not work with a window by allocate"),
    ],
)
def test_what_the_library_lacks_is_known_before_anything_is_timed(
    run_engine: RunEngine, mpi: Mpi, engine: Engine, tmp_path: Path, asked: str, refusal: str
) -> None:
    lacking = build_library(mpi, "no_dynamic_windows", tmp_path)
    program = write_wrapper(tmp_path / "lacking", engine.path, LD_PRELOAD=lacking)
    done = run_engine("rma", "put", "--sizes=8", *asked.split(), path=program)
    assert done.status == 2, done.stderr
    assert re.search(refusal, done.stderr)
    assert not done.of("samples")


@pytest.mark.parametrize("asked", ["rma put", "pairs --operation=put"])
def test_a_window_refused_to_one_rank_ends_all(
    run_engine: RunEngine, faulty_engine: Engine, asked: str
) -> None:
    done = run_engine.refused(
        *asked.split(),
        "--sizes=8",
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_WINDOW": "1"},
        because="--window-kind allocate: ",
    )
    assert not done.of("samples")


@pytest.mark.long
@pytest.mark.parametrize("operation", [*MOVING, "accumulate"])
def test_operations_past_two_gibibytes_are_whole(
    run_engine: RunEngine, need_memory: NeedMemory, operation: str
) -> None:
    """Each rank has a window and two buffers; the library may need a part of that again."""
    need_memory(6.5 * LARGE)
    element = [] if operation in MOVING else ["--element=int64"]
    done = run_engine.ok(
        *("rma", operation, f"--sizes={LARGE}", "--verify", "--seconds=0.01", *element),
        *("--synchronization=flush", "--rounds=1:1"),
    )
    assert {s["bytes"] for s in done.of("samples")} == {LARGE}

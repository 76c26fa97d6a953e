"""Collectives, begun together and timed to the last rank's end."""

from __future__ import annotations

import os
import re
from itertools import product
from pathlib import Path

import pytest

from conftest import RunEngine, first_of, kept_short
from hockney.plan.workloads.collective import COLLECTIVES, NO_BYTES, NONBLOCKING, REDUCTIONS
from hockney.run.mpis import Engine, Mpi
from preloads import build_library, write_wrapper

QUICK = ("--seconds", "0.1", "--sizes", "0,8,4KiB")
EVERY = {
    name: {0} if name in NO_BYTES else {8, 4096} if name in REDUCTIONS else {0, 8, 4096}
    for name in COLLECTIVES
}


EACH_KIND = (
    *("barrier", "bcast", "alltoallv", "allreduce", "exscan", "reduce_local"),
    *("ibarrier", "igatherv", "ireduce_scatter"),
)
"""One collective of each kind: with and without a root, counts, a reduction, a request."""


SHORT = EVERY if "HOCKNEY_TEST_MPICC" in os.environ else EACH_KIND
"""Cases that are not long: under another MPI than the embedded one all of them are run."""


@pytest.mark.parametrize("name", kept_short(EVERY, SHORT))
def test_each_collective_at_the_sizes_that_it_has(run_engine: RunEngine, name: str) -> None:
    done = run_engine.ok("collective", name, "--algorithm=its own", *QUICK)
    # On a busy machine perhaps no repetition of a size begins together.
    assert {s["bytes"] for s in done.of("start")} == EVERY[name]
    samples = done.of("samples")
    assert {(s["operation"], s["algorithm"]) for s in samples} <= {(name, "its own")}
    for s in samples:
        assert s["peers"] == []
        assert s["ranks"] == 2
        assert s.get("form") == ("nonblocking" if name in NONBLOCKING else None)
        assert len(s["ns"]) == len(s["own_mean_ns"]) == len(s["own_max_ns"]) > 0
        own = zip(s["own_mean_ns"], s["own_max_ns"], strict=True)
        assert all(0.0 < mean <= longest for mean, longest in own)


def test_overlapped_points_compute_for_as_long_as_it_takes_alone(run_engine: RunEngine) -> None:
    done = run_engine("collective", "ibcast", "--overlap", "--algorithm=x", *QUICK)
    by_overlap: dict[bool, list[float | None]] = {}
    for s in done.of("samples"):
        by_overlap.setdefault(s.get("overlap", False), []).append(s.get("compute_ns"))
        assert s["algorithm"] == "x"
        if "compute_ns" in s:
            assert min(s["own_max_ns"]) >= s["compute_ns"] > 0.0
    assert set(by_overlap) == {False, True}
    assert set(by_overlap[False]) == {None}
    assert None not in by_overlap[True]


def test_completion_is_no_shorter_than_any_ranks_own_duration(run_engine: RunEngine) -> None:
    for sync in ("clock", "barrier"):
        done = run_engine("collective", "bcast", f"--sync={sync}", "--root=rotate", *QUICK)
        for s in done.of("samples"):
            assert all(ns >= own - 0.2 for ns, own in zip(s["ns"], s["own_max_ns"], strict=True))
    assert "behind a barrier" in done.of("launch")[0]["definition"]


@pytest.mark.parametrize("name", first_of(["gatherv --root=rotate", "allreduce", "alltoallw"]))
def test_groups_make_it_at_the_same_time(run_engine: RunEngine, name: str) -> None:
    """Each on its own: what --verify expects is of a group of two, not of four ranks."""
    words = (*name.split(), "--groups=2", "--verify", "--sync=clock")
    done = run_engine.ok("collective", *words, *QUICK[:2], "--sizes=8,4KiB", ranks=4)
    assert {s["bytes"] for s in done.of("start")} == {8, 4096}
    assert {(s["ranks"], s["groups"]) for s in done.of("samples")} <= {(4, 2)}


def test_three_and_more_ranks_than_cpus_end_in_time(run_engine: RunEngine) -> None:
    for ranks in (3, 4):
        done = run_engine.ok("collective", "allreduce", *QUICK, ranks=ranks)
        assert {s["ranks"] for s in done.of("samples") + done.of("start")} == {ranks}


def test_the_clock_by_messages_knows_what_it_is_wrong_by(run_engine: RunEngine) -> None:
    done = run_engine("collective", "barrier", "--sync=messages", "--sizes=0", "--seconds=0.2")
    starts = done.of("start")
    assert all(s["error_s"] >= 0.0 and s["known_error_s"] >= 0.0 for s in starts)
    shared = run_engine("collective", "barrier", "--sizes=0", "--seconds=0.2").of("start")
    assert all(s["error_s"] == 0.0 and s["known_error_s"] is None for s in shared)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["collective"], "name one collective"),
        (["collective", "telepathy"], "no such operation"),
        (["collective", "bcast", "--sync=hope"], "unknown"),
        (["collective", "bcast", "--form=blocking"], "no such collective"),
        (["collective", "bcast", "--form=nonblocking"], "no such collective"),
        (["collective", "bcast", "--groups=0"], "--groups is from 1 up"),
    ],
)
def test_bad_questions_are_told(run_alone: RunEngine, arguments: list[str], complaint: str) -> None:
    done = run_alone.refused(*arguments, because=complaint)
    assert done.of("samples") == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["collective", "reduce", "--sizes=1,2,3"], "integers of 4 bytes"),
        (["collective", "barrier", "--sizes=8"], "0 bytes only"),
        (["collective", "allreduce", "--sizes=9GiB"], "need"),
        (["collective", "alltoall", "--sizes=1GiB"], "need"),
        (["collective", "alltoallw", "--sizes=1GiB"], "displacements in bytes"),
        (["collective", "bcast", "--groups=2"], "2 ranks are not 2 groups"),
    ],
)
def test_what_the_ranks_together_cannot_do_is_refused(
    run_engine: RunEngine, arguments: list[str], complaint: str
) -> None:
    ranks = 32 if "alltoall" in arguments else 2
    done = run_engine.refused(*arguments, ranks=ranks, because=complaint)
    assert done.of("samples") == []


def test_what_communicates_with_nobody_has_no_persistent_form(run_engine: RunEngine) -> None:
    done = run_engine("collective", "reduce_local", "--form=persistent")
    assert done.status == 2
    assert "no such collective" in done.stderr or "has no persistent collectives" in done.stderr


ELEMENTS = {"int32": 4, "int64": 8, "float": 4, "double": 8}
OF_16_BITS = ("float16", "bfloat16")
REDUCED = ("reduce_local", "allreduce", "iscan", "reduce_scatter")
"""Kinds of reduction: one element of each is short."""
NOT_HAD = "this MPI library adds up no numbers of this type"


@pytest.mark.parametrize(
    ("name", "element"),
    kept_short(product(sorted(REDUCTIONS), ELEMENTS), list(zip(REDUCED, ELEMENTS, strict=True))),
)
def test_reductions_of_each_type_are_exact(
    run_engine: RunEngine, faulty_engine: Engine, name: str, element: str
) -> None:
    words = ("collective", name, f"--element={element}", "--verify", "--sizes=64", "--seconds=0.05")
    done = run_engine.ok(*words, ranks=3)
    named = None if element == "int32" else element
    assert {s.get("element") for s in done.of("samples")} <= {named}
    damaged = {"HOCKNEY_FAULT_CORRUPT": "1"}
    done = run_engine(*words, ranks=3, path=faulty_engine.path, env=damaged)
    assert done.status != 0
    assert f"element {17 // ELEMENTS[element]} ({element}) is" in done.stderr


@pytest.mark.parametrize("element", OF_16_BITS)
def test_sums_of_16_bits_are_right_or_the_library_has_none(
    run_engine: RunEngine, faulty_engine: Engine, element: str
) -> None:
    words = ("collective", "allreduce", f"--element={element}", "--verify", "--sizes=64")
    done = run_engine(*words, "--seconds=0.05", ranks=3)
    if done.status == 2:
        assert f"--element {element}: {NOT_HAD}" in done.stderr
        return
    assert done.status == 0, done.stderr
    assert {s["element"] for s in done.of("samples")} == {element}
    damaged = {"HOCKNEY_FAULT_CORRUPT": "1"}
    done = run_engine(*words, "--seconds=0.05", ranks=3, path=faulty_engine.path, env=damaged)
    assert done.status != 0
    assert f"element 8 ({element}) is" in done.stderr


def test_untimed_checks_aside_reductions_of_many_ranks_add_small_numbers(
    run_engine: RunEngine, mpi: Mpi, engine: Engine, tmp_path: Path
) -> None:
    """Ranks add up 1 each unless --verify is given, so that sums never overflow."""
    library = build_library(mpi, "watched_sums", tmp_path)
    program = write_wrapper(tmp_path / "watched", engine.path, LD_PRELOAD=library)
    words = ("collective", "allreduce", "--sizes=64", "--seconds=0.05")
    for element in ELEMENTS:
        done = run_engine.ok(*words, f"--element={element}", ranks=3, path=program)
        assert set(re.findall(r"sum (\S+)", done.stderr)) == {"3"}


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ("bcast --element=int64 --sizes=64", "bcast takes no --element: it reduces nothing"),
        ("allreduce --element=int8 --sizes=64", "--element int8: sums of many ranks"),
        ("allreduce --element=double --sizes=12", "--sizes 12: not whole elements of 8 bytes"),
    ],
)
def test_elements_that_cannot_be_added_are_refused(
    run_engine: RunEngine, asked: str, refusal: str
) -> None:
    run_engine.refused("collective", *asked.split(), because=refusal)

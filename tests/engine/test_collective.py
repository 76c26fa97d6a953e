"""Collectives, begun together and timed to the last rank's end."""

from __future__ import annotations

import pytest

from conftest import RunEngine

QUICK = ("--seconds", "0.1", "--sizes", "0,8,4KiB")
EVERY = {
    "barrier": {0},
    "bcast": {0, 8, 4096},
    "scatter": {0, 8, 4096},
    "gather": {0, 8, 4096},
    "allgather": {0, 8, 4096},
    "alltoall": {0, 8, 4096},
    "reduce": {8, 4096},
    "allreduce": {8, 4096},
    "reduce_scatter_block": {8, 4096},
    "scan": {8, 4096},
    "scatterv": {0, 8, 4096},
    "gatherv": {0, 8, 4096},
    "allgatherv": {0, 8, 4096},
    "alltoallv": {0, 8, 4096},
    "ibarrier": {0},
    "ibcast": {0, 8, 4096},
    "iscatter": {0, 8, 4096},
    "igather": {0, 8, 4096},
    "iallgather": {0, 8, 4096},
    "ialltoall": {0, 8, 4096},
    "ireduce": {8, 4096},
    "iallreduce": {8, 4096},
}


@pytest.mark.parametrize("name", EVERY)
def test_each_collective_at_the_sizes_that_it_has(run_engine: RunEngine, name: str) -> None:
    done = run_engine("collective", name, "--algorithm=its own", *QUICK)
    assert done.status == 0, done.stderr
    samples = done.of("samples")
    assert {s["bytes"] for s in samples} == EVERY[name]
    assert {(s["operation"], s["algorithm"]) for s in samples} == {(name, "its own")}
    for s in samples:
        assert s["peers"] == []
        assert s["ranks"] == 2
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


def test_three_and_more_ranks_than_cpus_end_in_time(run_engine: RunEngine) -> None:
    for ranks in (3, 4):
        done = run_engine("collective", "allreduce", *QUICK, ranks=ranks)
        assert done.status == 0, done.stderr
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
        (["collective", "reduce", "--sizes=1,2,3"], "integers of 4 bytes"),
        (["collective", "barrier", "--sizes=8"], "0 bytes only"),
        (["collective", "allreduce", "--sizes=9GiB"], "need"),
        (["collective", "alltoall", "--sizes=1GiB"], "need"),
        (["collective", "bcast", "--sync=hope"], "unknown"),
    ],
)
def test_bad_questions_are_told(
    run_engine: RunEngine, arguments: list[str], complaint: str
) -> None:
    ranks = 32 if "alltoall" in arguments else 2
    done = run_engine(*arguments, ranks=ranks)
    assert done.status == 2
    assert complaint in done.stderr
    assert done.of("samples") == []

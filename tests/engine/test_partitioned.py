"""Partitioned messages: what arrives, what is measured beside them, and what they gain."""

from __future__ import annotations

from statistics import median

import pytest

from conftest import RunEngine
from hockney.run.mpis import Engine

ASKED = ("--mode=partitioned", "--partitions=1,2,4", "--sizes=64,4KiB", "--seconds=0.05")


@pytest.fixture(autouse=True)
def _needs_mpi_4(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", "--seconds=0.01", "--sizes=0")
    mpi = done.of("launch")[0]["mpi"]
    if float(mpi["standard"]) < 4.0 and not str(mpi["version"]).startswith("5"):
        pytest.skip("this MPI has no partitioned communication")


def test_partitions_arrive_beside_whole_messages(run_engine: RunEngine) -> None:
    done = run_engine.ok("pairs", *ASKED, "--verify", ranks=2)
    points = {(s["bytes"], s["partitions"], s["mode"]) for s in done.of("samples")}
    assert points == {
        (b, p, m) for b in (64, 4096) for p in (1, 2, 4) for m in ("partitioned", "persistent")
    }


def test_a_damaged_byte_is_found(run_engine: RunEngine, faulty_engine: Engine) -> None:
    done = run_engine(
        "pairs",
        *ASKED,
        "--verify",
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: in a message of 64 bytes" in done.stderr


def test_a_message_waits_for_its_last_partition(run_engine: RunEngine) -> None:
    """Two partitions 1 ms apart: no message can arrive within less, so every sample is a message's
    time with the wait for its last part."""
    done = run_engine.ok(
        *("pairs", "--mode=partitioned", "--partitions=2", "--stagger=1e6", "--sizes=64"),
        "--seconds=0.2",
    )
    assert {s["stagger_ns"] for s in done.of("samples")} == {1e6}
    for mode in ("partitioned", "persistent"):
        times = [ns for s in done.of("samples") if s["mode"] == mode for ns in s["ns"]]
        assert median(times) >= 1e6


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ("--mode=partitioned", "need each other"),
        ("--partitions=4", "need each other"),
        ("--mode=partitioned --partitions=16 --sizes=8", "do not make as many equal parts"),
        ("--mode=partitioned --partitions=2 --sizes=0", "do not make as many equal parts"),
        ("--mode=partitioned --partitions=2 --any-source", "names its source"),
        ("--stagger=5", "--stagger needs --mode partitioned"),
        ("--mode=partitioned --partitions=2 --buffers=cold", "takes no --buffers cold"),
    ],
)
def test_bad_questions_are_told(run_alone: RunEngine, asked: str, complaint: str) -> None:
    run_alone.refused("pairs", "--sizes=64", *asked.split(), because=complaint)

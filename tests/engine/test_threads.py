"""Threads of a rank: who exchanges messages with whom, where they run, what is recorded."""

from __future__ import annotations

import os

import pytest

from conftest import RunEngine, first_of
from hockney.run.mpis import Engine

QUICK = ("--seconds=0.05", "--sizes=8,4KiB")
VERIFIED = (*QUICK, "--verify")
OPERATIONS = [
    "--mode=standard",
    "--mode=synchronous",
    "--mode=nonblocking",
    "--mode=persistent",
    "--operation=exchange",
    "--operation=exchange --mode=nonblocking",
    "--operation=exchange --mode=replace",
    "--operation=stream --window=4",
    "--operation=stream --mode=persistent --window=4",
    "--operation=bidirectional --window=4",
    "--operation=bidirectional --mode=persistent --window=4",
]


@pytest.mark.parametrize("comms", first_of(["shared", "own"]))
@pytest.mark.parametrize("asked", OPERATIONS)
def test_threads_deliver_what_they_should(run_engine: RunEngine, asked: str, comms: str) -> None:
    """Each thread has a pattern of its own: a message of another thread would be found."""
    threads = ("--threads=1,3", f"--thread-comms={comms}")
    done = run_engine.ok("pairs", *asked.split(), *threads, *VERIFIED)
    points = {(s["bytes"], s["threads"], s["thread_comms"]) for s in done.of("samples")}
    assert points == {(b, t, comms) for b in (8, 4096) for t in (1, 3)}


@pytest.mark.parametrize("asked", ["pingpong", "pairs --operation=stream --window=2"])
def test_a_damaged_byte_of_one_thread_is_found(
    run_engine: RunEngine, faulty_engine: Engine, asked: str
) -> None:
    done = run_engine(
        *asked.split(),
        *("--threads=2", "--verify", "--seconds=0.05", "--sizes=64"),
        path=faulty_engine.path,
        env={"HOCKNEY_FAULT_CORRUPT": "1"},
    )
    assert done.status != 0
    assert "data check: in a message of 64 bytes" in done.stderr


@pytest.mark.parametrize("asked", ["2:3", "3:1", "1:4"])
def test_more_threads_on_one_side_share_the_messages(run_engine: RunEngine, asked: str) -> None:
    """It ends only if the receivers take exactly as many messages as the senders send."""
    done = run_engine.ok("pairs", f"--threads={asked}", *QUICK)
    senders, receivers = map(int, asked.split(":"))
    assert {(s["threads"], s["receiver_threads"]) for s in done.of("samples")} == {
        (senders, receivers)
    }


def test_messages_of_several_senders_are_checked(run_engine: RunEngine) -> None:
    done = run_engine.ok("pingpong", "--threads=2:3", *VERIFIED)
    assert done.of("samples")


def test_the_library_grants_what_is_asked_for_and_nothing_more(run_engine: RunEngine) -> None:
    levels = []
    for threads in ((), ("--threads=1",)):
        done = run_engine.ok("pingpong", *threads, *QUICK)
        levels.append(done.of("launch")[0]["mpi"]["threads"])
    assert levels[1] == "multiple"
    assert levels[0] in {"single", "funneled", "serialized", "multiple"}


def test_threads_are_pinned_as_far_as_there_are_pus(run_engine: RunEngine) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    done = run_engine("pairs", "--threads=2", *QUICK)
    places = done.of("launch")[0]["places"]
    each = [place["thread_pus"] for place in places]
    assert all(len(pus) == 2 and set(pus) <= set(cpus) for pus in each)
    assert [pus[0] for pus in each] == [place["pu"] for place in places]
    if len(cpus) >= 4:
        assert len({pu for pus in each for pu in pus}) == 4
    else:
        assert all(pus[0] == pus[1] for pus in each)


def test_a_list_of_cpus_may_name_one_for_each_thread(run_engine: RunEngine) -> None:
    allowed = sorted(os.sched_getaffinity(0))
    first, second = allowed[0], allowed[-1]
    cpus = f"--cpus={first},{second},{second},{first}"
    done = run_engine.ok("pairs", "--threads=2", cpus, *QUICK)
    places = done.of("launch")[0]["places"]
    assert [place["thread_pus"] for place in places] == [[first, second], [second, first]]


def test_without_threads_nothing_is_said_of_them(run_engine: RunEngine) -> None:
    done = run_engine("pairs", *QUICK)
    assert not any("threads" in s for s in done.of("samples"))
    assert not any("thread_pus" in place for place in done.of("launch")[0]["places"])


@pytest.mark.long
def test_receives_may_leave_the_source_open(run_engine: RunEngine) -> None:
    for words in ("--mode=persistent", "--operation=exchange", "--operation=stream --window=4"):
        done = run_engine.ok("pairs", *words.split(), "--any-source", *VERIFIED, ranks=4)
        assert done.of("launch")[0]["axes"] == {"any_source": True}


@pytest.mark.long
def test_many_threads_end(run_engine: RunEngine) -> None:
    for threads in (1, 2, 4, 8):
        run_engine.ok("pairs", f"--threads={threads}", *VERIFIED)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ("--threads=0", "from 1 to 1024 threads"),
        ("--threads=2:", "expected a number"),
        ("--threads=2x", "--threads 2x: unexpected 'x'"),
        ("--threads=2:1 --operation=stream", "only pingpong has more threads on one side"),
        ("--threads=2:1 --thread-comms=own", "only threads that share a communicator"),
        ("--threads=2:1 --verify", "--verify needs a receiver for each sender"),
        ("--threads=2 --mode=partitioned --partitions=2", "leave out --threads"),
    ],
)
def test_bad_questions_are_told(run_alone: RunEngine, asked: str, complaint: str) -> None:
    run_alone.refused("pairs", *asked.split(), *QUICK, because=complaint)

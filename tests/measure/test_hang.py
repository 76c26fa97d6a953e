"""Launches that hang, and what is said of them: which rank, where, since when, waiting for whom."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from conftest import FAULTY, TEST_TIMEOUT_S, RunHockney, first_of
from hockney.run.measure.launches.hang import RankState, SeenRank, conclusions, once
from long_runs import LONG, engines_alive, measuring_into, nothing_left

FAULTS = {"HOCKNEY_CFLAGS": FAULTY}
LONG_AGO = r"(?:[2-9]|\d\d)"
"""Seconds, of the six without a report; the start of a slow machine takes some of them."""
WHERE = r"\(\S+, process \d+\)"
PLANTED = {
    "1:starting": rf"a rank {WHERE} never reached MPI_Init, while the others are in MPI_Init",
    "1:MPI_Init": rf"no rank \(on \S+\) has left MPI_Init for {LONG_AGO}",
    "-1:MPI_Init": rf"no rank \(on \S+\) has left MPI_Init for {LONG_AGO}",
    "1:setting up": rf"of 2 ranks 2 setting up for {LONG_AGO}",
    "1:exchange:1024": (
        rf"rank 0 {WHERE} and rank 1 {WHERE} exchange nothing in pingpong of 1 KiB for {LONG_AGO}"
    ),
    "1:between exchanges": (
        rf"rank 0 {WHERE} waits for rank 1 {WHERE} in pingpong of .*; that is between exchanges"
    ),
}


@pytest.mark.parametrize("fault", first_of(PLANTED))
def test_a_hang_is_located(hockney: RunHockney, fault: str) -> None:
    env = {**FAULTS, "HOCKNEY_FAULT_HANG": fault}
    done = hockney("pingpong", "-o", "run.jsonl", "--timeout", "6s", *LONG, env=env)
    assert done.status == 1
    assert re.search(f"launch 0 reported nothing for .*; {PLANTED[fault]}", done.stderr), (
        done.stderr
    )
    assert nothing_left()


@pytest.mark.long
def test_a_stopped_rank_is_named(tmp_path: Path) -> None:
    process = measuring_into(tmp_path / "run.jsonl", "--timeout", "10s")
    stopped = engines_alive()[-1]
    os.kill(stopped, signal.SIGSTOP)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert re.search(rf"rank \d \(\S+, process {stopped}\) is stopped, by a signal", stderr), stderr
    assert nothing_left()


def rank(
    number: int, phase: str = "exchange", host: str = "a", state: str = "R", **more: object
) -> SeenRank:
    shown = {"operation": "pingpong", "bytes": 8, "partner": -1} | more
    if number < 0:
        shown |= {"operation": "", "bytes": 0}
    own = RankState(rank=number, ranks=4, phase=phase, since_s=time.time(), **shown)  # type: ignore[arg-type]
    return SeenRank(host, 100 + number, state, own, 5.0)


def said(*seen: SeenRank, ranks: int = 4, **more: object) -> list[str]:
    return [conclusion.text for conclusion in conclusions(seen, ranks, set(), **more)]  # type: ignore[arg-type]


def test_nothing_is_said_where_nothing_was_seen() -> None:
    assert said() == []


def test_ranks_that_ended_are_named_unless_their_node_is_silent() -> None:
    left = [
        rank(0, "between exchanges"),
        rank(1, "between exchanges"),
        rank(3, "between exchanges"),
    ]
    assert said(*left) == ["rank 2 has ended; the others wait, between exchanges"]
    assert said(*left, is_partial=True) == ["of 3 ranks 3 between exchanges for 5 s"]


def test_ranks_that_were_not_started_have_no_number() -> None:
    assert said(rank(-1, "MPI_Init"), rank(-1, "MPI_Init")) == [
        "only 2 of 4 ranks were started (on a)"
    ]


def test_who_is_behind_in_a_collective_is_named() -> None:
    others = [rank(n, operation="allreduce", bytes=64) for n in (0, 1, 3)]
    assert said(*others, rank(2, "between exchanges", "b")) == [
        "rank 2 (b, process 102) is between exchanges, while the others are in allreduce of 64 B"
    ]


def test_nodes_that_do_not_reach_each_other() -> None:
    seen = [rank(-1, "MPI_Init", host) for host in ("a", "a", "b", "b")]
    assert said(*seen) == [
        "no rank (on a, b) has left MPI_Init for 5 s: its nodes do not reach each other"
    ]


def test_a_size_that_does_not_pass_is_named_with_one_that_does() -> None:
    seen = [rank(0, bytes=1 << 20, partner=1), rank(1, "exchange", "b", bytes=1 << 20, partner=0)]
    passed = {(frozenset((0, 1)), 8), (frozenset((0, 2)), 512)}
    assert [conclusion.text for conclusion in conclusions(seen, 2, passed)] == [
        "rank 0 (a, process 100) and rank 1 (b, process 101) exchange nothing in pingpong of 1 MiB "
        "for 5 s, while 8 B pass"
    ]


WAITING = (rank(0), rank(1), rank(2, host="b"))
CULPRITS: dict[str, tuple[list[SeenRank], dict[str, object], str | None]] = {
    "stopped on one node": ([*WAITING, rank(3, host="c", state="T")], {}, "c"),
    "stopped on two": (
        [*WAITING[:2], rank(2, host="b", state="T"), rank(3, host="c", state="T")],
        {},
        None,
    ),
    "stopped on the only node": ([*WAITING[:2], rank(2, state="T"), rank(3, state="T")], {}, None),
    "never in MPI_Init": (
        [
            rank(-1, "MPI_Init"),
            rank(-1, "MPI_Init"),
            rank(-1, "starting", "b"),
            rank(-1, "MPI_Init"),
        ],
        {},
        "b",
    ),
    "ended, on a known node": ([*WAITING], {"places": {0: "a", 1: "a", 2: "b", 3: "c"}}, "c"),
    "ended, nobody knows where": ([*WAITING], {}, None),
    "not started on one node": (
        [rank(-1, "MPI_Init"), rank(-1, "MPI_Init")],
        {"nodes": {"a": 2, "b": 2}},
        "b",
    ),
    "none left MPI_Init": ([rank(-1, "MPI_Init", host) for host in "aabb"], {}, None),
    "behind in a collective": ([*WAITING, rank(3, "between exchanges", "c")], {}, "c"),
    "one pair": (
        [rank(0, partner=2), rank(1), rank(2, host="b", partner=0), rank(3, host="b")],
        {},
        None,
    ),
    "all pairs of one node": (
        [
            *(rank(0, partner=2), rank(2, host="b", partner=0)),
            *(rank(1, host="c", partner=3), rank(3, host="b", partner=1)),
        ],
        {},
        "b",
    ),
}


@pytest.mark.parametrize("name", CULPRITS)
def test_a_node_is_the_cause_only_where_one_is(name: str) -> None:
    seen, more, host = CULPRITS[name]
    findings = conclusions(seen, 4, set(), **more)  # type: ignore[arg-type]
    assert {finding.host for finding in findings} == {host}


def test_a_rank_that_two_hosts_show_is_one_on_its_own_host() -> None:
    here = rank(1, host="a")
    there = SeenRank("b", here.pid, here.state, here.shown, here.for_s)
    assert once([here, there], {0: "a", 1: "b"}) == [there]
    assert once([here, there], {}) == [here]
    assert len(once([here, rank(2, host="b")], {})) == 2

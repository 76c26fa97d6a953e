"""Passes over all pairs, which are interrupted and go on where they ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import TEST_TIMEOUT_S, RunHockney
from fabric_samples import fabric_run
from hockney import records
from hockney.plan import Case, Placement, sizes_of
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import End, Run, visits_made
from hockney.run.measure.sessions.passes import pass_arguments
from long_runs import engines_alive, nothing_left

RANKS = 10
PAIRS = RANKS * (RANKS - 1) // 2
SIZES = "8,1KiB,64KiB,1MiB,4MiB"
PASS = ["fabric", "-n", str(RANKS), "--place", "none", "--serial", "--sizes", SIZES]


def pairs_in(run: Run) -> list[tuple[int, int]]:
    """Every pair of all visits, as often as it was measured."""
    return [tuple(sorted(pair)) for block in run.pair_times for pair in block.peers.tolist()]


@pytest.mark.long
def test_a_killed_rank_loses_nothing_that_was_finished(hockney: RunHockney, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "hockney", *PASS, "-o", str(path)),
            *("--launches", "1", "--budget", "10min"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(100 * TEST_TIMEOUT_S):
        if process.poll() is not None or (path.exists() and b"pair_times" in path.read_bytes()):
            break
        time.sleep(0.01)
    assert process.poll() is None, "the pass is too short to be interrupted"
    os.kill(engines_alive()[-1], signal.SIGKILL)
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 1
    assert "Traceback" not in stderr
    assert nothing_left()

    before = path.read_bytes()
    killed = records.read(path)
    made = visits_made(killed.pair_times, 0)
    assert 0 < made < PAIRS
    assert len(set(pairs_in(killed))) == len(pairs_in(killed)) == made

    hockney.ok(*PASS, "-o", str(path), "--launches", "1", "--budget", "10min", "--resume")
    run = records.read(path)
    assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert len(set(pairs_in(run))) == len(pairs_in(run)) == PAIRS
    assert run.ends[-1].reason == "complete"
    assert f"{PAIRS} pairs (100 % of all) in 1 pass" in hockney("show", str(path)).stdout


def test_each_launch_is_a_pass_in_an_order_of_its_own(hockney: RunHockney, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    words = ["-n", "5", "--sizes", "8", "--place", "none", "--launches", "2", "--budget", "10min"]
    assert hockney("fabric", *words, "-o", str(path)).status == 0
    run = records.read(path)
    first, second = ([b for b in run.pair_times if b.pass_number == i] for i in (0, 1))
    for blocks in (first, second):
        assert visits_made(blocks, blocks[0].pass_number) == 5
        every = {tuple(sorted(pair)) for block in blocks for pair in block.peers.tolist()}
        assert len(every) == 10
    # Of whole passes: a block has as many rounds as a busy machine makes of it.
    orders = [np.concatenate([block.peers for block in blocks]) for blocks in (first, second)]
    assert not np.array_equal(*orders)


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ([], []),
        (["complete"], []),
        (["budget"], ["--pass=0", "--from=23"]),
        (["failed"], ["--pass=0", "--from=23"]),
        (["interrupted", "complete"], []),
        (["interrupted", "budget"], ["--pass=0", "--from=23"]),
    ],
)
def test_the_next_launch_goes_on_with_a_pass_that_is_not_complete(
    reasons: list[str], words: list[str]
) -> None:
    run = fabric_run(nodes=24, passes=min(len(reasons), 1))
    for launch, reason in enumerate(reasons):
        run.pair_times.append(replace(run.pair_times[0], launch=launch))
        run.add(End(launch=launch, reason=reason))
    case = Case(workload=Fabric(sizes=sizes_of([8])), placement=Placement(ranks=24))
    assert pass_arguments(case, run) == words
    other = Case(workload=Pingpong(sizes=sizes_of([8])), placement=case.placement)
    assert pass_arguments(other, run) == []

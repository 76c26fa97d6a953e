"""Delays that other processes on the CPUs can explain accuse nobody."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.boards import NODE, PAIR, Board, Network
from hockney.infer.analysis.network.faults import judged
from hockney.records import Noise, Run

NODES, SLOW = 8, 3
HELD = 0.6
"""1 / (1 - HELD) is 2.5."""


def board(ratio: float, is_slow: Callable[[int, int], bool]) -> Board:
    ends = np.array(list(itertools.combinations(range(NODES), 2)))
    random = np.random.default_rng(4)
    logs = random.normal(0.0, 0.02, len(ends))
    logs[[is_slow(*pair) for pair in ends.tolist()]] += np.log(ratio)
    launches = logs + random.normal(0.0, 0.02, (5, len(ends)))
    return Board("8 B", ends, np.zeros(len(ends), np.int64), logs, launches)


@pytest.mark.parametrize(
    ("kind", "is_slow"),
    [(NODE, lambda a, b: SLOW in (a, b)), (PAIR, lambda a, b: (a, b) == (SLOW, SLOW + 1))],
)
@pytest.mark.parametrize(
    ("held", "ratio", "is_named"), [(0.0, 1.5, True), (HELD, 1.5, False), (HELD, 4.0, True)]
)
def test_only_what_is_slower_than_held_cpus_explain_is_named(
    kind: str, is_slow: Callable[[int, int], bool], held: float, ratio: float, is_named: bool
) -> None:
    network = Network(np.arange(NODES), np.full(NODES, -1), is_simulated=False, held=held)
    judgement = judged([board(ratio, is_slow)], network)
    assert [fault.kind for fault in judgement.faults] == [kind] * is_named
    hold = [doubt.why for doubt in judgement.doubts if "held the CPUs" in doubt.why]
    assert hold == [
        "other processes held the CPUs of half of the ranks for 60 % of the time, which may take "
        "2.5 times as long: what is less slow is not named"
    ] * bool(held)


def test_cpus_held_for_a_moment_hide_nothing() -> None:
    network = Network(np.arange(NODES), np.full(NODES, -1), is_simulated=False, held=0.05)
    assert not judged([board(1.0, lambda _, __: False)], network).doubts


def held_run(waited: list[float]) -> Run:
    """24 nodes, of which number 3 is 1.5 times as slow."""
    run = fabric_run(passes=5)
    for block in run.pair_times:
        block.ns[:, (block.peers == SLOW).any(axis=1)] *= 1.5
    run.noises = [
        Noise(launch=0, rank=rank, wall_s=1.0, cpu_s=1.0 - part, waited_s=part)
        for rank, part in enumerate(waited)
    ]
    return run


@pytest.mark.parametrize(
    ("waited", "is_named"),
    [
        ([0.0] * 24, True),
        ([0.6] * 24, False),
        # A node whose CPU was held is slow, whatever the reason.
        ([0.0] * 3 + [0.9] + [0.0] * 20, True),
    ],
)
def test_the_records_of_a_run_tell_for_how_long_cpus_were_held(
    waited: list[float], is_named: bool
) -> None:
    verdict = Analysis(held_run(waited)).verdict
    assert verdict is not None
    assert [suspect.names for suspect in verdict.slow] == [("n3",)] * is_named
    assert is_named or any("held the CPUs" in doubt.why for doubt in verdict.doubts)

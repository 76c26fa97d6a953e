"""A reduced form of benchmarks/planted.py: planted faults are named, or nobody can know."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hockney.infer.analysis.network.boards import Board, Network
from hockney.infer.analysis.network.faults import judged
from planted_networks import (
    FALSE,
    FAULTS,
    MISSED,
    NOT_JUDGED,
    RIGHT,
    SHAPES,
    can_be_known,
    outcome,
    planted,
)


@pytest.mark.parametrize("verb", ["fabric", "pairs"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("noise", [0.0, pytest.param(0.03, marks=pytest.mark.long)])
def test_every_planted_fault_of_sixteen_nodes(shape: str, verb: str, noise: float) -> None:
    for fault in FAULTS:
        network = planted(shape, 16, fault, 1)
        if network is None:
            continue
        launches = 5 if noise else 1
        for known in (False, True) if network.leaf else (False,):
            verdict = outcome(network, verb, noise, launches, known, 1)
            if can_be_known(network, verb):
                assert verdict == RIGHT, fault
            elif fault != "node latency 1.2x":  # hidden by routes of different lengths
                assert verdict in (RIGHT, NOT_JUDGED), fault


def test_four_pairs_and_one_of_two_uplinks_cannot_be_known() -> None:
    for fault in ("none", "node both 2.0x"):
        network = planted("star", 8, fault, 1)
        assert network is not None
        assert outcome(network, "pairs", 0.0, 1, False, 1) == NOT_JUDGED
    for fault in ("uplink 2x", "switch 2x"):
        network = planted("tree", 8, fault, 1)
        assert network is not None
        for known in (False, True):
            assert outcome(network, "fabric", 0.0, 1, known, 1) == NOT_JUDGED


def test_an_uplink_is_named_by_the_nodes_behind_it_where_switches_are_unknown() -> None:
    network = planted("tree", 64, "uplink 2x", 1)
    assert network is not None
    assert [outcome(network, "fabric", 0.03, 5, known, 1) for known in (False, True)] == [RIGHT] * 2


@pytest.mark.filterwarnings("error")
def test_the_inside_of_a_slow_switch_is_not_judged_without_another_to_compare_with() -> None:
    """Only the switch with a slow uplink has two measured nodes."""
    switch = np.array([0, 0, *range(1, 15)])
    ends = np.array(list(combinations(range(16), 2)))
    is_slow = (ends < 2).any(axis=1)
    kinds = np.where((ends < 2).all(axis=1), 0, 1)
    logs = np.log(np.where(is_slow, 4e-6, 2e-6))
    board = Board("8 B", ends, kinds, logs, logs[None])
    judgement = judged([board], Network(np.arange(16), switch, is_simulated=True))
    assert [(fault.kind, fault.units) for fault in judgement.faults] == [("uplink", (0,))]
    assert "no other switch with two measured nodes" in judgement.doubts[0].why


def test_a_switch_whose_nodes_met_no_others_has_no_slow_links() -> None:
    switch = np.repeat(np.arange(6), 4)
    ends = np.array([pair for pair in combinations(range(24), 2) if len({*switch[[*pair]]}) == 1])
    logs = np.log(np.where((ends < 4).all(axis=1), 4e-6, 2e-6))
    board = Board("8 B", ends, np.zeros(len(ends), np.int64), logs, logs[None])
    judgement = judged([board], Network(np.arange(24), switch, is_simulated=True))
    assert [(fault.kind, fault.units) for fault in judgement.faults] == [("switch", (0,))]


@pytest.mark.parametrize("launches", [1, 2, 5])
def test_noise_that_hides_a_fault_is_no_pass(launches: int) -> None:
    """A node 1.2 times slower among eight, and 10 % of noise."""
    seen = set()
    for seed in range(8):
        network = planted("star", 8, "node both 1.2x", seed)
        assert network is not None
        seen.add(outcome(network, "fabric", 0.1, launches, False, seed))
    assert not seen & {MISSED, FALSE}


@pytest.mark.parametrize("shape", SHAPES)
def test_nobody_is_accused_of_noise(shape: str) -> None:
    for seed in range(12):
        network = planted(shape, 16, "none", seed)
        assert network is not None
        noise = (0.01, 0.03, 0.1, 0.2)[seed % 4]
        for verb in ("fabric", "pairs"):
            assert outcome(network, verb, noise, 5, False, seed) in (RIGHT, NOT_JUDGED)

"""A reduced form of benchmarks/planted.py: planted faults are named, or nobody can know."""

from __future__ import annotations

import pytest

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
            found = outcome(network, verb, noise, launches, known, 1)
            if can_be_known(network, verb):
                assert found == RIGHT, fault
            elif fault != "node latency 1.2x":  # hidden by routes of different lengths
                assert found in (RIGHT, NOT_JUDGED), fault


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

"""Rounds of pairs, and the choice among them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hockney.infer.locate.candidates import SwitchRoutes
from hockney.infer.locate.design import (
    all_rounds,
    drawn,
    pair_between,
    round_of,
    round_pairs,
    separating,
)


@pytest.mark.parametrize("ranks", [4, 5, 8, 13])
def test_every_two_ranks_meet_once_in_all_rounds(ranks: int) -> None:
    met = []
    for number in range(all_rounds(ranks)):
        pairs = round_pairs(ranks, number)
        assert len(set(pairs.ravel().tolist())) == 2 * (ranks // 2)
        assert round_of(ranks, pairs).tolist() == [number] * len(pairs)
        met += [tuple(pair) for pair in pairs.tolist()]
    assert sorted(met) == list(combinations(range(ranks), 2))


def test_rounds_by_lot_are_new_as_long_as_there_are_some() -> None:
    rounds = drawn(8, 5, [0, 1, 2, 3], np.random.default_rng(1))
    assert sorted(rounds[:3]) == [4, 5, 6]
    assert len(rounds) == 5


def switches(count: int, each: int) -> SwitchRoutes:
    nodes = count * each
    paths = [("core", f"s{i // each}") for i in range(nodes)]
    return SwitchRoutes([f"n{i}" for i in range(nodes)], paths, list(range(nodes)))


def test_chosen_rounds_separate_two_suspects_better_than_chance() -> None:
    """The cable is crossed by pairs of the other suspect, a node, and by further pairs, of which a
    round by lot has hardly any."""
    network, ranks = switches(16, 4), 64
    names = [part.names for part in network.parts]
    cable, node = names.index(("s2", "s5")), names.index(("n8",))
    need = np.zeros(len(network.parts))
    need[[cable, node]] = 1.0

    def crossings(rounds: list[int]) -> float:
        passed = [network.passed(round_pairs(ranks, number)).weights for number in rounds]
        return float(sum(weights[:, [cable]].sum() for weights in passed))

    nothing = network.passed(np.zeros((0, 2), np.int64)).weights
    by_lot = drawn(ranks, 4, [], np.random.default_rng([3]))
    chosen = separating(network, ranks, 4, [], nothing, need, np.random.default_rng([3]))
    assert crossings(chosen) >= 2 * max(crossings(by_lot), 4.0)


def test_a_pair_that_would_separate_is_named() -> None:
    network = switches(4, 4)
    names = [part.names for part in network.parts]
    node, other = names.index(("n1",)), names.index(("n2",))
    pair = pair_between(network, 16, node, other)
    assert pair is not None
    assert len({1, 2} & set(pair)) == 1
    assert pair_between(network, 16, node, node) is None

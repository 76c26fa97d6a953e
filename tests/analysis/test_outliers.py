from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import combinations

import pytest

from conftest import first_of
from hockney.infer.analysis.network.outliers import Outlier, find_outliers
from hockney.infer.estimate import estimate
from hockney.records import Place, Run
from samples import Pair, make_pairs_run, one_a_node

SIZES = (8, 65536)
ALL_PAIRS = [[pair] for pair in combinations(range(24), 2)]
HALVES = [[(rank, rank + 32) for rank in range(32)]]


def run_of(
    seconds: Callable[[Pair, int], float],
    at_once: list[list[Pair]],
    places: list[Place],
    noise: float = 0.0,
    seed: int = 1,
) -> Run:
    chance = random.Random(seed)
    return make_pairs_run(
        lambda _, pair, size, __: [1e9 * seconds(pair, size) * (1.0 + noise * chance.gauss(0, 1))],
        at_once,
        places,
        rounds=1,
        sizes=SIZES,
    )


def alike(_: Pair, size: int) -> float:
    return 2e-6 + 1e-9 * size


def two_levels(pair: Pair, size: int) -> float:
    """Switches of four nodes: latency and bandwidth are better below one."""
    return alike(pair, size) * (1.0 if pair[0] // 4 == pair[1] // 4 else 1.8)


def found(run: Run) -> list[Outlier]:
    return list(find_outliers(run, estimate(run), None).slow)


def accused(run: Run) -> list[tuple[str, tuple[int, ...]]]:
    return [(outlier.what, outlier.ranks) for outlier in found(run)]


@pytest.mark.parametrize("noise", [0.0, 0.03])
@pytest.mark.parametrize("network", [alike, two_levels])
def test_a_slow_node_is_named_once_and_nobody_else(
    network: Callable[[Pair, int], float], noise: float
) -> None:
    """Half the bandwidth: nothing shows at 8 bytes."""

    def seconds(pair: Pair, size: int) -> float:
        return network(pair, size) + (1e-9 * size if 7 in pair else 0.0)

    (outlier,) = found(run_of(seconds, ALL_PAIRS, one_a_node(24), noise))
    assert (outlier.what, outlier.ranks, outlier.bytes, outlier.group) == (
        "node",
        (7,),
        65536,
        "different nodes",
    )
    assert outlier.ratio == pytest.approx(1.97 if network is alike else 1.54, rel=0.1)
    assert outlier.p < 0.01
    assert outlier.agreeing == outlier.looks == 5


@pytest.mark.parametrize("network", [alike, two_levels])
def test_a_slow_pair_is_named_alone(network: Callable[[Pair, int], float]) -> None:
    def seconds(pair: Pair, size: int) -> float:
        return network(pair, size) * (1.9 if pair == (3, 17) else 1.0)

    assert accused(run_of(seconds, ALL_PAIRS, one_a_node(24), 0.02)) == [("pair", (3, 17))]


@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_where_each_node_is_in_one_pair_the_pair_is_named(noise: float) -> None:
    def seconds(pair: Pair, size: int) -> float:
        return alike(pair, size) + (0.8e-6 if pair == (5, 37) else 0.0)

    assert accused(run_of(seconds, HALVES, one_a_node(64), noise)) == [("pair", (5, 37))]


def test_a_slow_place_among_those_of_its_node_is_named() -> None:
    places = [Place(rank=r, host=f"h{r // 8}", pu=r % 8, core=r % 8) for r in range(16)]
    pairs = [[pair] for pair in combinations(range(16), 2)]

    def seconds(pair: Pair, size: int) -> float:
        near = pair[0] // 8 == pair[1] // 8
        return alike(pair, size) * (0.2 if near else 1.0) * (1.4 if 11 in pair else 1.0)

    assert accused(run_of(seconds, pairs, places, 0.02)) == [("place", (11,))]


def test_a_slow_node_with_many_ranks_is_one_node() -> None:
    places = [Place(rank=r, host=f"h{r // 2}", pu=r % 2, core=r % 2) for r in range(16)]
    pairs = [[pair] for pair in combinations(range(16), 2)]

    def seconds(pair: Pair, size: int) -> float:
        near = pair[0] // 2 == pair[1] // 2
        slow = not near and 3 in (pair[0] // 2, pair[1] // 2)
        return alike(pair, size) * (0.2 if near else 1.0) * (1.6 if slow else 1.0)

    assert accused(run_of(seconds, pairs, places, 0.02)) == [("node", (6, 7))]


@pytest.mark.long
@pytest.mark.parametrize("network", [alike, two_levels])
@pytest.mark.parametrize("at_once", [ALL_PAIRS, HALVES], ids=["all", "halves"])
def test_nobody_is_accused_of_noise(
    network: Callable[[Pair, int], float], at_once: list[list[Pair]]
) -> None:
    """Quiet, usual and wild noise: the rule allows a false outlier in 1 of 100."""
    for seed in range(6):
        noise = (0.01, 0.05, 0.2)[seed % 3]
        assert accused(run_of(network, at_once, one_a_node(64), noise, seed)) == []


def test_a_difference_below_the_least_ratio_is_no_fault() -> None:
    def seconds(pair: Pair, size: int) -> float:
        return alike(pair, size) * (1.08 if 7 in pair else 1.0)

    assert accused(run_of(seconds, ALL_PAIRS, one_a_node(24))) == []


def test_what_is_slow_in_one_launch_only_is_not_accused() -> None:
    run = make_pairs_run(
        lambda launch, pair, *_: [2000.0 * (9.0 if pair == (5, 37) and launch < 2 else 1.0)],
        HALVES,
        one_a_node(64),
    )
    assert accused(run) == []


def test_few_are_no_group() -> None:
    def seconds(pair: Pair, size: int) -> float:
        return alike(pair, size) * (9.0 if pair == (0, 1) else 1.0)

    run = run_of(seconds, [[(0, 1), (2, 3), (4, 5)]], one_a_node(6))
    outliers = find_outliers(run, estimate(run), None)
    assert (outliers.slow, outliers.judged) == ((), {})
    assert outliers.doubts[0].why == "too few pairs to compare: 5 are needed"


def doubts(run: Run) -> list[str]:
    return [doubt.why for doubt in find_outliers(run, estimate(run), None).doubts]


@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_most_nodes_may_be_the_slow_ones(noise: float) -> None:
    def seconds(pair: Pair, size: int) -> float:
        return alike(pair, size) * (1.0 + sum(0.5 for rank in pair if rank != 3))

    run = run_of(seconds, ALL_PAIRS, one_a_node(24), noise)
    assert accused(run) == []
    (why,) = doubts(run)
    assert re.match(r"1 of 24 nodes are up to 1.3[34] times as fast as the rest at 8 B", why)


@pytest.mark.parametrize(("factor", "noise"), first_of([(1.3, 0.03), (3.0, 0.0)]))
def test_half_of_the_nodes_may_be_the_slow_ones(factor: float, noise: float) -> None:
    def seconds(pair: Pair, size: int) -> float:
        return alike(pair, size) * (1.0 + (factor - 1.0) * sum(rank % 2 for rank in pair) / 2.0)

    run = run_of(seconds, ALL_PAIRS, one_a_node(24), noise)
    assert accused(run) == []
    assert any("12 of 24 nodes take longer" in why for why in doubts(run)), doubts(run)


def test_of_four_nodes_those_that_differ_are_a_doubt() -> None:
    def seconds(pair: Pair, size: int) -> float:
        return alike(pair, size) * (1.0 if pair == (0, 1) else 2.0)

    pairs = [[pair] for pair in combinations(range(4), 2)]
    run = run_of(seconds, pairs, one_a_node(4), 0.02)
    assert accused(run) == []
    assert any("too few to say which is slow" in why for why in doubts(run)), doubts(run)
    assert doubts(run_of(alike, pairs, one_a_node(4), 0.02)) == []


def test_a_node_that_is_in_no_pair_is_a_doubt() -> None:
    pairs = [[pair] for pair in combinations(range(24), 2) if 5 not in pair]
    run = run_of(alike, pairs, one_a_node(24))
    assert accused(run) == []
    assert doubts(run) == ["no pair of n5 was measured"]

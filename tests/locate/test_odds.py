"""What is slow is named from the times of few rounds, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from hockney.infer.locate.candidates import SwitchRoutes
from hockney.infer.locate.design import round_pairs
from hockney.infer.locate.explanations import Explanations
from hockney.infer.locate.odds import SURE, RoundTimes, judge
from hockney.infer.locate.search import RoundSearch, is_decided

NOISE = 0.03


def network(leaves: int = 8, each: int = 8, processes: int = 1) -> SwitchRoutes:
    nodes = leaves * each
    paths = [("core", f"s{i // each}") for i in range(nodes)]
    host_of = [rank // processes for rank in range(nodes * processes)]
    return SwitchRoutes([f"n{i}" for i in range(nodes)], paths, host_of)


def number(routes: SwitchRoutes, *names: str) -> int:
    return [part.names for part in routes.parts].index(names)


def times(
    routes: SwitchRoutes,
    rounds: int = 16,
    slow: dict[int, float] | None = None,
    lost: dict[int, float] | None = None,
    holes: float = 0.0,
    seed: int = 1,
) -> RoundTimes:
    """Times of one size in these first rounds, by Student's t; `slow` has factors, `lost` the
    fraction of times that are 20 times as long."""
    random = np.random.default_rng(seed)
    ranks = len(routes.host_of)
    pairs = np.concatenate([round_pairs(ranks, 7 * i % (ranks - 1)) for i in range(rounds)])
    passed = routes.passed(pairs)
    logs = -11.0 + 0.3 * passed.levels + NOISE * random.standard_t(3.0, len(pairs))
    for part, factor in (slow or {}).items():
        logs += np.log(factor) * passed.weights[:, [part]].toarray().ravel()
    for part, fraction in (lost or {}).items():
        own = passed.weights[:, [part]].toarray().ravel() > 0.0
        logs += np.log(20.0) * (own & (random.random(len(pairs)) < fraction))
    logs[random.random(len(pairs)) < holes] = np.nan
    return RoundTimes(logs[None], passed.weights, passed.levels[None])


def judged(routes: SwitchRoutes, **changes: object) -> Explanations:
    return judge(times(routes, **changes), list(routes.parts))  # type: ignore[arg-type]


def test_nothing_is_named_where_nothing_is_slow() -> None:
    routes = network()
    assert all(not judged(routes, seed=seed).slow_parts for seed in range(20))


@pytest.mark.parametrize("names", [("n17",), ("s2",), ("s1", "s5")])
@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_a_slow_part_is_named_with_its_ratio(names: tuple[str, ...], holes: float) -> None:
    routes = network()
    part = number(routes, *names)
    (fault,) = judged(routes, rounds=24, slow={part: 1.25}, holes=holes).slow_parts
    assert routes.parts[fault.part].names == names
    assert fault.odds_log > SURE
    assert fault.interval.low < 1.25 < fault.interval.high
    assert fault.lost is None


def test_an_uplink_and_a_whole_switch_are_separated_by_pairs_inside() -> None:
    routes = network()
    uplink = number(routes, "s2")
    inside = [i for i, part in enumerate(routes.parts) if part.kind == "switch"][2]
    assert [fault.part for fault in judged(routes, slow={uplink: 1.3}).slow_parts] == [uplink]
    assert [fault.part for fault in judged(routes, slow={inside: 1.3}).slow_parts] == [inside]


def test_two_faults_at_once() -> None:
    routes = network()
    slow = {number(routes, "n3"): 1.3, number(routes, "s4", "s6"): 1.4}
    assert {fault.part for fault in judged(routes, rounds=24, slow=slow).slow_parts} == set(slow)


def test_lost_messages_make_some_times_far_longer() -> None:
    routes = network()
    part = number(routes, "n9")
    (fault,) = judged(routes, rounds=40, lost={part: 0.3}).slow_parts
    assert fault.part == part
    assert fault.lost is not None
    assert 0.1 < fault.lost < 0.5
    assert fault.ratio == pytest.approx(20.0, rel=0.1)


def test_a_process_is_not_its_node() -> None:
    routes = network(8, 4, processes=2)
    rank = number(routes, "rank 9 on n4")
    assert [fault.part for fault in judged(routes, slow={rank: 1.3}).slow_parts] == [rank]
    node = number(routes, "n4")
    assert [fault.part for fault in judged(routes, slow={node: 1.3}).slow_parts] == [node]


def test_what_nothing_separates_is_said() -> None:
    """A switch with one node: its pairs are those of the node."""
    paths = [("core", f"s{i // 4}") for i in range(28)] + [("core", "lone")]
    routes = SwitchRoutes([f"n{i}" for i in range(29)], paths, list(range(29)))
    (fault,) = judged(routes, slow={number(routes, "n28"): 1.4}).slow_parts
    assert routes.parts[fault.part].names == ("n28",)
    assert {routes.parts[i].names for i in fault.same} == {("lone",)}


def test_links_that_most_pairs_pass_are_not_judged() -> None:
    routes = network(2, 8)
    explanations = judged(routes)
    kinds = {routes.parts[i].kind for i in explanations.unjudged}
    assert {"uplink"} <= kinds


def test_small_differences_of_sound_nodes_accuse_nobody() -> None:
    routes = network()
    random = np.random.default_rng(5)
    differences = {node: float(np.exp(random.normal(0.0, 0.015))) for node in range(64)}
    assert judged(routes, rounds=60, slow=differences).slow_parts == []


def test_a_search_ends_where_all_is_known() -> None:
    routes = network()
    part = number(routes, "n17")
    search = RoundSearch(64, 63)
    rounds = search.first()
    made = 0
    while rounds:
        made += len(rounds)
        measured = times(routes, rounds=made, slow={part: 1.25})
        explained = judge(measured, list(routes.parts))
        rounds = search.next(routes, measured, explained)
    assert is_decided(explained)
    assert [fault.part for fault in explained.slow_parts] == [part]
    assert search.steps >= 2
    assert len(search.made) == made < 63
    assert len(set(search.made)) == made


def test_the_likeliest_of_many_overwhelming_explanations_is_named() -> None:
    """Each of the two nodes of a slow switch explains half of its times, and may pass for a
    fault."""
    routes = network(8, 2)
    switch = [i for i, part in enumerate(routes.parts) if part.kind == "switch"][2]
    (fault,) = judged(routes, rounds=400, slow={switch: 2.0}).slow_parts
    assert fault.part == switch

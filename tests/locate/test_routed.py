"""Networks whose routes are computed: their parts, levels and company."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hockney.infer.locate.candidates import CABLE, OneWayRoutes
from hockney.infer.locate.design import round_pairs
from hockney.infer.locate.platform_routes import routes_between
from hockney.infer.locate.routed import RoutedNetwork
from hockney.plan.platform_files import platform_network
from platform_networks import cluster_xml, network_in

CLUSTERS = [
    (16, "FAT_TREE", "2;4,4;1,4;1,1"),
    (16, "TORUS", "4,4"),
    (32, "DRAGONFLY", "4,1;1,1;4,1;2"),
]


def routed(nodes: int, topology: str, parameters: str, each: int = 1) -> RoutedNetwork:
    network = network_in(cluster_xml(nodes, topology, parameters))
    host_of = [rank // each for rank in range(nodes * each)]
    routes = routes_between(network, network.hosts, host_of)
    assert routes is not None
    return routes


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_part_is_passed_by_some_pair_and_by_no_more_than_all_messages(
    cluster: tuple[int, str, str],
) -> None:
    network = routed(*cluster)
    pairs = np.concatenate([round_pairs(cluster[0], i) for i in range(cluster[0] - 1)])
    weights = network.passed(pairs).weights
    assert (weights.sum(axis=0) > 0.0).all()
    assert weights.max() <= 1.0
    assert weights.shape == (len(pairs), len(network.parts))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_message_one_way_passes_its_own_directions(cluster: tuple[int, str, str]) -> None:
    network = OneWayRoutes(routed(*cluster))
    there = network.of_messages(np.array([[1, 14]])).weights.toarray()[0]
    back = network.of_messages(np.array([[14, 1]])).weights.toarray()[0]
    ways = np.array([part.way is not None for part in network.parts])
    assert there[ways].any()
    assert not (there * back)[ways].any()


def test_a_cable_of_a_torus_is_named_in_the_direction_of_its_messages() -> None:
    network = OneWayRoutes(routed(16, "TORUS", "4,4"))
    weights = network.of_messages(np.array([[6, 5]])).weights.toarray()[0]
    cables = [network.parts[i] for i in np.flatnonzero(weights) if network.parts[i].kind == CABLE]
    assert [(part.names, part.note) for part in cables if part.way] == [(("n6", "n5"), "x-")]


def test_only_what_the_ranks_pass_is_a_part() -> None:
    """Of a torus of 16 nodes in a ring, ranks on three neighbours."""
    network = network_in(cluster_xml(16, "TORUS", "16"))
    routes = routes_between(network, ["n3", "n4", "n5"], [0, 1, 2])
    assert routes is not None
    names = [part.names for part in routes.parts if part.kind == CABLE]
    assert names == [("n3", "n4"), ("n4", "n5")]


def test_processes_of_a_node_are_parts_and_pass_no_cable_among_themselves() -> None:
    network = routed(16, "TORUS", "4,4", each=2)
    passed = network.passed(np.array([[0, 1], [0, 2]]))
    kinds = [part.kind for part in network.parts]
    assert kinds.count("process") == 32
    assert passed.levels[0] == 0
    cables = np.array([kind == CABLE for kind in kinds])
    assert passed.weights.toarray()[:, cables].sum(axis=1).tolist() == [0.0, 1.0]


def test_hosts_that_the_platform_does_not_have_leave_the_routes_unknown() -> None:
    network = network_in(cluster_xml(16, "TORUS", "4,4"))
    assert routes_between(network, ["n3", "spare"], [0, 1]) is None


def test_pairs_that_share_a_cable_in_one_direction_are_delayed() -> None:
    """Both of the first pairs pass n1 to n2; the others are elsewhere, or in another round."""
    network = routed(16, "TORUS", "16")
    pairs, rounds = np.array([[0, 2], [1, 3], [8, 9], [2, 5]]), np.array([0, 0, 0, 1])
    assert network.delayed(pairs, rounds).tolist() == [True, True, False, False]
    wide = routed(32, "DRAGONFLY", "4,2;1,1;4,2;2")
    narrow = routed(32, "DRAGONFLY", "4,1;1,1;4,1;2")
    pairs, rounds = np.array([[0, 2], [1, 3]]), np.zeros(2, np.int64)
    assert wide.delayed(pairs, rounds).tolist() == [False, False]
    assert narrow.delayed(pairs, rounds).tolist() == [True, True]


BACKBONE = (
    '<platform><zone id="w" routing="Full">'
    '<cluster id="a" prefix="a" radical="0-3" suffix="" bw="1GBps" bb_bw="{}" '
    'bb_sharing_policy="{}"/>'
    '<cluster id="b" prefix="b" radical="0-1" suffix="" bw="1GBps"/>'
    '<zoneRoute src="a" dst="b" gw_src="aa_router" gw_dst="bb_router"/></zone></platform>'
)


@pytest.mark.parametrize(
    ("speed", "policy", "waits"),
    [
        ("1GBps", "SHARED", True),
        ("1E9Bps", "SHARED", True),
        ("2GBps", "SHARED", False),
        ("1e308Bps", "SHARED", False),
        *((speed, "SHARED", True) for speed in ("1.2.3Gbps", "0Bps", "1e999Bps", 400 * "9", "")),
        ("1GBps", "FATPIPE", False),
    ],
)
def test_pairs_of_a_cluster_wait_for_each_other_at_its_backbone(
    speed: str, policy: str, waits: bool
) -> None:
    network = platform_network(BACKBONE.format(speed, policy), "platform.xml")
    assert network is not None
    routes = routes_between(network, network.hosts, range(6))
    assert routes is not None
    delayed = routes.delayed(np.array([[0, 1], [2, 3], [4, 5]]), np.zeros(3, np.int64))
    assert delayed.tolist() == [waits, waits, False]


@pytest.mark.parametrize(
    ("cluster", "host_of"),
    [((4, "FAT_TREE", "1;4;1;1"), range(4)), ((4, "TORUS", "4"), 4 * [0])],
)
def test_pairs_that_pass_no_cable_are_not_delayed(
    cluster: tuple[int, str, str], host_of: Sequence[int]
) -> None:
    network = network_in(cluster_xml(*cluster))
    routes = routes_between(network, network.hosts, host_of)
    assert routes is not None
    assert not routes.delayed(np.array([[0, 1], [2, 3]]), np.zeros(2, np.int64)).any()


def test_a_pair_that_is_measured_twice_in_a_round_delays_itself_nowhere() -> None:
    """Messages of both ways pass the same direction of a cable halfway around."""
    network = routed(2, "TORUS", "2")
    pairs, rounds = np.array([[0, 1], [1, 0], [0, 1]]), np.array([0, 0, 1])
    assert not network.delayed(pairs, rounds).any()


def test_a_part_counts_once_for_both_of_its_directions() -> None:
    both = routed(16, "FAT_TREE", "2;4,4;1,1;1,2")
    network = OneWayRoutes(both)
    ends = [(frozenset(part.names), part.note) for part in both.parts]
    assert [ends[i] for i in network.both_ways] == [
        (frozenset(part.names), part.note) for part in network.parts
    ]

"""Networks whose routes are computed: their parts, levels and company."""

from __future__ import annotations

import numpy as np
import pytest

from hockney.infer.locate.candidates import CABLE, OneWayRoutes
from hockney.infer.locate.design import round_pairs
from hockney.infer.locate.platform_routes import routes_between
from hockney.infer.locate.routed import RoutedNetwork
from platform_networks import cluster_xml, network_in

CLUSTERS = [
    (16, "FAT_TREE", "2;4,4;1,4;1,1"),
    (16, "TORUS", "4,4"),
    (32, "DRAGONFLY", "4,1;1,1;4,1;2"),
]


def routed(nodes: int, topology: str, parameters: str, each: int = 1) -> RoutedNetwork:
    network = network_in(cluster_xml(nodes, topology, parameters))
    host_of = [rank // each for rank in range(nodes * each)]
    found = routes_between(network, network.hosts, host_of)
    assert found is not None
    return found


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
    found = network.of_messages(np.array([[6, 5]])).weights.toarray()[0]
    cables = [network.parts[i] for i in np.flatnonzero(found) if network.parts[i].kind == CABLE]
    assert [(part.names, part.note) for part in cables if part.way] == [(("n6", "n5"), "x-")]


def test_only_what_the_ranks_pass_is_a_part() -> None:
    """Of a torus of 16 nodes in a ring, ranks on three neighbours."""
    network = network_in(cluster_xml(16, "TORUS", "16"))
    found = routes_between(network, ["n3", "n4", "n5"], [0, 1, 2])
    assert found is not None
    names = [part.names for part in found.parts if part.kind == CABLE]
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

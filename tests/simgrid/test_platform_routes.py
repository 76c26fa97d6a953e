"""The routes that a platform file is taken to have are SimGrid's own."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from conftest import TEST_TIMEOUT_S, kept_short
from hockney.infer.locate.platform_routes import shape_of
from hockney.infer.locate.written_routes import WrittenRoutes
from hockney.plan.platform_files import platform_network
from platform_networks import cluster_xml, network_in

pytestmark = pytest.mark.simgrid
PROGRAM = Path(__file__).parent / "routes.c"
CLUSTERS = [
    (16, "FAT_TREE", "2;4,4;1,2;1,2"),
    (24, "FAT_TREE", "3;2,3,4;1,2,2;1,2,1"),
    (24, "FAT_TREE", "3;2,3,4;2,1,3;1,1,3"),
    (36, "FAT_TREE", "3;3,3,4;2,2,2;2,3,2"),
    (15, "TORUS", "5,3"),
    (32, "TORUS", "2,4,4"),
    (6, "TORUS", "6"),
    (16, "TORUS", "2,2,2,2"),
    (72, "DRAGONFLY", "3,1;2,1;3,1;4"),
    (24, "DRAGONFLY", "2,2;1,1;4,3;3"),
    (18, "DRAGONFLY", "1,1;3,1;3,1;2"),
]
ZONES = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <zone id="w" routing="Full">
  <cluster id="l" prefix="l" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"
           router_id="lsw"/>
  <cluster id="r" prefix="r" suffix=".x" radical="0-2" speed="1Gf" bw="1GBps" lat="1us"
           bb_bw="3GBps" bb_lat="1us"/>
  <zone id="h" routing="Full">
    <host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/><router id="hr"/>
    <link id="a" bandwidth="1GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
    <link id="b" bandwidth="1GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
    <link id="ab" bandwidth="1GBps" latency="1us"/>
    <route src="h0" dst="hr"><link_ctn id="a" direction="UP"/></route>
    <route src="h1" dst="hr"><link_ctn id="b_UP"/></route>
    <route src="h0" dst="h1" symmetrical="NO">
      <link_ctn id="a" direction="UP"/><link_ctn id="b" direction="DOWN"/>
    </route>
    <route src="h1" dst="h0" symmetrical="NO"><link_ctn id="ab"/></route>
  </zone>
  <link id="up" bandwidth="1GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
  <link id="up2" bandwidth="1GBps" latency="1us"/>
  <zoneRoute src="l" dst="r" gw_src="lsw" gw_dst="rr_router.x">
    <link_ctn id="up" direction="UP"/><link_ctn id="up2"/>
  </zoneRoute>
  <zoneRoute src="h" dst="l" gw_src="hr" gw_dst="lsw"><link_ctn id="up2"/></zoneRoute>
  <zoneRoute src="r" dst="h" gw_src="rr_router.x" gw_dst="hr">
    <link_ctn id="up" direction="DOWN"/>
  </zoneRoute>
 </zone>
</platform>
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("routes") / "routes"
    subprocess.run(["smpicc", "-O1", str(PROGRAM), "-o", str(made)], check=True)
    return made


def simgrid_routes(program: Path, xml: str, folder: Path) -> dict[tuple[str, str], list[str]]:
    (folder / "platform.xml").write_text(xml)
    done = subprocess.run(
        ["smpirun", "-np", "1", "-platform", "platform.xml", str(program)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
        check=True,
    )
    lines = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("route ")]
    return {(first, second): links for first, second, *links in lines}


@pytest.mark.parametrize(
    ("nodes", "topology", "parameters"),
    kept_short(CLUSTERS, [CLUSTERS[1], CLUSTERS[5], CLUSTERS[8]]),
)
def test_each_cable_of_a_cluster_has_the_pairs_that_simgrid_sends_over_it(
    program: Path, tmp_path: Path, nodes: int, topology: str, parameters: str
) -> None:
    xml = cluster_xml(nodes, topology, parameters)
    routes = simgrid_routes(program, xml, tmp_path)
    network = network_in(xml)
    number = {host: i for i, host in enumerate(network.hosts)}
    pairs = np.array([[number[source], number[target]] for source, target in routes])
    assert len(pairs) == nodes * (nodes - 1)
    way = shape_of(network).way(*pairs.T)
    ours: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for direction, entries in enumerate((way.along, way.against)):
        for rows, parts in entries:
            for row, part in zip(rows.tolist(), parts.tolist(), strict=True):
                ours[part, direction].add(row)
    theirs: defaultdict[str, set[int]] = defaultdict(set)
    for row, links in enumerate(routes.values()):
        for link in links:
            theirs[link].add(row)
    shared = {frozenset(rows) for rows in ours.values()}
    everything = {frozenset(rows) for rows in theirs.values()}
    assert shared <= everything
    for rows in everything - shared:  # the link of a node
        ends = pairs[sorted(rows)]
        assert (ends == ends[0]).all(axis=0).any()
    hops = np.array([len(links) for links in routes.values()])
    for level in np.unique(way.levels):
        assert len(set(hops[way.levels == level].tolist())) == 1


def test_routes_of_zones_are_followed_through_their_gates(program: Path, tmp_path: Path) -> None:
    network = platform_network(ZONES, "platform.xml")
    assert network is not None
    hosts = list(network.hosts)
    routes = WrittenRoutes(network.top, hosts)  # type: ignore[union-attr]
    ends = {None: "", True: "_DOWN", False: "_UP"}
    own = {
        f"{kind}_link_{i}": f"of {kind}{i}{'.x' * (kind == 'r')}" for kind in "lr" for i in "0123"
    }
    for (source, target), links in simgrid_routes(program, ZONES, tmp_path).items():
        route, _ = routes.route(hosts.index(source), hosts.index(target))
        names = [link.name + ends[link.is_down] for link in route]
        expected = []
        for link in links:
            stem, _, way = link.rpartition("_")
            expected.append(f"{own[stem]}_{way}" if stem in own else link)
        assert names == expected, (source, target)

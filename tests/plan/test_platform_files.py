"""What is read of a SimGrid platform file, and what is refused."""

from __future__ import annotations

import pytest

from hockney.base.errors import UsageError
from hockney.plan.platform_files import UnreadableRoutesError, platform_network
from hockney.plan.platform_network import OWN, ClusterNetwork, ZoneNetwork
from hockney.run.measure.machine.platforms import parse_shape, shape_xml

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "simgrid.dtd">\n<platform version="4.1">\n'


def cluster(topology: str, parameters: str, radical: str = "0-15") -> str:
    return (
        f'{HEAD}<cluster id="c" prefix="n" radical="{radical}" suffix=".x" speed="1Gf" bw="1GBps" '
        f'lat="1us" topology="{topology}" topo_parameters="{parameters}"/>\n</platform>\n'
    )


def star(name: str, radical: str = "0-1") -> str:
    return f'<cluster id="{name}" prefix="{name}-" radical="{radical}" suffix="" bw="1GBps"/>'


def zones(inside: str) -> str:
    return f'{HEAD}<zone id="w" routing="Full">{inside}</zone></platform>'


def between_zones(source_gate: str, target_gate: str) -> str:
    gates = f'gw_src="{source_gate}" gw_dst="{target_gate}"'
    return zones(
        '<zone id="A"><host id="a"/></zone><zone id="B"><host id="b"/><zone id="C"/></zone>'
        f'<zoneRoute src="A" dst="B" {gates}><link_ctn id="l"/></zoneRoute>'
    )


@pytest.mark.parametrize(
    ("topology", "text", "shape", "parameters"),
    [
        ("FAT_TREE", "2;4,4;1,2;1,2", "fat tree", ((4, 4), (1, 2), (1, 2))),
        ("TORUS", "4,2,2", "torus", ((4, 2, 2),)),
        ("DRAGONFLY", "2,3;2,2;2,1;2", "dragonfly", ((2, 2, 2, 2), (3, 2, 1))),
    ],
)
def test_a_cluster_has_its_shape(
    topology: str, text: str, shape: str, parameters: tuple[tuple[int, ...], ...]
) -> None:
    network = platform_network(cluster(topology, text, "0-7,9,20-26"), "p.xml")
    assert isinstance(network, ClusterNetwork)
    assert (network.shape, network.parameters) == (shape, parameters)
    assert network.hosts[7:10] == ("n7.x", "n9.x", "n20.x")


@pytest.mark.parametrize("shape", ["fat-tree:4x8", "torus:2x3x4", "dragonfly:2x2x3x2"])
def test_the_shapes_of_the_command_line_are_read(shape: str) -> None:
    parsed = parse_shape(shape)
    assert parsed is not None
    network = platform_network(shape_xml(parsed), shape)
    assert network is not None
    assert len(network.hosts) == parsed.nodes


def test_nodes_around_one_switch_have_no_cables_besides_their_own() -> None:
    assert platform_network(cluster("FLAT", ""), "p.xml") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (cluster("TORUS", "4,4", "0-14"), "line 4: the torus '4,4' has 16 nodes, and the radical "),
        (cluster("HYPERCUBE", "4"), "unknown topology 'HYPERCUBE'"),
        (cluster("FAT_TREE", "2;4,4;1,2"), "topo_parameters '2;4,4;1,2' of a fat tree"),
        (cluster("FAT_TREE", "3;4,4;1,2;1,2"), "topo_parameters"),
        (cluster("TORUS", "4,0"), "topo_parameters"),
        (cluster("TORUS", "4,x"), "topo_parameters"),
        (cluster("DRAGONFLY", "4,1;1,1;2,1;2"), "4 groups and 2 routers in a chassis"),
        (cluster("TORUS", "4,4", "15-0"), "'15-0' in a radical"),
        (cluster("TORUS", "4,4", "a-b"), "'a-b' in a radical"),
        (cluster("TORUS", "4,4", "0-999999999"), "at most"),
        (cluster("TORUS", ",".join(2 * ["9" * 3000])), "topo_parameters"),
        (cluster("TORUS", ",".join(33 * ["1"])), "topo_parameters"),
        (cluster("TORUS", ",".join(32 * ["9" * 9])), "and the radical '0-15' 16"),
        (zones(star("a", "0-99") + star("b", "0-1048570")), "nodes besides 104 names"),
        (zones(star("a") + star("a")), "'a' is defined twice"),
        (zones('<zone id="a"><host id="a"/></zone>'), "'a' is defined twice"),
        (zones('<host id="a"/><router id="a"/>'), "'a' is defined twice"),
        (between_zones("b", "a"), "gw_src 'b' is not in zone 'A'"),
        (between_zones("a", "a"), "gw_dst 'a' is not in zone 'B'"),
        (between_zones("a", "C"), "gw_dst 'C' is not in zone 'B'"),
        (between_zones("", "b"), "gw_src '' is not in zone 'A'"),
    ],
)
def test_a_cluster_that_contradicts_itself_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=r"^p\.xml, line 4") as refused:
        platform_network(text, "p.xml")
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<platform><zone", "line 1: unclosed token"),
        ('<!DOCTYPE p [<!ENTITY a "aaa">]>\n<platform>&a;</platform>', "declares entities"),
        ('<platform><zone id="z" routing="Floyd"/></platform>', "routing 'Floyd' chooses routes"),
        ('<platform><zone id="z"><bypassRoute/></zone></platform>', "<bypassRoute>"),
        ("<platform/>", "it has no hosts"),
        (
            '<platform><zone id="z">'
            + cluster("TORUS", "4,4").removeprefix(HEAD).removesuffix("</platform>\n")
            + '<zoneRoute src="c" dst="c" gw_src="n1" gw_dst="n2"/></zone></platform>',
            "cluster 'c' is a torus among others",
        ),
        (f"<platform>{3000 * '<zone>'}{3000 * '</zone>'}</platform>", "more than 100 zones inside"),
        (cluster("FAT_TREE", "1;16;1;999999999"), "line 4: 15999999984 cables"),
        (cluster("FAT_TREE", "2;4,4;1,999999999;1,1"), "line 4: 4000000012 cables"),
        (cluster("DRAGONFLY", "1,1;1,1;99999,1;1", "0-99998"), "line 4: 4999850001 cables"),
        (cluster("TORUS", "1024", "0-1023"), "line 4: a torus of more than 256 cables around"),
    ],
)
def test_routes_that_cannot_be_known_are_not_guessed(text: str, words: str) -> None:
    with pytest.raises(UnreadableRoutesError) as refused:
        platform_network(text, "p.xml")
    assert words in str(refused.value)


def test_zones_are_read_with_their_links() -> None:
    network = platform_network(
        f'{HEAD}<zone id="z" routing="Full"><host id="a"/><host id="b"/>'
        '<link id="w" bandwidth="8Gbps" latency="1us"/>'
        '<link id="s" bandwidth="1GBps" latency="1us" sharing_policy="FATPIPE"/>'
        '<route src="a" dst="b"><link_ctn id="w" direction="UP"/><link_ctn id="s"/></route>'
        "</zone></platform>",
        "p.xml",
    )
    assert isinstance(network, ZoneNetwork)
    assert network.hosts == ("a", "b")
    assert network.top.bandwidth_Bps == {"w": 1e9, "s": 1e9}
    assert network.top.fatpipes == ("s",)
    (route,) = network.top.routes
    assert [(link.name, link.is_down) for link in route.links] == [("w", False), ("s", None)]


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("1.25e9Bps", 1.25e9),
        ("1E9Bps", 1e9),
        (".5Gbps", 62.5e6),
        ("1.GBps", 1e9),
        ("125MiBps", 125.0 * 1024**2),
        ("1EBps", 1e18),
        ("1e3", 1e3),
        ("1G", None),
        ("1.2.3Gbps", None),
        ("0Bps", None),
        ("1e999Bps", None),
        ("1GBps,2GBps", None),
        (400 * "9", None),
    ],
)
def test_the_speed_of_a_link_is_a_positive_number_or_unknown(
    text: str, speed: float | None
) -> None:
    network = platform_network(
        zones(f'<host id="a"/><host id="b"/><link id="l" bandwidth="{text}"/>'), "p.xml"
    )
    assert isinstance(network, ZoneNetwork)
    assert network.top.bandwidth_Bps.get("l") == speed


@pytest.mark.parametrize("policy", ["SHARED", "FATPIPE"])
def test_the_links_of_a_star_have_their_speeds(policy: str) -> None:
    words = f'bw="1GBps" bb_bw="4GBps" bb_sharing_policy="{policy}"'
    network = platform_network(zones(star("a").replace('bw="1GBps"', words) + star("b")), "p.xml")
    assert isinstance(network, ZoneNetwork)
    first, second = network.top.zones
    assert first.bandwidth_Bps == {OWN: 1e9, "a_backbone": 4e9}
    assert first.fatpipes == (("a_backbone",) if policy == "FATPIPE" else ())
    assert (second.bandwidth_Bps, second.fatpipes) == ({OWN: 1e9}, ())

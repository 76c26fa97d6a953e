"""What ibnetdiscover prints becomes the tree of switches that it describes."""

from __future__ import annotations

import string
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.plan.topology_files import parse_topology

PRINTED = """#
# Topology file: generated on Mon Sep  1 10:00:00 2025
#
# Initiated from node 0c42a10300a1b2c4 port 0c42a10300a1b2c4

vendid=0x2c9
devid=0xd2f2
sysimgguid=0xb8cef60300e5d2a0
switchguid=0xb8cef60300e5d2a0(b8cef60300e5d2a0)
Switch\t40 "S-b8cef60300e5d2a0"\t\t# "MF0;leaf-1:MQM8790/U1" enhanced port 0 lid 1 lmc 0
[1]\t"H-0c42a10300a1b2c4"[1](c42a10300a1b2c4) \t\t# "node01 mlx5_0" lid 5 4xHDR
[2]\t"H-0c42a10300a1b2c8"[1](c42a10300a1b2c8) \t\t# "node02.example.org HCA-1" lid 6 4xHDR
[21]\t"S-b8cef60300e5d2b0"[1]\t\t# "MF0;spine-1:MQM8790/U1" lid 2 4xHDR
[22]\t"S-b8cef60300e5d2b0"[2]\t\t# "MF0;spine-1:MQM8790/U1" lid 2 4xHDR
[41]\t"H-b8cef60300e5d2a8"[1](b8cef60300e5d2a8) \t\t# "Mellanox Technologies Aggregation Node" lid 9 4xHDR

vendid=0x2c9
devid=0xd2f2
switchguid=0xb8cef60300e5d2b0(b8cef60300e5d2b0)
Switch\t40 "S-b8cef60300e5d2b0"\t\t# "MF0;spine-1:MQM8790/U1" enhanced port 0 lid 2 lmc 0
[1]\t"S-b8cef60300e5d2a0"[21]\t\t# "MF0;leaf-1:MQM8790/U1" lid 1 4xHDR
[2]\t"S-b8cef60300e5d2a0"[22]\t\t# "MF0;leaf-1:MQM8790/U1" lid 1 4xHDR
[3]\t"S-b8cef60300e5d2c0"[21]\t\t# "MT47396 Infiniscale-III Mellanox Technologies" lid 3 4xHDR

vendid=0x2c9
switchguid=0xb8cef60300e5d2c0(b8cef60300e5d2c0)
Switch\t40 "S-b8cef60300e5d2c0"\t\t# "MT47396 Infiniscale-III Mellanox Technologies" base port 0 lid 3 lmc 0
[1]\t"H-0c42a10300a1b2d0"[1](c42a10300a1b2d0) \t\t# "node03 mlx5_0" lid 7 4xHDR
[21]\t"S-b8cef60300e5d2b0"[3]\t\t# "MF0;spine-1:MQM8790/U1" lid 2 4xHDR

vendid=0x2c9
caguid=0xc42a10300a1b2c4
Ca\t1 "H-0c42a10300a1b2c4"\t\t# "node01 mlx5_0"
[1](c42a10300a1b2c4) \t"S-b8cef60300e5d2a0"[1]\t\t# lid 5 lmc 0 "MF0;leaf-1:MQM8790/U1" lid 1 4xHDR
"""  # noqa: E501


def printed(cables: Sequence[tuple[str, str]], switches: Sequence[str]) -> str:
    """What ibnetdiscover prints of cables; ends that are no switches are nodes, perhaps with an
    adapter: "n1/mlx5_1"."""
    guid = {name: f"S-{number:016x}" for number, name in enumerate(switches)}
    text = "#\n# Topology file: generated on Mon Sep  1 10:00:00 2025\n#\n"
    for switch in switches:
        text += f'\nSwitch\t40 "{guid[switch]}"\t\t# "MF0;{switch}:MQM8790/U1" enhanced port 0\n'
        ends = [b if a == switch else a for a, b in cables if switch in (a, b)]
        for port, end in enumerate(ends, start=1):
            node, _, adapter = end.partition("/")
            if end in guid:
                text += f'[{port}]\t"{guid[end]}"[1]\t\t# "MF0;{end}:MQM8790/U1" lid 2 4xEDR\n'
            else:
                words = f"{node} {adapter or 'mlx5_0'}"
                text += f'[{port}]\t"H-0123"[1](123) \t\t# "{words}" lid 5 4xEDR\n'
    return text


def test_what_is_printed_is_a_tree_with_its_speeds() -> None:
    topology = parse_topology(PRINTED, "fabric.txt")
    assert topology.switches == {
        "node01": "leaf-1",
        "node02": "leaf-1",
        "node03": "S-b8cef60300e5d2c0",
    }
    assert topology.above == dict.fromkeys(["leaf-1", "S-b8cef60300e5d2c0"], "spine-1")
    assert topology.link_Bps["node01"] == 25e9
    assert topology.link_Bps["leaf-1"] == 50e9


def test_spines_are_one_and_a_node_on_a_spine_makes_it_no_leaf() -> None:
    switches = ["leaf1", "leaf2", "spine1", "spine2"]
    cables = [("leaf1", f"n{i}") for i in range(4)] + [("leaf2", f"n{i}") for i in range(4, 8)]
    cables += [(leaf, spine) for leaf in switches[:2] for spine in switches[2:] for _ in range(4)]
    cables += [("spine1", "manager")]
    topology = parse_topology(printed(cables, switches), "fabric.txt")
    assert topology.address("n5") == "spine1-and-1-more.leaf2.n5"
    assert topology.address("manager") == "spine1-and-1-more.manager"


def test_three_levels_are_found_from_the_nodes_up() -> None:
    switches = ["core", "row1", "row2", "leaf1", "leaf2", "leaf3"]
    cables = [("leaf1", "n1"), ("leaf2", "n2"), ("leaf3", "n3"), ("row1", "leaf1")]
    cables += [("row1", "leaf2"), ("row2", "leaf3"), ("core", "row1"), ("core", "row2")]
    topology = parse_topology(printed(cables, switches), "fabric.txt")
    assert topology.address("n1") == "core.row1.leaf1.n1"
    assert topology.address("n3") == "core.row2.leaf3.n3"


@pytest.mark.parametrize("leaves", [2, 3])
def test_switches_joined_each_to_all_others_have_one_above_them(leaves: int) -> None:
    switches = [f"s{i}" for i in range(leaves)]
    cables = [(switch, f"n{i}") for i, switch in enumerate(switches)]
    cables += [(a, b) for i, a in enumerate(switches) for b in switches[:i]]
    topology = parse_topology(printed(cables, switches), "fabric.txt")
    assert topology.address("n1") == "all-to-all.s1.n1"


def test_a_ring_of_switches_is_refused() -> None:
    switches = [f"s{i}" for i in range(4)]
    cables = [(switch, f"n{i}") for i, switch in enumerate(switches)]
    cables += [(switch, switches[i - 1]) for i, switch in enumerate(switches)]
    with pytest.raises(UsageError, match="joined directly, and not all such switches"):
        parse_topology(printed(cables, switches), "fabric.txt")


def test_groups_joined_each_to_all_others_are_a_tree() -> None:
    """As in a dragonfly of two-level groups."""
    switches = [f"{kind}{group}{i}" for group in "abc" for kind in ("leaf", "top") for i in (1, 2)]
    cables = [(leaf, f"n{leaf}") for leaf in switches if "leaf" in leaf]
    cables += [(f"leaf{g}{i}", f"top{g}{j}") for g in "abc" for i in (1, 2) for j in (1, 2)]
    cables += [("topa1", "topb1"), ("topb2", "topc1"), ("topa2", "topc2")]
    topology = parse_topology(printed(cables, switches), "fabric.txt")
    assert topology.address("nleafc2") == "all-to-all.topc1-and-1-more.leafc2.nleafc2"


def test_the_first_of_several_adapters_counts() -> None:
    cables = [("s1", "n1/mlx5_0"), ("s2", "n1/mlx5_1"), ("s2", "n2/mlx5_0"), ("s1", "s2")]
    topology = parse_topology(printed(cables, ["s1", "s2"]), "fabric.txt")
    assert topology.switches == {"n1": "s1", "n2": "s2"}


@given(st.text(string.printable, max_size=200))
def test_any_text_after_a_switch_is_read_or_refused(text: str) -> None:
    try:
        parse_topology(f'Switch\t40 "S-12"\t# "a" base\n{text}', "fabric.txt")
    except UsageError:
        return

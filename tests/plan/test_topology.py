"""Topologies are read as their files mean them, and what is wrong is said with its line."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.plan.topology import APART, level_of, switches_of
from hockney.plan.topology_files import expand, parse_topology

CONF = """# two leaves
SwitchName=s0 Nodes=dev[0-5] LinkSpeed=100
SwitchName=s1 \\
    Nodes=dev[6-7],login
SwitchName=top Switches=s[0-1]
"""
PRINTED = """SwitchName=s0 Level=0 LinkSpeed=1 Nodes=dev[0-5]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=dev[6-7],login
SwitchName=top Level=1 LinkSpeed=1 Nodes=dev[0-7],login Switches=s[0-1]
"""
OWN = """# switch  below     speed of each link
s0    dev[0-5]    100Gbit/s
s1    dev[6-7],login  12.5GB/s
top   s[0-1]      400Gb/s
"""


@pytest.mark.parametrize("text", [CONF, PRINTED, OWN])
def test_each_form_is_the_same_tree(text: str) -> None:
    topology = parse_topology(text, "file")
    assert topology.switches == {f"dev{i}": "s0" if i < 6 else "s1" for i in range(8)} | {
        "login": "s1"
    }
    assert topology.above == {"s0": "top", "s1": "top"}
    assert topology.address("dev6.cluster.example") == "top.s1.dev6"
    assert topology.address("dev9") is None


def test_speeds_are_bytes_per_second() -> None:
    link_Bps = parse_topology(OWN, "file").link_Bps
    assert link_Bps["dev0"] == link_Bps["login"] == 12.5e9
    assert link_Bps["s0"] == 50e9


def test_a_leaf_below_several_spines_reaches_all_through_any() -> None:
    """Two levels of a fat tree with cables between each leaf and each spine."""
    topology = parse_topology(
        "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\n"
        "SwitchName=spine1 Switches=leaf[1-2]\nSwitchName=spine2 Switches=leaf[1-2]\n",
        "file",
    )
    assert topology.address("n3") == "spine1-and-1-more.leaf2.n3"
    assert topology.above == dict.fromkeys(["leaf1", "leaf2"], "spine1-and-1-more")


def test_cables_to_several_spines_add_up() -> None:
    text = "leaf n1 100Gbit/s\nspine1 leaf 200Gbit/s\nspine2 leaf 200Gbit/s\n"
    assert parse_topology(text, "file").link_Bps == {"n1": 12.5e9, "leaf": 50e9}
    above = "core spine[1-2] 400Gbit/s\n"
    assert parse_topology(text + above, "file").link_Bps["spine1-and-1-more"] == 100e9


def test_blocks_are_switches() -> None:
    topology = parse_topology("BlockName=b1 Nodes=n[1-2]\nBlockSizes=2\n", "file")
    assert topology.switches == {"n1": "b1", "n2": "b1"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "file: no switches"),
        ("a b\nb c\nc a\n", "file, line 1: a cycle: a is below c is below b is below a"),
        ("SwitchName=a Switches=a\n", "file, line 1: a cycle: a is below a"),
        ("\nSwitchName=a Switches=b\n", "file, line 2: switch b has no line of its own"),
        ("a n1\nb n1\n", "file, line 2: node n1 is below both a and b"),
        ("a n1\nb a\nc a,b\n", "a cycle: b-and-1-more is below b-and-1-more"),
        ("a n1 fast\n", "file, line 1: 'fast' is not the speed of a link"),
        ("a n1 0Gbit/s\n", "a link without speed"),
        ("a\n", "file, line 1: 'a' is not a switch"),
        ("a[1-2] n1\n", "is not one switch"),
        ("a n[3-1]\n", "[3-1] is not a range"),
        ("a n[1-2\n", "is not a list of names"),
        ("a n1,,n2\n", "is not a list of names"),
        ("a n[0-99999999]\n", "more than 1048576 names"),
        ("a n1.example\n", "write nodes by their short names"),
        ("a b\nb a\n", "a cycle"),
        ("SwitchName=a Nodes=n1\nNodes=n2\n", "file, line 2: no SwitchName"),
        ("SwitchName=a Level=0\n", "neither Nodes nor Switches"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_topology(text, "file")
    assert complaint in str(error.value)


def test_levels_count_the_switches_that_a_message_climbs() -> None:
    n1, n2 = switches_of("core.row1.leaf1.n1"), switches_of("core.row1.leaf2.n2")
    assert level_of(n1, switches_of("core.row1.leaf1.n3")) == "same switch"
    assert level_of(n1, n2) == "one hop"
    assert level_of(n1, switches_of("core.row2.leaf9.n9")) == "two hops"
    assert level_of(n1, switches_of("other.row9.leaf9.n9")) == APART


@given(st.text(string.ascii_lowercase, min_size=1, max_size=5), st.sets(st.integers(0, 200)))
def test_a_list_of_hosts_names_each_once(name: str, numbers: set[int]) -> None:
    if not numbers:
        return
    text = f"{name}[{','.join(f'{n:03d}' for n in sorted(numbers))}]"
    assert expand(text) == tuple(f"{name}{n:03d}" for n in sorted(numbers))


@given(st.text(max_size=60))
def test_any_text_is_a_topology_or_refused(text: str) -> None:
    try:
        topology = parse_topology(text, "file")
    except UsageError:
        return
    assert all(topology.address(node) for node in topology.switches)

"""The switches of a network as a tree: common switches of nodes, and distances between nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

NAME = re.compile(r"[A-Za-z0-9_-]+")
"""The name of a node or switch."""
SAME_NODE, SAME_SWITCH = "same node", "same switch"
HOPS = (SAME_SWITCH, "one hop", "two hops", "three hops", "four hops")
"""Levels of two nodes by the number of switches above their own up to the common one."""
MORE_HOPS = "more hops"
APART = "no common switch"
LEVELS = (*HOPS, MORE_HOPS, APART)


class Topology(msgspec.Struct, frozen=True, kw_only=True):
    """A tree of switches: each node and switch is below one switch at most."""

    source: str
    """The file or command that described it."""
    switches: dict[str, str]
    """The switch of each node, by node."""
    above: dict[str, str] = {}
    """The switch above each switch, by switch."""
    link_Bps: dict[str, float] = {}
    """Bytes per second, each way, of the link from a node or switch to the switch above it."""

    def node(self, host: str) -> str | None:
        """The node with the name of a host, which may be longer; None if it is unknown."""
        if host in self.switches:
            return host
        short = host.partition(".")[0]
        return short if short in self.switches else None

    def path(self, switch: str) -> tuple[str, ...]:
        """Switches from the topmost one down to this one."""
        switches = [switch]
        while switches[-1] in self.above:
            switches.append(self.above[switches[-1]])
        return tuple(reversed(switches))

    def address(self, host: str) -> str | None:
        """Address of a host, the switches down to the node, named as by Slurm: s0.s4.node17; None
        for an unknown one."""
        node = self.node(host)
        return None if node is None else ".".join((*self.path(self.switches[node]), node))

    def numbered(self) -> tuple[tuple[str, int], ...]:
        """Each node with the number of its switch."""
        numbers: dict[str, int] = {}
        for switch in self.switches.values():
            numbers.setdefault(switch, len(numbers))
        return tuple((node, numbers[switch]) for node, switch in self.switches.items())


@dataclass(frozen=True)
class SwitchLine:
    """A switch and what is below it, as a file says."""

    number: int
    """Line number in the file."""
    switch: str
    members: tuple[str, ...]
    speed_Bps: float | None = None
    are_nodes: bool | None = None
    """Whether members are nodes; None if only their names show it."""


def joined(switches: Iterable[str], together: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    """The group of each switch: switches in one of `together` share a group."""
    group = {switch: frozenset([switch]) for switch in switches}
    for some in together:
        members = frozenset().union(*(group[switch] for switch in some))
        group |= dict.fromkeys(members, members)
    return group


def switches_of(address: str | None) -> tuple[str, ...]:
    """The switches above a node, the topmost first; empty if its address is unknown or has none."""
    return tuple((address or "").split(".")[:-1])


def level_of(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    """The level, one of LEVELS, of two different nodes, from the switches above them."""
    if first[:1] != second[:1]:
        return APART
    common = 0
    while common < min(len(first), len(second)) and first[common] == second[common]:
        common += 1
    hops = max(len(first), len(second)) - common
    return HOPS[hops] if hops < len(HOPS) else MORE_HOPS


End = tuple[str | None, str | None]
"""The host and the address of a rank; None where it is unknown."""


def level_between(first: End, second: End) -> str | None:
    """SAME_NODE or one of LEVELS; None if a host or its switches are unknown."""
    if first[0] is None or second[0] is None:
        return None
    if first[0] == second[0]:
        return SAME_NODE
    switches, other = switches_of(first[1]), switches_of(second[1])
    return level_of(switches, other) if switches and other else None

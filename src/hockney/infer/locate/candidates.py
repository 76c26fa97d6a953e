"""The parts of a network that may be slow, and which of them the messages of two ranks pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hockney.infer.arrays import Flags, Whole
from hockney.plan.topology import LEVELS

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PROCESS, NODE, UPLINK, SWITCH, CABLE = "process", "node", "uplink", "switch", "cable"
OUT, IN = WAYS = ("out", "in")
KINDS = (NODE, PROCESS, CABLE, UPLINK, SWITCH)
"""Kinds of parts, the most common culprit first: it is named where times cannot separate two."""
MOST_SWITCHES = 64
"""Most switches between every two of which a cable may be slow: of more there are so many cables
that few rounds cross each of them once."""


@dataclass(frozen=True)
class NetworkPart:
    """Something that may be slow."""

    kind: str
    names: tuple[str, ...]
    """The node, process or switch, or both ends of a cable."""
    way: str | None = None
    """OUT or IN for what is slow in one direction alone: of a cable OUT, from its first end."""
    note: str | None = None
    """More about a part of a network whose routes are known, whose names say what they name ("node
    n1", "switch 3 of level 1"); None elsewhere."""


@dataclass(frozen=True)
class Passed:
    """The parts that the messages of pairs pass."""

    weights: csr_array[Any, Any]
    """Shape (pairs, parts): the fraction of the messages, of both ways, that pass the part."""
    levels: Whole
    """Shape (pairs,): number of the kind of route. Sound pairs of one level take the same time."""


Entries = list[tuple[Whole, Whole]]
"""Numbers of pairs and of the parts that they pass."""


@dataclass(frozen=True)
class Crossed:
    """The parts that pairs pass."""

    first: Entries
    second: Entries
    """Those of the first rank and of the second one."""
    cables: Entries
    """Those from switches with lower numbers to higher ones, and the others."""
    levels: Whole
    """As Passed.levels."""


class Routes(Protocol):
    """The routes between ranks on nodes of a network, as far as they are known."""

    is_one_way: bool
    parts: Sequence[NetworkPart]
    host_of: Whole
    """The number of each rank's node."""

    def passed(self, pairs: Whole) -> Passed:
        """The parts that pairs of ranks pass. pairs: shape (pairs, 2)."""

    def of_messages(self, pairs: Whole) -> Passed:
        """The parts that the messages of a time pass."""

    def delayed(self, pairs: Whole, rounds: Whole) -> Flags | None:
        """Shape (pairs,): whether others of the same round delay large messages of a pair on a
        cable; None where the cables are unknown."""

    def level_name(self, level: int) -> str | None:
        """Pairs of a level in words; None where those of a higher one may well be faster."""


class TwoWayRoutes(Routes, Protocol):
    """Routes of which a time is that of both ways."""

    is_one_way: bool = False

    def of_messages(self, pairs: Whole) -> Passed:
        return self.passed(pairs)

    def one_way_level_name(self, level: int) -> str | None:
        """As level_name, of messages one way."""

    def crossed(self, pairs: Whole) -> Crossed:
        """What messages from the first rank of pairs to the second one pass, by the end to which
        it belongs."""


def end_parts(hosts: Sequence[str], host_of: Whole) -> list[NetworkPart]:
    """A part for each node, then one for each rank; none for ranks that have nodes of their own."""
    nodes = [NetworkPart(NODE, (host,)) for host in hosts]
    if len(host_of) == len(np.unique(host_of)):
        return nodes
    ranks = enumerate(host_of.tolist())
    return nodes + [
        NetworkPart(PROCESS, (f"rank {rank} on {hosts[host]}",)) for rank, host in ranks
    ]


def weights_of(
    entries: Sequence[tuple[Whole, Whole, float]], shape: tuple[int, int]
) -> csr_array[Any, Any]:
    """The matrix of entries (pairs, parts, weight); those of one pair and part are added."""
    from scipy.sparse import coo_array

    rows = np.concatenate([rows for rows, _, _ in entries])
    columns = np.concatenate([columns for _, columns, _ in entries])
    values = np.concatenate([np.full(len(rows), weight) for rows, _, weight in entries])
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


def pair_numbers(count: int) -> Whole:
    """Shape (count, count): the number of each two in their order, -1 for one with itself."""
    numbers = np.full((count, count), -1)
    low, high = np.triu_indices(count, 1)
    numbers[low, high] = numbers[high, low] = np.arange(len(low))
    return numbers


class SwitchRoutes(TwoWayRoutes):
    """A network of nodes with the switches above them, which may be unknown."""

    def __init__(
        self, hosts: Sequence[str], paths: Sequence[tuple[str, ...]], host_of: Sequence[int]
    ) -> None:
        """hosts: names of the nodes; paths: the switches above each, the topmost first, empty where
        they are unknown; host_of: the number of each rank's node."""
        self.host_of = np.asarray(host_of, np.int64)
        self.depths = np.array([len(path) for path in paths], np.int64)
        names = list(dict.fromkeys(name for path in paths for name in path))
        number = {name: i for i, name in enumerate(names)}
        self.above = np.full((len(hosts), max(self.depths.max(initial=0), 1)), -1)
        for i, path in enumerate(paths):
            self.above[i, : len(path)] = [number[name] for name in path]
        leaves = [path[-1] for path in paths if path]
        leaf_names = list(dict.fromkeys(leaves))
        self.leaf = np.array([leaf_names.index(p[-1]) if p else -1 for p in paths], np.int64)
        parts = end_parts(hosts, self.host_of)
        self.first_process, self.has_processes = len(hosts), len(parts) > len(hosts)
        tops = list(dict.fromkeys(path[0] for path in paths if path))
        below = [name for name in names if name not in tops or len(tops) > 1]
        self.uplink = np.full(len(names) + 1, -1)
        self.uplink[[number[name] for name in below]] = len(parts) + np.arange(len(below))
        parts += [NetworkPart(UPLINK, (name,)) for name in below]
        self.first_switch = len(parts)
        parts += [NetworkPart(SWITCH, (name,)) for name in leaf_names]
        self.first_cable = len(parts)
        count = len(leaf_names)
        self.cable = np.full((count, count), -1)
        if 2 < count <= MOST_SWITCHES:
            self.cable = pair_numbers(count)
            parts += [NetworkPart(CABLE, ends) for ends in combinations(leaf_names, 2)]
        self.parts: Sequence[NetworkPart] = parts

    def passed(self, pairs: Whole) -> Passed:
        crossed = self.crossed(pairs)
        every = (*crossed.first, *crossed.second, *crossed.cables)
        entries = [(rows, parts, 1.0) for rows, parts in every]
        return Passed(weights_of(entries, (len(pairs), len(self.parts))), crossed.levels)

    def level_name(self, level: int) -> str | None:
        return LEVELS[level - 1] if level <= len(LEVELS) else None

    one_way_level_name = level_name

    def delayed(self, pairs: Whole, rounds: Whole) -> None:  # noqa: ARG002
        return None

    def crossed(self, pairs: Whole) -> Crossed:
        """What pairs pass, by the end to which it belongs."""
        rows = np.arange(len(pairs))
        source, target = self.host_of[pairs[:, 0]], self.host_of[pairs[:, 1]]
        apart = source != target
        known = apart & (self.leaf[source] >= 0) & (self.leaf[target] >= 0)
        up, down = self.above[source], self.above[target]
        common = np.cumprod((up == down) & (up >= 0), axis=1).sum(axis=1)
        depth = np.arange(up.shape[1])
        a, b = self.leaf[source], self.leaf[target]
        between = known & (a != b)
        ends = []
        for end, hosts, switches, leaf, is_on in (
            (0, source, up, a, known),
            (1, target, down, b, between),
        ):
            at, column = np.nonzero(known[:, None] & (switches >= 0) & (depth >= common[:, None]))
            ends.append(
                [
                    (rows[apart], hosts[apart]),
                    (at, self.uplink[switches[at, column]]),
                    (rows[is_on], self.first_switch + leaf[is_on]),
                ]
            )
            if self.has_processes:
                ends[-1].append((rows, self.first_process + pairs[:, end]))
        cable = np.where(between, self.cable[a, b] if self.cable.size else -1, -1)
        has = cable >= 0
        hops = np.maximum(self.depths[source], self.depths[target]) - common
        levels = np.where(known, 1 + hops, 1 + len(depth) + 1)
        numbers = self.first_cable + cable
        cables = [(rows[own], numbers[own]) for own in (has & (a < b), has & (a >= b))]
        return Crossed(ends[0], ends[1], cables, np.where(apart, levels, 0))


class OneWayRoutes:
    """A network of which each part may also be slow in one direction alone."""

    is_one_way = True

    def __init__(self, both: TwoWayRoutes) -> None:
        self.both = both
        self.host_of, self.delayed = both.host_of, both.delayed
        has_ways = [part.kind != SWITCH for part in both.parts]
        ways = [
            NetworkPart(part.kind, part.names, way, part.note)
            for way in WAYS
            for part in both.parts
            if part.kind != SWITCH
        ]
        self.parts: Sequence[NetworkPart] = [*both.parts, *map(_in_its_order, ways)]
        numbers = np.where(has_ways, len(both.parts) + np.cumsum(has_ways) - 1, -1)
        self.way = np.stack([numbers, np.where(has_ways, numbers + sum(has_ways), -1)])
        """Shape (ways, parts): the number of each part in that direction; -1 for a switch."""
        of_ways = np.flatnonzero(has_ways)
        self.both_ways: Whole = np.concatenate([np.arange(len(both.parts)), of_ways, of_ways])
        """Shape (all parts,): the number of each in the network whose parts have no direction."""

    def level_name(self, level: int) -> str | None:
        return self.both.one_way_level_name(level)

    def passed(self, pairs: Whole) -> Passed:
        """Of both directions of each pair, one after the other."""
        return self.of_messages(np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2))

    def of_messages(self, pairs: Whole) -> Passed:
        """The parts that messages pass. pairs: shape (messages, 2), the sender first."""
        crossed = self.both.crossed(pairs)
        entries = []
        for way, of_way in enumerate(
            ([*crossed.first, crossed.cables[0]], [*crossed.second, crossed.cables[1]])
        ):
            for rows, parts in of_way:
                own = self.way[way, parts]
                entries += [(rows, parts, 1.0), (rows[own >= 0], own[own >= 0], 1.0)]
        return Passed(weights_of(entries, (len(pairs), len(self.parts))), crossed.levels)


def _in_its_order(part: NetworkPart) -> NetworkPart:
    """A cable's names in the order of its messages, where both of its ends are known."""
    if part.kind == CABLE and part.way == IN and len(part.names) > 1:
        note = None if part.note is None else part.note.replace("+", "-")
        return NetworkPart(CABLE, part.names[::-1], OUT, note)
    return part

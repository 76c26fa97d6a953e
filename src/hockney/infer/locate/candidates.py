"""The parts of a network that may be slow, and which of them the messages of two ranks pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Whole = NDArray[np.int64]
Array = NDArray[np.float64]

PROCESS, NODE, UPLINK, SWITCH, CABLE = "process", "node", "uplink", "switch", "cable"
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


@dataclass(frozen=True)
class Passed:
    """The parts that the messages of pairs pass."""

    weights: csr_array[Any, Any]
    """Shape (pairs, parts): the fraction of the messages, of both ways, that pass the part."""
    levels: Whole
    """Shape (pairs,): number of the kind of route. Sound pairs of one level take the same time."""


class Routes(Protocol):
    """A network whose routes are known as far as they are."""

    parts: Sequence[NetworkPart]

    def passed(self, pairs: Whole) -> Passed:
        """The parts that pairs of ranks pass. pairs: shape (pairs, 2)."""


def weights_of(
    entries: Sequence[tuple[Whole, Whole, float]], shape: tuple[int, int]
) -> csr_array[Any, Any]:
    """The matrix of entries (pairs, parts, weight); those of one pair and part are added."""
    from scipy.sparse import coo_array

    rows = np.concatenate([rows for rows, _, _ in entries])
    columns = np.concatenate([columns for _, columns, _ in entries])
    values = np.concatenate([np.full(len(rows), weight) for rows, _, weight in entries])
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


class SwitchRoutes:
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
        parts = [NetworkPart(NODE, (host,)) for host in hosts]
        self.first_process = len(parts)
        self.has_processes = bool(len(self.host_of) > len(np.unique(self.host_of)))
        if self.has_processes:
            parts += [
                NetworkPart(PROCESS, (f"rank {rank} on {hosts[host]}",))
                for rank, host in enumerate(self.host_of.tolist())
            ]
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
            low, high = np.triu_indices(count, 1)
            self.cable[low, high] = self.cable[high, low] = np.arange(len(low))
            parts += [
                NetworkPart(CABLE, (leaf_names[i], leaf_names[j]))
                for i, j in zip(low.tolist(), high.tolist(), strict=True)
            ]
        self.parts: Sequence[NetworkPart] = parts

    def passed(self, pairs: Whole) -> Passed:
        rows = np.arange(len(pairs))
        one, other = self.host_of[pairs[:, 0]], self.host_of[pairs[:, 1]]
        apart = one != other
        entries: list[tuple[Whole, Whole, float]] = [
            (rows[apart], ends[apart], 1.0) for ends in (one, other)
        ]
        if self.has_processes:
            entries += [(rows, self.first_process + pairs[:, end], 1.0) for end in (0, 1)]
        known = apart & (self.leaf[one] >= 0) & (self.leaf[other] >= 0)
        up, down = self.above[one], self.above[other]
        common = np.cumprod((up == down) & (up >= 0), axis=1).sum(axis=1)
        depth = np.arange(up.shape[1])
        for switches in (up, down):
            crossed = known[:, None] & (switches >= 0) & (depth >= common[:, None])
            at, column = np.nonzero(crossed)
            entries.append((at, self.uplink[switches[at, column]], 1.0))
        a, b = self.leaf[one], self.leaf[other]
        entries.append((rows[known], self.first_switch + a[known], 1.0))
        between = known & (a != b)
        entries.append((rows[between], self.first_switch + b[between], 1.0))
        cable = np.where(between, self.cable[a, b] if self.cable.size else -1, -1)
        has = cable >= 0
        entries.append((rows[has], self.first_cable + cable[has], 1.0))
        hops = np.maximum(self.depths[one], self.depths[other]) - common
        levels = np.where(known, 1 + hops, 1 + len(depth) + 1)
        levels = np.where(apart, levels, 0)
        return Passed(weights_of(entries, (len(pairs), len(self.parts))), levels)

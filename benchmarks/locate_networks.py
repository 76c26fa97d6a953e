"""Networks of thousands of nodes whose routes are computed, with a slow node or cable."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hockney.infer.locate.candidates import (
    CABLE,
    NODE,
    SWITCH,
    Array,
    NetworkPart,
    OneWayRoutes,
    Passed,
    SwitchRoutes,
    Whole,
    weights_of,
)

BASE_S, HOP_S, RATE_BPS = 1e-6, 0.15e-6, 12.5e9
"""Latency of two nodes on one switch, of each further cable, and the bandwidth."""
SIZES = (8, 1 << 20)


class FatTree:
    """Leaf switches, each with a cable to every spine switch: a message takes the spine of its
    destination (d-mod-k)."""

    def __init__(self, nodes: int) -> None:
        self.nodes, self.each = nodes, round(nodes**0.5)
        self.leaves = -(-nodes // self.each)
        self.parts: Sequence[NetworkPart] = [
            *(NetworkPart(NODE, (f"n{i}",)) for i in range(nodes)),
            *(
                NetworkPart(CABLE, (f"leaf{leaf}", f"spine{spine}"))
                for leaf in range(self.leaves)
                for spine in range(self.each)
            ),
            *(NetworkPart(SWITCH, (f"leaf{leaf}",)) for leaf in range(self.leaves)),
            *(NetworkPart(SWITCH, (f"spine{spine}",)) for spine in range(self.each)),
        ]

    def passed(self, pairs: Whole) -> Passed:
        a, b = pairs.T
        rows = np.arange(len(pairs))
        la, lb = a // self.each, b // self.each
        far = la != lb
        entries = [(rows, a, 1.0), (rows, b, 1.0)]
        leaf, spine = self.nodes + self.leaves * self.each, 0
        spine = leaf + self.leaves
        for to in (a, b):
            by = to % self.each
            for end in (la, lb):
                entries.append((rows[far], self.nodes + (end * self.each + by)[far], 0.5))
            entries.append((rows[far], spine + by[far], 0.5))
        entries += [(rows, leaf + la, 1.0), (rows[far], leaf + lb[far], 1.0)]
        return Passed(weights_of(entries, (len(pairs), len(self.parts))), 2 * far.astype(np.int64))


class Torus:
    """Three dimensions; messages go along one after another, the shorter way."""

    def __init__(self, nodes: int) -> None:
        side = round(nodes ** (1 / 3))
        self.sides = {256: (8, 8, 4)}.get(nodes, (side, side, side))
        self.nodes = int(np.prod(self.sides))
        names = [f"n{i}" for i in range(self.nodes)]
        at = np.array(np.unravel_index(np.arange(self.nodes), self.sides))
        self.parts: Sequence[NetworkPart] = [NetworkPart(NODE, (name,)) for name in names]
        for axis, side in enumerate(self.sides):
            after = at.copy()
            after[axis] = (after[axis] + 1) % side
            to = np.ravel_multi_index(tuple(after), self.sides)
            self.parts += [
                NetworkPart(CABLE, (names[i], names[j])) for i, j in enumerate(to.tolist())
            ]

    def passed(self, pairs: Whole) -> Passed:
        rows = np.arange(len(pairs))
        entries = [(rows, pairs[:, 0], 1.0), (rows, pairs[:, 1], 1.0)]
        hops = np.zeros(len(pairs), np.int64)
        for way in (pairs.T, pairs.T[::-1]):
            at = np.array(np.unravel_index(way[0], self.sides))
            to = np.array(np.unravel_index(way[1], self.sides))
            for axis, side in enumerate(self.sides):
                distance = (to[axis] - at[axis]) % side
                step = np.where(distance <= side // 2, 1, -1)
                left = np.minimum(distance, side - distance)
                hops += left
                for _ in range(side // 2):
                    moves = left > 0
                    after = at.copy()
                    after[axis] = np.where(moves, (at[axis] + step) % side, at[axis])
                    lower = np.where(step > 0, at[axis], after[axis])
                    place = at.copy()
                    place[axis] = lower
                    cable = np.ravel_multi_index(tuple(place), self.sides)
                    own = self.nodes * (1 + axis) + cable
                    entries.append((rows[moves], own[moves], 0.5))
                    at, left = after, left - moves
        return Passed(weights_of(entries, (len(pairs), len(self.parts))), hops // 2)


class Dragonfly:
    """Groups of routers of nodes: all routers of a group are joined, and every two groups by one
    cable, whose routers lie evenly in both."""

    def __init__(self, nodes: int) -> None:
        self.per_router, self.routers = (8, 16) if nodes >= 1024 else (4, 8)
        self.groups = nodes // (self.per_router * self.routers)
        self.nodes = self.groups * self.per_router * self.routers
        r, g = self.routers, self.groups
        self.local = np.full((r, r), -1)
        low, high = np.triu_indices(r, 1)
        self.local[low, high] = self.local[high, low] = np.arange(len(low))
        self.far = np.full((g, g), -1)
        first, second = np.triu_indices(g, 1)
        self.far[first, second] = self.far[second, first] = np.arange(len(first))
        names = [f"g{i}r{j}" for i in range(g) for j in range(r)]
        self.parts: Sequence[NetworkPart] = [
            *(NetworkPart(NODE, (f"n{i}",)) for i in range(self.nodes)),
            *(
                NetworkPart(CABLE, (names[i * r + a], names[i * r + b]))
                for i in range(g)
                for a, b in zip(low.tolist(), high.tolist(), strict=True)
            ),
            *(
                NetworkPart(CABLE, (f"g{a}", f"g{b}"))
                for a, b in zip(first.tolist(), second.tolist(), strict=True)
            ),
            *(NetworkPart(SWITCH, (name,)) for name in names),
        ]

    def passed(self, pairs: Whole) -> Passed:
        rows = np.arange(len(pairs))
        r = self.routers
        one, other = pairs.T // self.per_router
        ga, gb = one // r, other // r
        near, inside = one == other, (ga == gb) & (one != other)
        far = ga != gb
        first_far = self.nodes + self.groups * r * (r - 1) // 2
        first_router = first_far + self.groups * (self.groups - 1) // 2
        out, into = ga * r + gb % r, gb * r + ga % r
        entries = [(rows, pairs[:, 0], 1.0), (rows, pairs[:, 1], 1.0)]

        def local(is_used: np.ndarray, a: Whole, b: Whole) -> None:
            used = is_used & (a != b)
            cable = self.local[a % r, b % r]
            own = self.nodes + (a // r) * (r * (r - 1) // 2) + cable
            entries.append((rows[used], own[used], 1.0))

        local(inside, one, other)
        local(far, one, out)
        local(far, into, other)
        entries.append((rows[far], first_far + self.far[ga, gb][far], 1.0))
        entries.append((rows, first_router + one, 1.0))
        entries.append((rows[~near], first_router + other[~near], 1.0))
        passes = far & (out != one)
        entries.append((rows[passes], first_router + out[passes], 1.0))
        passes = far & (into != other)
        entries.append((rows[passes], first_router + into[passes], 1.0))
        hops = inside + far * (1 + (one != out).astype(np.int64) + (other != into)) + 2 * far
        return Passed(weights_of(entries, (len(pairs), len(self.parts))), hops)


class SwitchTree(SwitchRoutes):
    """What a topology file describes: leaf switches of 64 or 16 nodes below one other switch."""

    def __init__(self, nodes: int) -> None:
        each = 64 if nodes >= 1024 else 16
        self.nodes = nodes
        paths = [("core", f"s{i // each}") for i in range(nodes)]
        super().__init__([f"n{i}" for i in range(nodes)], paths, list(range(nodes)))


class OneWayTree(OneWayRoutes):
    """The same whose messages are timed in each direction by itself: what is slow is so one way."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        super().__init__(SwitchTree(nodes))


Network = FatTree | Torus | Dragonfly | SwitchTree | OneWayTree

NETWORKS: dict[str, Callable[[int], Network]] = {
    "fat-tree": FatTree,
    "dragonfly": Dragonfly,
    "torus": Torus,
    "switches": SwitchTree,
    "one-way": OneWayTree,
}


@dataclass(frozen=True)
class Machine:
    network: Network
    slow: dict[int, Array]
    """The slow parts with the factor of the time of what passes them, of each size."""

    def seconds(self, passed: Passed) -> Array:
        """Shape (sizes, pairs)."""
        alone = BASE_S + HOP_S * passed.levels
        found = np.stack([alone + size / RATE_BPS for size in SIZES])
        for part, factors in self.slow.items():
            weight = passed.weights[:, [part]].toarray().ravel()
            found *= 1.0 + weight * (factors[:, None] - 1.0)
        return found


def planted(network: Network, fault: str, slower: float, seed: int) -> Machine:
    """A network with that fault at a place by lot: a node or a cable that is slow at small
    messages, at large ones or at both; two: two of them."""
    draw = random.Random(f"{type(network).__name__} {network.nodes} {fault} {seed}")
    kinds = {"none": [], "two": [draw.choice([NODE, CABLE]), draw.choice([NODE, CABLE])]}
    slow: dict[int, Array] = {}
    is_one_way = isinstance(network, OneWayTree)
    for kind in kinds.get(fault, [fault]):
        of_kind = [
            i
            for i, part in enumerate(network.parts)
            if part.kind == kind and (part.way is not None) == is_one_way
        ]
        at = draw.choice([i for i in of_kind if i not in slow])
        slow[at] = np.array(draw.choice([(slower, slower), (slower, 1.0), (1.0, slower)]))
    return Machine(network, slow)


__all__ = ["NETWORKS", "Machine", "planted"]

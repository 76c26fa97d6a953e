"""Networks of thousands of nodes whose routes are computed, with a slow node or cable."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.locate.candidates import (
    CABLE,
    NODE,
    OneWayRoutes,
    Passed,
    SwitchRoutes,
)
from hockney.infer.locate.platform_routes import routes_between
from hockney.infer.locate.routed import RoutedNetwork
from hockney.plan.platform_files import platform_network
from hockney.run.measure.machine.platforms import Shape, shape_xml

BASE_S, HOP_S, RATE_BPS = 1e-6, 0.15e-6, 12.5e9
"""Latency of two nodes on one switch, of each further cable, and the bandwidth."""
SIZES = (8, 1 << 20)


def platform(kind: str, extents: tuple[int, ...]) -> RoutedNetwork:
    """The routes of one of hockney's shapes (--platform), with a rank on each node."""
    network = platform_network(shape_xml(Shape(kind, extents, math.prod(extents))), kind)
    assert network is not None
    routes = routes_between(network, network.hosts, range(len(network.hosts)))
    assert routes is not None
    return routes


def fat_tree(nodes: int) -> RoutedNetwork:
    """Leaf switches, each with a cable to every spine switch, of which there are as many as nodes
    of a leaf."""
    each = round(nodes**0.5)
    return platform("fat-tree", (each, -(-nodes // each)))


def torus(nodes: int) -> RoutedNetwork:
    side = round(nodes ** (1 / 3))
    return platform("torus", {256: (8, 8, 4)}.get(nodes, (side, side, side)))


def dragonfly(nodes: int) -> RoutedNetwork:
    """Groups of chassis of routers of nodes, as equal in number as possible."""
    return platform("dragonfly", {256: (4, 4, 4, 4)}.get(nodes, (8, 8, 8, nodes // 512)))


class SwitchTree(SwitchRoutes):
    """What a topology file describes: leaf switches of 64 or 16 nodes below one other switch."""

    def __init__(self, nodes: int) -> None:
        each = 64 if nodes >= 1024 else 16
        paths = [("core", f"s{i // each}") for i in range(nodes)]
        super().__init__([f"n{i}" for i in range(nodes)], paths, list(range(nodes)))


class OneWayTree(OneWayRoutes):
    """The same with messages timed in each direction separately: a slow part is slow one way."""

    def __init__(self, nodes: int) -> None:
        super().__init__(SwitchTree(nodes))


Network = RoutedNetwork | SwitchTree | OneWayTree

NETWORKS: dict[str, Callable[[int], Network]] = {
    "fat-tree": fat_tree,
    "dragonfly": dragonfly,
    "torus": torus,
    "switches": SwitchTree,
    "one-way": OneWayTree,
}


@dataclass(frozen=True)
class Machine:
    network: Network
    slow: dict[int, Array]
    """The slow parts with the factor of the time of what passes them, of each size."""

    @property
    def nodes(self) -> int:
        return len(self.network.host_of)

    def seconds(self, passed: Passed) -> Array:
        """Shape (sizes, pairs)."""
        alone = BASE_S + HOP_S * passed.levels
        times_s = np.stack([alone + size / RATE_BPS for size in SIZES])
        for part, factors in self.slow.items():
            weight = passed.weights[:, [part]].toarray().ravel()
            times_s *= 1.0 + weight * (factors[:, None] - 1.0)
        return times_s


def planted(shape: str, nodes: int, fault: str, slower: float, seed: int) -> Machine:
    """A network with that fault at a random place: a node or a cable that is slow at small
    messages, at large ones or at both; two: two of them."""
    network = NETWORKS[shape](nodes)
    draw = random.Random(f"{shape} {nodes} {fault} {seed}")
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

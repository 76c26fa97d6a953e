"""Networks with a planted fault, and the times of their pairs: the truth is known.

A pair takes the latencies of its route plus its bytes over the narrowest bandwidth, times
log-normal noise of each launch. Routes have no link above the nodes that is narrower than what its
nodes send, so that pairs at the same time do not delay each other. A pair on one switch has 1 us
and 12.5 GB/s.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np

from hockney.base.units import format_size
from hockney.infer.analysis.network.boards import (
    CABLE,
    GROUP,
    NODE,
    PAIR,
    PLACE,
    Board,
    Judgement,
    Network,
)
from hockney.infer.analysis.network.faults import judged
from hockney.infer.analysis.network.outlier_rule import LEAST_RATIO

SIZES = (8, 1 << 20)
WIRE, UP, LOCAL, GLOBAL, HOP = (0.5, 12.5), (0.25, 50.0), (0.1, 100.0), (0.5, 100.0), (0.15, 100.0)
"""Latency in us and bandwidth in GB/s."""
SHAPES = ("star", "tree", "fat-tree", "dragonfly", "torus")
NODE_FAULTS = {
    f"node {part} {by}x": (by if part != "bandwidth" else 1.0, by if part != "latency" else 1.0)
    for by in (1.2, 2.0)
    for part in ("latency", "bandwidth", "both")
}
FAULTS = ("none", *NODE_FAULTS, "two nodes 2x", "cable 2x", "uplink 2x", "switch 2x")
TORUS = {8: (2, 2, 2), 16: (4, 2, 2), 64: (4, 4, 4), 256: (8, 8, 4)}

Pair = tuple[int, int]
Link = tuple[float, float]


@dataclass
class Planted:
    """A network, its fault, and who may be named for it."""

    shape: str
    nodes: int
    fault: str
    us: dict[Pair, float] = field(default_factory=dict)
    """Latency of each pair."""
    GBps: dict[Pair, float] = field(default_factory=dict)
    leaf: tuple[int, ...] = ()
    """The leaf switch of each node; empty where the shape has none."""
    slow_nodes: frozenset[int] = frozenset()
    """The nodes whose pairs are slow; of an uplink or a switch all of its leaf."""
    slow_pairs: frozenset[Pair] = frozenset()


def leaf_size(nodes: int) -> int:
    return 4 if nodes <= 64 else 16


def routes(shape: str, nodes: int) -> dict[Pair, list[tuple[str, Link]]]:
    """The links of each pair's route without those of its nodes, by name."""
    return {pair: _route(shape, nodes, *pair) for pair in combinations(range(nodes), 2)}


def _route(shape: str, nodes: int, i: int, j: int) -> list[tuple[str, Link]]:
    if shape == "torus":
        return _torus(TORUS[nodes], i, j)
    if shape == "dragonfly":
        return _dragonfly(4 if nodes > 16 else 2, i // 2, j // 2)
    each = leaf_size(nodes)
    a, b = i // each, j // each
    if shape == "star" or a == b:
        return []
    leaves = [(f"up{a}", UP), (f"up{b}", UP)]
    if shape == "fat-tree" and a // 2 != b // 2:  # pods of two leaves
        return [*leaves, (f"pod{a // 2}", UP), (f"pod{b // 2}", UP)]
    return leaves


def _dragonfly(of_group: int, at: int, to: int) -> list[tuple[str, Link]]:
    if at == to:
        return []
    a, b = at // of_group, to // of_group
    if a == b:
        return [(f"local{min(at, to)}-{max(at, to)}", LOCAL)]
    out, into = a * of_group + b % of_group, b * of_group + a % of_group
    ends = [(start, end) for start, end in ((at, out), (into, to)) if start != end]
    local = [(f"local{min(ends_)}-{max(ends_)}", LOCAL) for ends_ in ends]
    return [*local, (f"global{min(a, b)}-{max(a, b)}", GLOBAL)]


def _torus(sides: tuple[int, ...], i: int, j: int) -> list[tuple[str, Link]]:
    """Dimension by dimension, the shorter way round."""
    at, to = list(np.unravel_index(i, sides)), list(np.unravel_index(j, sides))
    links = []
    for axis, side in enumerate(sides):
        step = 1 if (to[axis] - at[axis]) % side <= side // 2 else -1
        while at[axis] != to[axis]:
            before = tuple(map(int, at))
            at[axis] = (at[axis] + step) % side
            ends = sorted([before, tuple(map(int, at))])
            links.append((f"hop{ends[0]}-{ends[1]}", HOP))
    return links


def planted(shape: str, nodes: int, fault: str, seed: int) -> Planted | None:
    """A network with this fault; None where the shape has no such part."""
    draw = random.Random(f"{shape} {nodes} {fault} {seed}")
    network = Planted(shape, nodes, fault)
    for pair, route in routes(shape, nodes).items():
        network.us[pair] = 2.0 * WIRE[0] + sum(us for _, (us, _) in route)
        network.GBps[pair] = min(WIRE[1], *(rate for _, (_, rate) in route), 1e9)
    if shape in ("tree", "fat-tree"):
        network.leaf = tuple(i // leaf_size(nodes) for i in range(nodes))
    if fault in NODE_FAULTS or fault == "two nodes 2x":
        slow = draw.sample(range(nodes), 2 if fault.startswith("two") else 1)
        network.slow_nodes = frozenset(slow)
        _slow_nodes(network, *NODE_FAULTS.get(fault, (2.0, 2.0)))
    elif fault == "cable 2x":
        pair = draw.choice([(i, i + nodes // 2) for i in range(nodes // 2)])
        network.slow_pairs = frozenset([pair])
        _slow_pairs(network, 2.0)
    elif fault != "none":
        if not network.leaf:
            return None
        leaf = draw.choice(network.leaf)
        own = frozenset(i for i, at in enumerate(network.leaf) if at == leaf)
        network.slow_nodes = own
        has_end = [pair for pair in network.us if own & set(pair)]
        across = [pair for pair in has_end if not own >= set(pair)]
        network.slow_pairs = frozenset(across if fault == "uplink 2x" else has_end)
        _slow_pairs(network, 2.0)
    return network


def _slow_nodes(network: Planted, latency: float, bandwidth: float) -> None:
    """Slows these nodes' pairs by factors, of the median pair's latency and of the bandwidth."""
    usual = dict(network.us)
    for node in network.slow_nodes:
        own = [pair for pair in network.us if node in pair]
        added = (latency - 1.0) * float(np.median([usual[pair] for pair in own]))
        for pair in own:
            network.us[pair] += added
            network.GBps[pair] = min(network.GBps[pair], WIRE[1] / bandwidth)


def _slow_pairs(network: Planted, by: float) -> None:
    for pair in network.slow_pairs:
        network.us[pair] *= by
        network.GBps[pair] /= by


def boards_of(
    planted: Planted, verb: str, noise: float, launches: int, has_topology: bool, seed: int
) -> tuple[list[Board], Network]:
    """The times that a verb measures: of all pairs (fabric, cores), or of node i with i + n/2
    (pairs)."""
    random_ = np.random.default_rng([seed, round(1000 * noise), launches])
    half = planted.nodes // 2
    pairs = [p for p in planted.us if verb != "pairs" or p[1] - p[0] == half]
    leaf = planted.leaf if has_topology else ()
    kinds = [int(leaf[a] != leaf[b]) if leaf else 0 for a, b in pairs]
    if leaf and planted.shape == "fat-tree":
        kinds = [
            kind + int(leaf[a] // 2 != leaf[b] // 2)
            for kind, (a, b) in zip(kinds, pairs, strict=True)
        ]
    boards = []
    for size in SIZES:
        us = np.array([planted.us[p] + size / (1e3 * planted.GBps[p]) for p in pairs])
        each = np.log(us * 1e-6) + noise * random_.normal(size=(launches, len(pairs)))
        logs = np.median(each, axis=0)
        boards.append(Board(format_size(size), np.array(pairs), np.array(kinds), logs, each))
    switch = np.array(leaf or [-1] * planted.nodes)
    return boards, Network(np.arange(planted.nodes), switch, is_simulated=noise == 0.0)


RIGHT, MISSED, FALSE, NOT_JUDGED = "right", "missed", "false", "not judged"


def outcome(
    planted: Planted, verb: str, noise: float, launches: int, has_topology: bool, seed: int
) -> str:
    """Outcome of a verb's gate: RIGHT; MISSED, where slow parts pass; FALSE, where others are
    named, or not all; or NOT_JUDGED."""
    judgement = judged(*boards_of(planted, verb, noise, launches, has_topology, seed))
    if not judgement.faults:
        passed = RIGHT if planted.fault == "none" else MISSED
        return NOT_JUDGED if judgement.doubts else passed
    return RIGHT if _named(planted, judgement, verb) == _truth(planted, verb) else FALSE


def _named(planted: Planted, judgement: Judgement, verb: str) -> set[tuple[str, frozenset[int]]]:
    """Nodes and pairs that a judgement names, and all nodes of the rest that it names."""
    named: set[tuple[str, frozenset[int]]] = set()
    rest: set[int] = set()
    for fault in judgement.faults:
        if fault.kind in (NODE, PLACE):
            named |= {("node", frozenset([unit])) for unit in fault.units}
        elif fault.kind == PAIR:
            named.add(("pair", frozenset(fault.units)))
        elif fault.kind == GROUP:
            rest |= set(fault.units)
        elif fault.kind == CABLE:
            ends = [{i for i, at in enumerate(planted.leaf) if at == leaf} for leaf in fault.units]
            half = planted.nodes // 2
            named |= {
                ("pair", frozenset([a, b]))
                for a, b in product(*ends)
                if verb != "pairs" or abs(a - b) == half
            }
        else:
            rest |= {i for i, at in enumerate(planted.leaf) if at in fault.units}
    return named | {("node", frozenset([node])) for node in rest}


def _truth(planted: Planted, verb: str) -> set[tuple[str, frozenset[int]]]:
    half = planted.nodes // 2
    if verb == "pairs":
        touched = {i % half for i in planted.slow_nodes}
        touched |= {a for a, b in planted.slow_pairs if b - a == half}
        return {("pair", frozenset([i, i + half])) for i in touched}
    if planted.slow_nodes:
        return {("node", frozenset([node])) for node in planted.slow_nodes}
    return {("pair", frozenset(pair)) for pair in planted.slow_pairs}


def can_be_known(planted: Planted, verb: str) -> bool | None:
    """Whether a gate must find the fault; None where it may also decline to judge: one of four
    leaves."""
    if verb == "pairs" and (planted.nodes == 8 or not _is_beyond(planted)):
        return False
    if planted.fault.startswith(("uplink", "switch")):
        leaves = planted.nodes // leaf_size(planted.nodes)
        return None if leaves == 4 and verb != "pairs" else leaves > 4
    return True


def _is_beyond(planted: Planted) -> bool:
    """Whether the pairs that are slow in `pairs` take longer than any sound one at some size, by
    more than what is normal: nothing else tells such a pair from one with a longer route."""
    half = planted.nodes // 2
    slow = {tuple(sorted(names)) for _, names in _truth(planted, "pairs")}
    for size in SIZES:
        us = {
            pair: planted.us[pair] + size / (1e3 * planted.GBps[pair])
            for pair in planted.us
            if pair[1] - pair[0] == half
        }
        sound = [time for pair, time in us.items() if pair not in slow]
        if sound and all(us[pair] > LEAST_RATIO * max(sound) for pair in slow):
            return True
    return not slow

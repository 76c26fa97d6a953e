"""What the rounds of a run show, as input of the odds: its network, and the times of its pairs."""

from __future__ import annotations

import numpy as np

from hockney.infer.analysis.network.network_faults import LEAST_TO_DELAY
from hockney.infer.analysis.network.pair_passes import rounds_of
from hockney.infer.analysis.network.places import host_of, places_of
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.medians import own_medians
from hockney.infer.locate.candidates import (
    UPLINK,
    OneWayRoutes,
    Passed,
    Routes,
    SwitchRoutes,
    TwoWayRoutes,
)
from hockney.infer.locate.design import round_of
from hockney.infer.locate.odds import RoundTimes
from hockney.infer.locate.platform_routes import routes_between
from hockney.plan import plan_of, workload_of
from hockney.plan.platform_network import PlatformNetwork
from hockney.plan.topology import switches_of
from hockney.plan.workloads.fabric import Fabric
from hockney.records import PairBlock, Run

CROWDS = 64
"""Numbers of pairs on a link that a class of times can have."""


def is_located(run: Run) -> bool:
    workload = workload_of(run.header.options)
    return isinstance(workload, Fabric) and workload.locate


def network_of(run: Run) -> Routes:
    """The network of a run, as far as it is known, by the names of its nodes."""
    places = places_of(run)
    ranks = 1 + max([*places, *(int(block.peers.max()) for block in blocks_of(run))], default=0)
    hosts = [host_of(places, rank) for rank in range(ranks)]
    names = list(dict.fromkeys(hosts))
    number = {name: i for i, name in enumerate(names)}
    routes = _routes(run, names, [number[host] for host in hosts])
    return OneWayRoutes(routes) if any(block.is_one_way for block in blocks_of(run)) else routes


def _routes(run: Run, hosts: list[str], host_of: list[int]) -> TwoWayRoutes:
    """The routes of the plan's platform, or else by the switches above each node."""
    network = platform_of(run)
    routes = routes_between(network, hosts, host_of) if network else None
    if routes is not None:
        return routes
    topology = {place.host: place.topology for place in places_of(run).values()}
    return SwitchRoutes(hosts, [switches_of(topology.get(host)) for host in hosts], host_of)


def platform_of(run: Run) -> PlatformNetwork | None:
    plan = plan_of(run.header.options)
    return plan.first.placement.network if plan else None


def made_rounds(run: Run, ranks: int) -> list[int]:
    """The numbers of the rounds that have times, each as often as it was made."""
    rounds: list[int] = []
    for block in blocks_of(run):
        numbers = round_of(ranks, block.peers)
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        rounds += numbers[starts].tolist()
    return rounds


def times_of(run: Run, network: Routes) -> RoundTimes | None:
    """The times of a run as input of the odds; None if no pair was measured."""
    blocks = blocks_of(run)
    if not blocks:
        return None
    sizes, ranks = sizes_of(run), len(network.host_of)
    ends = np.cumsum([0, *(len(block.peers) for block in blocks)])
    logs = np.full((len(sizes), ends[-1]), np.nan)
    for block, start, end in zip(blocks, ends, ends[1:], strict=False):
        for size, ns in zip(block.bytes, block.ns.astype(np.float64), strict=True):
            logs[sizes.index(size), start:end] = np.log(np.where(ns > 0.0, ns, np.nan) * 1e-9)
    peers = np.concatenate([block.peers for block in blocks]).astype(np.int64)
    pairs = peers if network.is_one_way else np.sort(peers, axis=1)
    first, logs = _each_once(pairs, logs, ranks)
    passed = network.of_messages(pairs[first])
    together = rounds_of(blocks)[first]
    is_large = np.array(sizes) >= LEAST_TO_DELAY
    waits = network.delayed(pairs[first], together)
    if waits is None:
        crowd = _crowds(passed, together, network)
        left_out = 0.0
    else:  # How much longer these take depends on all other pairs.
        crowd = np.zeros_like(passed.levels)
        logs[np.ix_(is_large, waits)] = np.nan
        left_out = float(waits.mean()) if is_large.any() else 0.0
    classes = passed.levels * CROWDS + is_large[:, None] * crowd
    return RoundTimes(logs, passed.weights, classes, left_out)


def _each_once(peers: Whole, logs: Array, ranks: int) -> tuple[Whole, Array]:
    """The first row of each pair and the median of its times: the same pair again has the same
    route and the same other pairs beside it, which is no further evidence of what is slow."""
    keys = peers[:, 0] * ranks + peers[:, 1]
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return first, np.stack([own_medians(number.ravel(), times)[first] for times in logs])


def sizes_of(run: Run) -> list[int]:
    return sorted({size for block in blocks_of(run) for size in block.bytes})


def blocks_of(run: Run) -> list[PairBlock]:
    """The times of pairs, without those of launches on other nodes than the first one's."""
    moved = moved_launches(run)
    return [
        pair_time
        for pair_time in run.pair_times
        if len(pair_time.peers) and pair_time.launch not in moved
    ]


def moved_launches(run: Run) -> set[int]:
    """Launches in which a rank ran on another node than in the first one."""
    first = {rank: place.host for rank, place in places_of(run).items()}
    return {
        launch.launch
        for launch in run.launches
        if any(place.host != first.get(place.rank, place.host) for place in launch.places)
    }


def _crowds(passed: Passed, rounds: Whole, network: Routes) -> Whole:
    """Shape (pairs,): how many pairs of the same round share the fullest link of a pair, one way
    that direction of it, as the exponent of the next power of two: large messages delay each other
    there."""
    entries = passed.weights.tocoo()
    is_link = [
        part.kind == UPLINK and (part.way is not None) == network.is_one_way
        for part in network.parts
    ]
    of_link = np.array(is_link)[entries.col]
    rows, parts = entries.row[of_link], entries.col[of_link]
    _, same, counts = np.unique(
        rounds[rows] * len(network.parts) + parts, return_inverse=True, return_counts=True
    )
    most = np.ones(len(passed.levels), np.int64)
    np.maximum.at(most, rows, counts[same.ravel()])
    return np.ceil(np.log2(most)).astype(np.int64)

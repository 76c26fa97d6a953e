"""What the links of a network allow pairs that communicate at once, by max-min fairness."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hockney.infer.analysis.network.contention import Contention
from hockney.plan import Plan
from hockney.plan.topology import Topology
from hockney.records import Place

BOTH_WAYS = {"stream": False, "bidirectional": True}
"""Operations that fill links, and whether they send both ways."""
Link = tuple[str, bool]
"""A link above a node or switch, and whether messages go up it."""


def route(topology: Topology, first: str, second: str) -> list[Link]:
    """The links from one node to another: up to the switch that they have in common, and down."""
    path, other_path = ((*topology.path(topology.switches[node]), node) for node in (first, second))
    common = 0
    while common < min(len(path), len(other_path)) - 1 and path[common] == other_path[common]:
        common += 1
    up = [(name, True) for name in reversed(path[common:])]
    return [*up, *((name, False) for name in other_path[common:])]


def fair_rates(routes: Sequence[Sequence[Link]], speeds: dict[str, float]) -> list[float]:
    """Bytes per second of each flow: no flow can have more without a slower one having less
    (Bertsekas & Gallager, Data Networks, 1992, section 6.5.2). Links without a speed limit none."""
    left = {link: speeds.get(link[0], math.inf) for each in routes for link in each}
    rates = [math.inf] * len(routes)
    open_flows = set(range(len(routes)))
    while open_flows:
        users = Counter(link for flow in open_flows for link in set(routes[flow]))
        tightest = min(users, key=lambda link: left[link] / users[link])
        rate = left[tightest] / users[tightest]
        if math.isinf(rate):
            break
        for flow in [flow for flow in open_flows if tightest in routes[flow]]:
            rates[flow] = rate
            open_flows.remove(flow)
            for link in set(routes[flow]):
                left[link] -= rate
    return rates


def allowed_Bps(
    topology: Topology, pairs: Sequence[tuple[str | None, str | None]], both_ways: bool
) -> float | None:
    """The bandwidth of all pairs of hosts together that the links allow; None where a pair is not
    limited by a link of known speed. both_ways: messages go both ways at the same time."""
    routes = []
    for first, second in pairs:
        ends = topology.node(first or ""), topology.node(second or "")
        if ends[0] is None or ends[1] is None or ends[0] == ends[1]:
            return None
        routes.append(route(topology, ends[0], ends[1]))
        if both_ways:
            routes.append(route(topology, ends[1], ends[0]))
    total = sum(fair_rates(routes, topology.link_Bps))
    return None if math.isinf(total) or not routes else total


@dataclass(frozen=True)
class LinkUse:
    """The bandwidth of pairs at once, against what the links allow."""

    operation: str
    bytes: int
    pairs: int
    measured_Bps: float
    allowed_Bps: float
    is_bisection: bool
    """Whether every node takes part and all messages cross the topmost switch."""

    @property
    def fraction(self) -> float:
        return self.measured_Bps / self.allowed_Bps


def link_use_of(
    curve: Sequence[Contention], plan: Plan | None, places: Mapping[int, Place]
) -> list[LinkUse]:
    """The use of links for each size and number of pairs at once, the largest size of each
    number; empty where the speeds of links are unknown."""
    topology = plan.first.placement.topology if plan else None
    if plan is None or topology is None or not topology.link_Bps:
        return []
    pairing = getattr(plan.first.workload, "pairing", ())  # its first pairs communicate at once
    hosts = [(_host(places, first), _host(places, second)) for first, second in pairing]
    largest: dict[tuple[str, int], Contention] = {}
    for contention in curve:
        key = contention.together.operation, contention.pairs
        if key[0] in BOTH_WAYS and contention.together.bytes > _bytes(largest.get(key)):
            largest[key] = contention
    uses = []
    for (operation, pairs), contention in largest.items():
        allowed = allowed_Bps(topology, hosts[:pairs], BOTH_WAYS[operation])
        if allowed is not None and contention.aggregate_Bps is not None:
            uses.append(
                LinkUse(
                    operation=operation,
                    bytes=contention.together.bytes,
                    pairs=pairs,
                    measured_Bps=contention.aggregate_Bps,
                    allowed_Bps=allowed,
                    is_bisection=_is_bisection(topology, hosts[:pairs], places),
                )
            )
    return uses


def _bytes(contention: Contention | None) -> int:
    return contention.together.bytes if contention else 0


def _host(places: Mapping[int, Place], rank: int) -> str | None:
    place = places.get(rank)
    return place.host if place else None


def _is_bisection(
    topology: Topology, pairs: Sequence[tuple[str | None, str | None]], places: Mapping[int, Place]
) -> bool:
    everywhere = {host for pair in pairs for host in pair} == {p.host for p in places.values()}
    nodes = [tuple(topology.node(host or "") or "" for host in pair) for pair in pairs]
    below_top = [[topology.path(topology.switches[node])[1:2] for node in pair] for pair in nodes]
    return everywhere and all(first and first != second for first, second in below_top)

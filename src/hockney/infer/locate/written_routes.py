"""Routes that a platform file writes out, zone by zone (Bobelin et al., "Scalable multi-purpose
network representation for large scale distributed system simulation", 2012,
doi 10.1109/CCGrid.2012.31)."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hockney.infer.arrays import Whole
from hockney.infer.locate.candidates import CABLE, NetworkPart
from hockney.infer.locate.routed import Way, tried
from hockney.plan.platform_network import OWN, Route, RouteLink, Zone

Links = tuple[RouteLink, ...]
MOST_AT_ONCE = 1 << 30
"""Pairs that no link delays."""
MOST_LINKS = 1 << 10
"""Numbers of links that a kind of route can have."""


@dataclass
class _Table:
    """A zone with its routes, by their ends."""

    zone: Zone
    path: tuple[int, ...]
    """The zones down to it, by number."""
    number: int
    routes: dict[tuple[str, str], Route] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for route in self.zone.routes:
            self.routes[route.source, route.target] = route
            if route.is_symmetric:
                self.routes.setdefault((route.target, route.source), _turned(route))


def _own_link(host: str) -> str:
    return f"of {host}"


def _turned(route: Route) -> Route:
    links = tuple(link.back for link in reversed(route.links))
    return Route(route.target, route.source, links, route.target_gate, route.source_gate)


class WrittenRoutes:
    """The links that hosts share; a link that all routes of one host pass, and no others, is a part
    of that host."""

    pairs_tried = 1 << 14
    """Each takes microseconds, unlike those of a network whose routes are computed."""

    def __init__(self, top: Zone, hosts: Sequence[str]) -> None:
        """hosts: those that take part; they are all that messages pass between."""
        self.hosts = list(hosts)
        self.tables: list[_Table] = []
        self.home: dict[str, _Table] = {}
        """The zone of each host and router."""
        self._add(top, ())
        self.known: dict[tuple[int, int], tuple[Links, int]] = {}
        shared = _shared(self)
        self.capacity = self._capacity(shared)
        self.number = {name: i for i, name in enumerate(shared)}
        self.parts: Sequence[NetworkPart] = [
            NetworkPart(CABLE, (name,), note="") for name in shared
        ]

    def _add(self, zone: Zone, above: tuple[int, ...]) -> None:
        number = len(self.tables)
        table = _Table(zone, (*above, number), number)
        self.tables.append(table)
        self.home |= dict.fromkeys((*zone.hosts, *zone.routers), table)
        for below in zone.zones:
            self._add(below, table.path)

    def route(self, source: int, target: int) -> tuple[Links, int]:
        """The links from one host to another, and the number of the zone that joins them."""
        if (source, target) not in self.known:
            first, second = self.hosts[source], self.hosts[target]
            zone = self._common(first, second)[0]
            self.known[source, target] = tuple(self._links(first, second)), zone.number
        return self.known[source, target]

    def _common(self, source: str, target: str) -> tuple[_Table, str, str]:
        """The lowest common zone, and what each end is in it: itself, or a zone."""
        first, second = self.home[source].path, self.home[target].path
        depth = sum(1 for a, b in zip(first, second, strict=False) if a == b)
        ends = [
            self.tables[path[depth]].zone.name if len(path) > depth else name
            for name, path in ((source, first), (target, second))
        ]
        return self.tables[first[depth - 1]], ends[0], ends[1]

    def _links(self, source: str, target: str) -> Iterator[RouteLink]:
        """No links where the file has no route, which SimGrid rejects."""
        if source == target:
            return
        zone, first, second = self._common(source, target)
        if zone.zone.is_star:
            yield from self._star_links(zone.zone, source, target)
            return
        route = zone.routes.get((first, second))
        if route is None:
            return
        if first != source and route.source_gate in self.home:
            yield from self._links(source, route.source_gate)
        yield from route.links
        if second != target and route.target_gate in self.home:
            yield from self._links(route.target_gate, target)

    def _star_links(self, zone: Zone, source: str, target: str) -> Iterator[RouteLink]:
        if source not in zone.routers:
            yield RouteLink(_own_link(source), False)
        if zone.backbone is not None:
            yield RouteLink(zone.backbone)
        if target not in zone.routers:
            yield RouteLink(_own_link(target), True)

    def _capacity(self, shared: list[str]) -> Whole:
        """How many pairs each link has room for, each of the usual bandwidth of a pair alone; one
        where either is unknown."""
        known = self._bandwidths()
        fatpipes = {name for table in self.tables for name in table.zone.fatpipes}
        rates = [
            min((known[link.name] for link in links if link.name in known), default=math.inf)
            for links, _ in self.known.values()
        ]
        usual = statistics.median_low(rates) if rates else math.inf
        room = [
            MOST_AT_ONCE if name in fatpipes else min(known.get(name, 0.0) / usual, MOST_AT_ONCE)
            for name in shared
        ]
        return np.array([max(int(each + 0.01), 1) for each in room], np.int64)

    def _bandwidths(self) -> dict[str, float]:
        bandwidths_Bps: dict[str, float] = {}
        for table in self.tables:
            zone, speeds = table.zone, dict(table.zone.bandwidth_Bps)
            own = speeds.pop(OWN, None) if zone.is_star else None
            bandwidths_Bps |= speeds
            if own is not None:
                bandwidths_Bps |= {_own_link(host): own for host in zone.hosts}
        return bandwidths_Bps

    def way(self, sources: Whole, targets: Whole) -> Way:
        ends: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        levels = np.ones(len(sources), np.int64)
        for row, (a, b) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
            links, zone = self.route(a, b)
            levels[row] += min(len(links), MOST_LINKS - 1) + MOST_LINKS * zone
            for link in dict.fromkeys(links):
                if link.name in self.number:
                    is_down = link.is_down if link.is_down is not None else a > b
                    ends[is_down].append((row, self.number[link.name]))
        along, against = (np.array(end, np.int64).reshape(-1, 2).T for end in ends)
        return Way([(along[0], along[1])], [(against[0], against[1])], [], levels)

    def level_name(self, level: int) -> str | None:  # noqa: ARG002
        return None


def _shared(routes: WrittenRoutes) -> list[str]:
    """The links that are no part of one host, in the order in which routes pass them."""
    ranks = len(routes.hosts)
    of_host, passes = np.zeros(ranks, np.int64), Counter[str]()
    users: dict[str, set[int]] = {}
    """Hosts which all routes with the link have at an end."""
    for pairs in tried(ranks, routes.pairs_tried):
        for source, target in pairs.tolist():
            of_host[[source, target]] += 1
            for name in {link.name for link in routes.route(source, target)[0]}:
                passes[name] += 1
                users[name] = users.get(name, {source, target}) & {source, target}
    return [
        name
        for name, count in passes.items()
        if not any(count == of_host[host] for host in users[name])
    ]

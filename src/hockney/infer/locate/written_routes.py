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

from hockney.infer.locate.candidates import CABLE, NetworkPart, Whole
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

    def route(self, one: int, other: int) -> tuple[Links, int]:
        """The links from one host to another, and the number of the zone that joins them."""
        if (one, other) not in self.known:
            first, second = self.hosts[one], self.hosts[other]
            zone = self._common(first, second)[0]
            self.known[one, other] = tuple(self._links(first, second)), zone.number
        return self.known[one, other]

    def _common(self, one: str, other: str) -> tuple[_Table, str, str]:
        """The lowest zone of both, and what they are there: themselves, or zones."""
        first, second = self.home[one].path, self.home[other].path
        depth = sum(1 for a, b in zip(first, second, strict=False) if a == b)
        ends = [
            self.tables[path[depth]].zone.name if len(path) > depth else name
            for name, path in ((one, first), (other, second))
        ]
        return self.tables[first[depth - 1]], ends[0], ends[1]

    def _links(self, one: str, other: str) -> Iterator[RouteLink]:
        """None where the file has no route, of which SimGrid complains."""
        if one == other:
            return
        zone, first, second = self._common(one, other)
        if zone.zone.is_star:
            yield from self._star_links(zone.zone, one, other)
            return
        route = zone.routes.get((first, second))
        if route is None:
            return
        if first != one and route.source_gate in self.home:
            yield from self._links(one, route.source_gate)
        yield from route.links
        if second != other and route.target_gate in self.home:
            yield from self._links(route.target_gate, other)

    def _star_links(self, zone: Zone, one: str, other: str) -> Iterator[RouteLink]:
        if one not in zone.routers:
            yield RouteLink(_own_link(one), False)
        if zone.backbone is not None:
            yield RouteLink(zone.backbone)
        if other not in zone.routers:
            yield RouteLink(_own_link(other), True)

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
        found: dict[str, float] = {}
        for table in self.tables:
            zone, speeds = table.zone, dict(table.zone.bandwidth_Bps)
            own = speeds.pop(OWN, None) if zone.is_star else None
            found |= speeds
            if own is not None:
                found |= {_own_link(host): own for host in zone.hosts}
        return found

    def way(self, one: Whole, other: Whole) -> Way:
        ends: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        levels = np.ones(len(one), np.int64)
        for row, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
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
        for one, other in pairs.tolist():
            of_host[[one, other]] += 1
            for name in {link.name for link in routes.route(one, other)[0]}:
                passes[name] += 1
                users[name] = users.get(name, {one, other}) & {one, other}
    return [
        name
        for name, count in passes.items()
        if not any(count == of_host[host] for host in users[name])
    ]

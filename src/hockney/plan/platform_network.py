"""The network that a SimGrid platform file describes, as far as its routes need it."""

from __future__ import annotations

import itertools
import math

import msgspec

FAT_TREE, TORUS, DRAGONFLY = "fat tree", "torus", "dragonfly"
OWN = "own"
"""The name of the link of each host of a star."""


class ClusterNetwork(msgspec.Struct, frozen=True, kw_only=True, tag="cluster"):
    """One cluster whose nodes are joined as its parameters say, as SimGrid numbers them."""

    source: str
    """The file or shape that described it."""
    shape: str
    """FAT_TREE, TORUS or DRAGONFLY."""
    parameters: tuple[tuple[int, ...], ...]
    """Of a fat tree the children, parents and parallel cables of each level, the lowest first; of a
    torus the extents; of a dragonfly the groups, chassis, routers and nodes, each of the one before
    it, and the cables between two groups, chassis and routers."""
    prefix: str
    suffix: str
    ranges: tuple[tuple[int, int], ...]
    """First and last numbers of nodes."""

    @property
    def hosts(self) -> tuple[str, ...]:
        return named(self.prefix, self.ranges, self.suffix)

    @property
    def size(self) -> int:
        """Number of nodes that the parameters make."""
        return math.prod(self.parameters[0])

    @property
    def cable_count(self) -> int:
        """Number of its cables, which may be far more than nodes. Its switches are no more."""
        if self.shape == TORUS:
            return self.size * len(self.parameters[0])
        if self.shape == DRAGONFLY:
            groups, chassis, routers, _ = self.parameters[0]
            of_group = chassis * math.comb(routers, 2) + routers * math.comb(chassis, 2)
            return groups * of_group + math.comb(groups, 2)
        children, parents, cables = self.parameters
        return sum(
            math.prod((*parents[: level + 1], *children[level:])) * cables[level]
            for level in range(len(children))
        )


class RouteLink(msgspec.Struct, frozen=True, array_like=True):
    """A link of a route."""

    name: str
    is_down: bool | None = None
    """Its direction; None for one that has no directions."""

    @property
    def back(self) -> RouteLink:
        return self if self.is_down is None else RouteLink(self.name, not self.is_down)


class Route(msgspec.Struct, frozen=True, array_like=True):
    """Links between two hosts, routers or zones."""

    source: str
    target: str
    links: tuple[RouteLink, ...]
    source_gate: str = ""
    target_gate: str = ""
    """The hosts or routers of two zones at which the links begin and end."""
    is_symmetric: bool = True
    """Whether messages the other way pass the same links."""


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts with their routes."""

    name: str
    hosts: tuple[str, ...] = ()
    routers: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    zones: tuple[Zone, ...] = ()
    is_star: bool = False
    """Whether each host has a link of its own to what joins them."""
    backbone: str | None = None
    """The link that joins the hosts of a star."""
    bandwidth_Bps: dict[str, float] = {}
    """By link, where the speed is known; OWN for the link of each host of a star."""
    fatpipes: tuple[str, ...] = ()
    """Links without contention, however many messages pass them at once."""

    @property
    def all_hosts(self) -> tuple[str, ...]:
        below = itertools.chain.from_iterable(zone.all_hosts for zone in self.zones)
        return (*self.hosts, *below)


class ZoneNetwork(msgspec.Struct, frozen=True, kw_only=True, tag="zones"):
    """Zones whose routes are written out."""

    source: str
    top: Zone

    @property
    def hosts(self) -> tuple[str, ...]:
        return self.top.all_hosts


PlatformNetwork = ClusterNetwork | ZoneNetwork


def named(prefix: str, ranges: tuple[tuple[int, int], ...], suffix: str) -> tuple[str, ...]:
    return tuple(
        f"{prefix}{number}{suffix}" for first, last in ranges for number in range(first, last + 1)
    )

"""Reads the network of a SimGrid platform file: one cluster that is a fat tree, a torus or a
dragonfly, or zones whose routes are written out (https://simgrid.org/doc/latest/XML_reference.html,
as SimGrid 3.32 reads them)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hockney.base.errors import UsageError
from hockney.plan.platform_network import (
    DRAGONFLY,
    FAT_TREE,
    TORUS,
    ClusterNetwork,
    PlatformNetwork,
    Route,
    RouteLink,
    Zone,
    ZoneNetwork,
    named,
)
from hockney.plan.topology_files import MOST_NAMES
from hockney.plan.xml_elements import BadXmlError, Element, root_of

PLATFORM = re.compile(r"\s*(<\?xml|<!DOCTYPE\s+platform|<!--|<platform)")
"""The beginning of a platform file."""
SHAPES = {"FAT_TREE": FAT_TREE, "TORUS": TORUS, "DRAGONFLY": DRAGONFLY}
WRITTEN = {
    FAT_TREE: "2;16,4;1,4;1,1 (levels; children; parents; parallel cables)",
    TORUS: "4,4,4",
    DRAGONFLY: "4,1;2,1;4,1;2 (groups, chassis and routers with their cables; nodes)",
}
ZONES, LISTED = ("zone", "AS"), ("full", "none")
"""Words for a zone, and its kinds of routing that are read, in small letters."""
BYPASSES = ("bypassRoute", "bypassZoneRoute", "bypassASroute", "include", "peer", "cabinet")
"""What changes routes, and is not read."""
SPEED = re.compile(r"(\d[\d.]*(?:e[+-]?\d+)?)([kKMGT]?)(i?)(Bps|bps|)")
PREFIXES = ("", "K", "M", "G", "T")
LARGEST_LIST = 1 << 22
"""Most characters of a file whose routes are written out: they are stored with the results."""


class UnreadableRoutesError(Exception):
    """The file is a platform, but its routes cannot be known from it. Its words say why."""


def platform_network(text: str, source: str) -> PlatformNetwork | None:
    """The network in the text of a file; None where each node has nothing but a link of its own to
    all others. Raises UnreadableRoutesError, and UsageError where the file contradicts itself."""
    try:
        root = root_of(text)
    except BadXmlError as error:
        raise UnreadableRoutesError(f"line {error.line}: {error.words}") from error
    top = _Reader(source).zone(root)
    while not (top.hosts or top.routes) and len(top.zones) == 1:
        (top,) = top.zones
    if isinstance(top, _Shaped):
        return top.network
    _check_written(top)
    if not top.all_hosts:
        raise UnreadableRoutesError("it has no hosts")
    if top.is_star:
        return None
    if len(text) > LARGEST_LIST:
        raise UnreadableRoutesError(f"more than {LARGEST_LIST >> 20} MiB of routes")
    return ZoneNetwork(source=source, top=top)


class _Shaped(Zone, frozen=True, kw_only=True):
    """A cluster that is no star."""

    network: ClusterNetwork


def _check_written(zone: Zone) -> None:
    if isinstance(zone, _Shaped):
        raise UnreadableRoutesError(f"cluster {zone.name!r} is a {zone.network.shape} among others")
    for one in zone.zones:
        _check_written(one)


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source

    def wrong(self, element: Element, words: str, advice: str) -> UsageError:
        return UsageError(f"{self.source}, line {element.line}: {words}", advice)

    def unreadable(self, element: Element, words: str) -> UnreadableRoutesError:
        return UnreadableRoutesError(f"line {element.line}: {words}")

    def zone(self, element: Element) -> Zone:
        for child in element:
            if child.name in BYPASSES:
                raise self.unreadable(child, f"<{child.name}>")
        zones = [self.zone(self.listed(child)) for child in element if child.name in ZONES]
        zones += [self.cluster(child) for child in element if child.name == "cluster"]
        return Zone(
            name=element.attributes.get("id", ""),
            hosts=_ids(element, "host"),
            routers=_ids(element, "router"),
            routes=tuple(self.routes(element)),
            zones=tuple(zones),
            bandwidth_Bps=dict(_bandwidths(element)),
        )

    def listed(self, zone: Element) -> Element:
        """The zone, whose routes are written out."""
        routing = zone.attributes.get("routing", "Full")
        if routing.lower() not in LISTED:
            raise self.unreadable(zone, f"routing {routing[:40]!r} chooses routes itself")
        return zone

    def routes(self, zone: Element) -> Iterator[Route]:
        for element in zone:
            if element.name not in ("route", "zoneRoute", "ASroute"):
                continue
            given = element.attributes
            yield Route(
                given.get("src", ""),
                given.get("dst", ""),
                tuple(_link(child) for child in element if child.name == "link_ctn"),
                given.get("gw_src", ""),
                given.get("gw_dst", ""),
                given.get("symmetrical", "yes").lower() in ("yes", "true", "1"),
            )

    def cluster(self, element: Element) -> Zone:
        given = element.attributes
        topology = given.get("topology", "FLAT")
        ranges = self.ranges(element)
        prefix, suffix = given.get("prefix", ""), given.get("suffix", "")
        name = given.get("id", "")
        if topology == "FLAT":
            router = given.get("router_id") or f"{prefix}{name}_router{suffix}"
            backbone = f"{name}_backbone" if "bb_bw" in given else None
            hosts = named(prefix, ranges, suffix)
            return Zone(name=name, hosts=hosts, routers=(router,), is_star=True, backbone=backbone)
        if topology not in SHAPES:
            raise self.wrong(
                element,
                f"cluster {name!r} has the unknown topology {topology[:40]!r}",
                f"SimGrid has {', '.join(SHAPES)} and FLAT",
            )
        network = ClusterNetwork(
            source=self.source,
            shape=SHAPES[topology],
            parameters=self.parameters(element, SHAPES[topology]),
            prefix=prefix,
            suffix=suffix,
            ranges=ranges,
        )
        count = sum(last + 1 - first for first, last in ranges)
        if network.size != count:
            raise self.wrong(
                element,
                f"the {network.shape} {given.get('topo_parameters', '')!r} has {network.size} "
                f"nodes, and the radical {given.get('radical', '')!r} {count}",
                "let topo_parameters and radical agree",
            )
        return _Shaped(name=name, network=network)

    def ranges(self, element: Element) -> tuple[tuple[int, int], ...]:
        found, total = [], 0
        for part in element.attributes.get("radical", "").split(","):
            match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
            if not match or int(match[2] or match[1]) < int(match[1]):
                raise self.wrong(element, f"{part[:40]!r} in a radical", 'write radical="0-15"')
            first, last = int(match[1]), int(match[2] or match[1])
            total += last + 1 - first
            found.append((first, last))
        if not 0 < total <= MOST_NAMES:
            raise self.wrong(element, f"{total} nodes", f"at most {MOST_NAMES} are read")
        return tuple(found)

    def parameters(self, element: Element, shape: str) -> tuple[tuple[int, ...], ...]:
        text = element.attributes.get("topo_parameters", "")
        bad = self.wrong(
            element,
            f"topo_parameters {text[:60]!r} of a {shape}",
            f"write such as {WRITTEN[shape]}",
        )
        try:
            rows = [tuple(int(word) for word in row.split(",")) for row in text.split(";")]
        except ValueError:
            raise bad from None
        if any(value < 1 for row in rows for value in row):
            raise bad
        if shape == TORUS and len(rows) == 1:
            return (rows[0],)
        if shape == FAT_TREE and len(rows) == 4:
            levels = rows[0][0]
            if [len(row) for row in rows] == [1, levels, levels, levels]:
                return tuple(rows[1:])
        if shape == DRAGONFLY and [len(row) for row in rows] == [2, 2, 2, 1]:
            groups, _, routers, _ = extents = tuple(row[0] for row in rows)
            cables = tuple(row[1] for row in rows[:3])
            if groups > routers:
                raise self.wrong(
                    element,
                    f"{groups} groups and {routers} routers in a chassis",
                    "SimGrid joins each group to a router of its own: give a chassis as many",
                )
            return extents, cables
        raise bad


def _link(element: Element) -> RouteLink:
    way = element.attributes.get("direction", "NONE")
    return RouteLink(element.attributes.get("id", ""), None if way == "NONE" else way == "DOWN")


def _bandwidths(zone: Element) -> Iterator[tuple[str, float]]:
    for element in zone:
        given = element.attributes
        if element.name == "link" and given.get("sharing_policy") != "FATPIPE":
            speed = _speed(given.get("bandwidth", ""))
            if speed is not None:
                yield given.get("id", ""), speed


def _speed(text: str) -> float | None:
    """Bytes per second of "1.25e9Bps", "10Gbps" or "125MiBps"; None of anything else."""
    found = SPEED.fullmatch(text.strip())
    if not found:
        return None
    factor = (1024.0 if found[3] else 1000.0) ** PREFIXES.index(found[2].upper())
    return float(found[1]) * factor / (8.0 if found[4] == "bps" else 1.0)


def _ids(element: Element, name: str) -> tuple[str, ...]:
    return tuple(child.attributes.get("id", "") for child in element if child.name == name)

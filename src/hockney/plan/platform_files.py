"""Reads the network of a SimGrid platform file: one cluster that is a fat tree, a torus or a
dragonfly, or zones whose routes are written out (https://simgrid.org/doc/latest/XML_reference.html,
as SimGrid 3.32 reads them)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from hockney.base.errors import UsageError
from hockney.plan.platform_network import (
    DRAGONFLY,
    FAT_TREE,
    OWN,
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
ZONES, CLUSTERS, LISTED = ("zone", "AS"), ("cluster",), ("full", "none")
"""Words for a zone and a cluster, and a zone's kinds of routing that are read, in small letters."""
BYPASSES = ("bypassRoute", "bypassZoneRoute", "bypassASroute", "include", "peer", "cabinet")
"""What changes routes, and is not read."""
SPEED = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:([kKMGTPEZY]?)(i?)(Bps|bps))?")
PREFIXES = ("", "K", "M", "G", "T", "P", "E", "Z", "Y")
WHOLE = re.compile(r"\s*\d{1,9}\s*")
MOST_LEVELS = 32
"""Most levels of a fat tree or dimensions of a torus."""
FARTHEST = 256
"""Most cables around a torus, all dimensions together. Each pair passes a quarter of these, so that
routes of more take minutes to follow."""
DEEPEST = 100
"""Most zones inside of each other."""
FATPIPE = "FATPIPE"
LARGEST_LIST = 1 << 22
"""Most characters of a file whose routes are written out: they are stored with the results."""


NO_PLACE = -1


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
    for child in zone.zones:
        _check_written(child)


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.numbers: dict[str, int] = {}
        """Numbers of hosts and routers, consecutive within a zone; NO_PLACE for a zone."""

    def wrong(self, element: Element, words: str, advice: str) -> UsageError:
        return UsageError(f"{self.source}, line {element.line}: {words}", advice)

    def unreadable(self, element: Element, words: str) -> UnreadableRoutesError:
        return UnreadableRoutesError(f"line {element.line}: {words}")

    def define(self, element: Element, name: str, is_zone: bool = False) -> None:
        """Zones, hosts and routers share one namespace, in which routes are followed."""
        if name in self.numbers:
            raise self.wrong(
                element,
                f"{name[:40]!r} is defined twice",
                "SimGrid refuses this too: give hosts, routers and zones names of their own",
            )
        self.numbers[name] = NO_PLACE if is_zone else len(self.numbers)

    def zone(self, element: Element, depth: int = 0) -> Zone:
        if depth > DEEPEST:
            raise self.unreadable(element, f"more than {DEEPEST} zones inside of each other")
        for child in element:
            if child.name in BYPASSES:
                raise self.unreadable(child, f"<{child.name}>")
        zones, inside = [], {}
        for child in (each for kind in (ZONES, CLUSTERS) for each in element if each.name in kind):
            if child.attributes.get("id"):
                self.define(child, child.attributes["id"], is_zone=True)
            first = len(self.numbers)
            is_cluster = child.name in CLUSTERS
            zones.append(
                self.cluster(child) if is_cluster else self.zone(self.listed(child), depth + 1)
            )
            if not isinstance(zones[-1], _Shaped):
                inside[zones[-1].name] = range(first, len(self.numbers))
        links = [child.attributes for child in element if child.name == "link"]
        return Zone(
            name=element.attributes.get("id", ""),
            hosts=self.ids(element, "host"),
            routers=self.ids(element, "router"),
            routes=tuple(self.routes(element, inside)),
            zones=tuple(zones),
            bandwidth_Bps=_speeds(
                (link.get("id", ""), link.get("bandwidth", "")) for link in links
            ),
            fatpipes=tuple(
                link.get("id", "") for link in links if link.get("sharing_policy") == FATPIPE
            ),
        )

    def ids(self, zone: Element, kind: str) -> tuple[str, ...]:
        children = [child for child in zone if child.name == kind]
        for child in children:
            self.define(child, child.attributes.get("id", ""))
        return tuple(child.attributes.get("id", "") for child in children)

    def listed(self, zone: Element) -> Element:
        """The zone; raises an error unless its routes are written out."""
        routing = zone.attributes.get("routing", "Full")
        if routing.lower() not in LISTED:
            raise self.unreadable(zone, f"routing {routing[:40]!r} chooses routes itself")
        return zone

    def routes(self, zone: Element, inside: dict[str, range]) -> Iterator[Route]:
        """inside: the numbers of the hosts and routers of each zone below."""
        for element in zone:
            if element.name not in ("route", "zoneRoute", "ASroute"):
                continue
            self.check_gates(element, inside)
            given = element.attributes
            yield Route(
                given.get("src", ""),
                given.get("dst", ""),
                tuple(_link(child) for child in element if child.name == "link_ctn"),
                given.get("gw_src", ""),
                given.get("gw_dst", ""),
                given.get("symmetrical", "yes").lower() in ("yes", "true", "1"),
            )

    def check_gates(self, route: Element, inside: dict[str, range]) -> None:
        """A gate outside its zone could lead from zone to zone without end."""
        for end in ("src", "dst"):
            zone, gate = route.attributes.get(end, ""), route.attributes.get(f"gw_{end}", "")
            if zone in inside and self.numbers.get(gate, NO_PLACE) not in inside[zone]:
                raise self.wrong(
                    route,
                    f"gw_{end} {gate[:40]!r} is not in zone {zone[:40]!r}",
                    "name a host or router of that zone",
                )

    def cluster(self, element: Element) -> Zone:
        given = element.attributes
        topology = given.get("topology", "FLAT")
        ranges = self.ranges(element)
        prefix, suffix = given.get("prefix", ""), given.get("suffix", "")
        name = given.get("id", "")
        if topology == "FLAT":
            return self.star(element, named(prefix, ranges, suffix))
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
        if network.cable_count > MOST_NAMES:
            raise self.unreadable(element, f"{network.cable_count} cables, more than {MOST_NAMES}")
        if network.shape == TORUS and sum(network.parameters[0]) > FARTHEST:
            raise self.unreadable(element, f"a torus of more than {FARTHEST} cables around")
        return _Shaped(name=name, network=network)

    def star(self, element: Element, hosts: tuple[str, ...]) -> Zone:
        given, name = element.attributes, element.attributes.get("id", "")
        usual = f"{given.get('prefix', '')}{name}_router{given.get('suffix', '')}"
        router = given.get("router_id") or usual
        for each in (*hosts, router):
            self.define(element, each)
        backbone = f"{name}_backbone" if "bb_bw" in given else None
        speeds = {OWN: given.get("bw", "")}
        if backbone is not None:
            speeds[backbone] = given["bb_bw"]
        is_fat = backbone is not None and given.get("bb_sharing_policy") == FATPIPE
        return Zone(
            name=name,
            hosts=hosts,
            routers=(router,),
            is_star=True,
            backbone=backbone,
            bandwidth_Bps=_speeds(speeds.items()),
            fatpipes=(backbone,) if backbone is not None and is_fat else (),
        )

    def ranges(self, element: Element) -> tuple[tuple[int, int], ...]:
        ranges, total = [], 0
        for part in element.attributes.get("radical", "").split(","):
            match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
            if not match or int(match[2] or match[1]) < int(match[1]):
                raise self.wrong(element, f"{part[:40]!r} in a radical", 'write radical="0-15"')
            first, last = int(match[1]), int(match[2] or match[1])
            total += last + 1 - first
            ranges.append((first, last))
        if not 0 < total <= MOST_NAMES - len(self.numbers):
            before = f" besides {len(self.numbers)} names" if self.numbers else ""
            raise self.wrong(element, f"{total} nodes{before}", f"at most {MOST_NAMES} are read")
        return tuple(ranges)

    def parameters(self, element: Element, shape: str) -> tuple[tuple[int, ...], ...]:
        text = element.attributes.get("topo_parameters", "")
        bad = self.wrong(
            element,
            f"topo_parameters {text[:60]!r} of a {shape}",
            f"write such as {WRITTEN[shape]}",
        )
        words = [row.split(",") for row in text.split(";")]
        if not all(WHOLE.fullmatch(word) for row in words for word in row):
            raise bad
        rows = [tuple(int(word) for word in row) for row in words]
        if any(value < 1 for row in rows for value in row) or max(map(len, rows)) > MOST_LEVELS:
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


def _speeds(texts: Iterable[tuple[str, str]]) -> dict[str, float]:
    """The speed of each link, where it is understood."""
    read = ((name, _speed(text)) for name, text in texts)
    return {name: speed for name, speed in read if speed is not None}


def _speed(text: str) -> float | None:
    """Bytes per second of "1.25e9Bps", "10Gbps" or "125MiBps"; None of anything else."""
    match = SPEED.fullmatch(text.strip())
    if not match:
        return None
    factor = (1024.0 if match[3] else 1000.0) ** PREFIXES.index((match[2] or "").upper())
    speed = float(match[1]) * factor / (8.0 if match[4] == "bps" else 1.0)
    return speed if 0.0 < speed < math.inf else None

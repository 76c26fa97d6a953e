"""Writes simulated machines such as `fat-tree:1024,lat=1us,bw=12.5GB/s` as SimGrid's XML.

Latency and bandwidth are per link; a route has several links. Defaults: links of 100 Gbit/s and
0.5 us, nodes of 100 Gflop/s (they compute nothing here).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

import msgspec

from hockney.base.errors import UsageError
from hockney.base.temporary import temporary_directory
from hockney.base.units import parse_seconds, parse_size
from hockney.plan import Placement
from hockney.plan.bounds import is_whole

LATENCY_S, BANDWIDTH_BPS = 0.5e-6, 12_500_000_000
SPEED = "100Gf"
MOST_NODES = 1 << 20
"""SimGrid makes every node before the first message."""


@dataclass(frozen=True)
class Shape:
    """A network topology with its extents; ranks run on the first `nodes` nodes."""

    kind: str
    extents: tuple[int, ...]
    nodes: int
    latency_s: float = LATENCY_S
    bandwidth_Bps: int = BANDWIDTH_BPS


def _fat_tree(extents: tuple[int, ...]) -> str:
    """Two levels, non-blocking: a leaf switch has as many uplinks as nodes."""
    nodes, leaves = extents
    return f"2;{nodes},{leaves};1,{nodes};1,1"


def _dragonfly(extents: tuple[int, ...]) -> str:
    """Groups of chassis of routers of nodes, all-to-all with one link at each level."""
    groups, chassis, routers, nodes = extents
    return f"{groups},1;{chassis},1;{routers},1;{nodes}"


def _torus(extents: tuple[int, ...]) -> str:
    """The extents without dimensions of one node: SimGrid would link the node with itself in
    each."""
    return ",".join(map(str, [extent for extent in extents if extent > 1] or [1]))


TOPOLOGIES: dict[str, tuple[int, str, Callable[[tuple[int, ...]], str]]] = {
    "cluster": (1, "FLAT", lambda _: ""),
    "fat-tree": (2, "FAT_TREE", _fat_tree),
    "torus": (3, "TORUS", _torus),
    "dragonfly": (4, "DRAGONFLY", _dragonfly),
}
"""Number of extents, SimGrid's name and SimGrid's parameters of each topology."""


def parse_shape(text: str) -> Shape | None:
    """The shape that the text describes; None if it names a file."""
    kind, colon, rest = text.partition(":")
    if kind not in TOPOLOGIES:
        near = get_close_matches(kind, TOPOLOGIES, 1)
        if colon and near and not Path(text).exists():
            raise UsageError(f"--platform {text}: no such shape", f"did you mean {near[0]}?")
        return None
    extent, *settings = rest.split(",")
    extents = _extents(text, kind, extent)
    nodes = int(extent) if extent.isdecimal() else math.prod(extents)
    shape = Shape(kind, extents, nodes)
    for setting in settings:
        shape = _with_setting(text, shape, setting)
    return shape


def _extents(text: str, kind: str, words: str) -> tuple[int, ...]:
    """The extents of "4x4x8"; for a number of nodes the most even extents with room for them."""
    count = TOPOLOGIES[kind][0]
    parts = words.split("x")
    if not all(part.isdecimal() and int(part[:9]) > 0 for part in parts) or len(parts) not in (
        1,
        count,
    ):
        wanted = "x".join(["N"] * count)
        raise UsageError(
            f"--platform {text[:40]}: {words[:40]!r} is not a number of nodes",
            f"write {kind}:64" + (f" or {kind}:{wanted}" if count > 1 else ""),
        )
    extents = tuple(map(int, parts)) if all(map(is_whole, parts)) else ()
    if not extents or math.prod(extents) > MOST_NODES:
        raise UsageError(f"--platform {text[:40]}: more than {MOST_NODES} nodes")
    if len(extents) == count:
        _check_dragonfly(text, kind, extents)
        return extents
    even = _even(extents[0], count)
    return tuple(sorted(even)) if kind == "dragonfly" else even


def _check_dragonfly(text: str, kind: str, extents: tuple[int, ...]) -> None:
    """A router of the first chassis of each group has the link to one other group: SimGrid is
    killed by a group without one."""
    if kind == "dragonfly" and extents[0] > extents[2]:
        raise UsageError(
            f"--platform {text}: {extents[0]} groups need as many routers in a chassis, not "
            f"{extents[2]}",
            "the extents are groups x chassis x routers x nodes: ask for fewer groups",
        )


def _even(nodes: int, count: int) -> tuple[int, ...]:
    extents = []
    left = nodes
    for more in range(count, 0, -1):
        side = next(n for n in range(1, left + 1) if n**more >= left)
        extents.append(side)
        left = math.ceil(left / side)
    return tuple(extents)


def _with_setting(text: str, shape: Shape, setting: str) -> Shape:
    name, _, value = setting.strip().partition("=")
    if name == "lat":
        return replace(shape, latency_s=parse_seconds(value))
    if name == "bw":
        return replace(shape, bandwidth_Bps=max(parse_size(value.removesuffix("/s")), 1))
    raise UsageError(
        f"--platform {text}: unknown setting {name!r}", "known are lat=1us and bw=12.5GB/s"
    )


def shape_xml(shape: Shape) -> str:
    """SimGrid's platform, version 4.1: one cluster of hosts node-0, node-1 ..."""
    from xml.sax.saxutils import quoteattr

    _, topology, parameters = TOPOLOGIES[shape.kind]
    attributes = {
        "id": shape.kind,
        "prefix": "node-",
        "radical": f"0-{math.prod(shape.extents) - 1}",
        "suffix": "",
        "speed": SPEED,
        "bw": f"{shape.bandwidth_Bps}Bps",
        "lat": f"{shape.latency_s!r}s",
    }
    if topology != "FLAT":
        attributes |= {"topology": topology, "topo_parameters": parameters(shape.extents)}
    words = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return (
        '<?xml version="1.0"?>\n'
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1">\n  <cluster {words}/>\n</platform>\n'
    )


@contextmanager
def platform_file(placement: Placement) -> Iterator[Placement]:
    """The placement with its platform, if it is a shape, written to a file for the simulator.

    SimGrid does not define an order of hosts: the host file puts rank i on node i / ranks per node.
    """
    shape = parse_shape(placement.platform) if placement.platform else None
    if shape is None:
        yield placement
        return
    with temporary_directory("hockney-") as directory:
        platform, hosts = directory / "platform.xml", directory / "hosts"
        platform.write_text(shape_xml(shape))
        each = placement.ranks_per_node or 1
        slots = [f"node-{node}\n" * each for node in range(shape.nodes)]
        hosts.write_text("".join(slots))
        yield msgspec.structs.replace(placement, platform=str(platform), hostfile=str(hosts))

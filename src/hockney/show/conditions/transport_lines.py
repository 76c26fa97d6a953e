"""Lines on what carries messages: the ports of each node, and the way of each size."""

from __future__ import annotations

from collections.abc import Iterator

from hockney.base.units import format_size
from hockney.infer.analysis.conditions.ports import Port
from hockney.infer.analysis.conditions.transports import (
    REACHES,
    Carrier,
    NodePorts,
    SizePath,
    Transports,
)

WHERE = {"node": "in a node", "network": "between nodes"}
UNTRIED = {
    "node": "not tried: no node had two ranks",
    "network": "not tried: one node; give --hosts A,B, or run inside an allocation",
}
STATES = {True: "active", False: "down", None: "state unknown"}


def transport_lines(transports: Transports) -> Iterator[str]:
    """Lines on the ports of each node, and on the ways of messages by size."""
    for node in transports.nodes:
        yield from _node_lines(node)
    for reach in REACHES:
        yield f"{WHERE[reach]}:"
        paths = transports.of(reach)
        if not paths:
            yield f"  {UNTRIED[reach]}"
        for peers in dict.fromkeys(path.peers for path in paths):
            yield from _pair_lines([path for path in paths if path.peers == peers])


def _node_lines(node: NodePorts) -> Iterator[str]:
    yield f"ports of {node.host or 'an unknown host'}:"
    if not node.ports:
        yield "  none that sysfs shows"
    width = max((len(port.name) for port in node.ports), default=0)
    for port in node.ports:
        yield f"  {port.name:<{width}}  {_port_words(port)}"


def _port_words(port: Port) -> str:
    speed = f", {port.rate_Gbps:g} Gb/s" if port.rate_Gbps else ""
    if port.fabric == "loopback":
        return port.fabric
    return f"{port.fabric}, {STATES[port.is_active]}{speed}"


def _pair_lines(paths: list[SizePath]) -> Iterator[str]:
    """The sizes of one pair; neighbouring ones that went the same way in one line."""
    first = paths[0]
    hosts = " and ".join(host or "unknown" for host in first.hosts)
    yield f"  ranks {first.peers[0]} and {first.peers[1]} ({hosts})"
    groups: list[list[SizePath]] = []
    for path in sorted(paths, key=lambda path: path.bytes):
        if groups and groups[-1][0].text == path.text:
            groups[-1].append(path)
        else:
            groups.append([path])
    for group in groups:
        sizes = [format_size(group[0].bytes), format_size(group[-1].bytes)]
        known = " .. ".join(dict.fromkeys(sizes))
        ways = ", ".join(_counted(carrier) for carrier in group[-1].carriers)
        yield f"    {known:<18}  {ways or 'unknown'}"


def _counted(carrier: Carrier) -> str:
    if carrier.fraction is None:
        return carrier.text
    return f"{carrier.text} ({carrier.fraction:.2f} times the bytes)"

"""Warnings where messages did not take the best way there is, or something was in their way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hockney.base.grouping import by_key
from hockney.base.units import format_size, listed
from hockney.infer.analysis.conditions.ports import Port
from hockney.infer.analysis.conditions.transports import REACHES, TCP, Carrier, SizePath, Transports

MOST_RESENT = 100
"""Most TCP packets that may be sent again without a warning."""
LEAST_FASTER = 1.5
"""Ratio of the speeds of two interfaces from which the slower one is the wrong one."""
MOST_NAMES = 4
"""Most hosts or counters that a warning names."""


@dataclass(frozen=True)
class Detour:
    """Messages that did not take the best way, or were hindered."""

    kind: str
    text: str


def detours(transports: Transports | None) -> Iterator[Detour]:
    """What is wrong with the ways that messages took, the worst first."""
    if transports is None:
        return
    yield from _sockets_in_a_node(transports)
    yield from _between_nodes(transports)
    yield from _uneven_nodes(transports)
    yield from _hindered(transports)


def _sockets_in_a_node(transports: Transports) -> Iterator[Detour]:
    """Warns of the first such ranks. A library can be set to treat ranks of one host like those of
    different nodes."""
    inside = [path for path in transports.paths if len(path.hosts) == 1]
    slow = (
        (path, carrier) for path in inside for carrier in path.carriers if carrier.name is not None
    )
    path, carrier = next(slow, (None, None))
    if path is None or carrier is None:
        return
    yield Detour(
        "network in a node",
        f"slow way: ranks {path.peers[0]} and {path.peers[1]} of {path.hosts[0]} exchange "
        f"messages by {carrier.text}, and not by shared memory; look for settings that exclude it "
        "(btl, UCX_TLS, FI_PROVIDER, I_MPI_FABRICS, NOLOCAL)",
    )


def _between_nodes(transports: Transports) -> Iterator[Detour]:
    """Each kind for the first pair of nodes that shows it."""
    kinds = set[str]()
    for path in transports.of("network"):
        if len(path.hosts) == 1:
            continue
        first = path.hosts[0]
        ports = next((node.ports for node in transports.nodes if node.host == first), ())
        for carrier in path.carriers:
            for detour in _wrong_port(path, carrier, ports):
                if detour.kind not in kinds:
                    kinds.add(detour.kind)
                    yield detour


def _wrong_port(path: SizePath, carrier: Carrier, ports: tuple[Port, ...]) -> Iterator[Detour]:
    used = next((port for port in ports if port.name == carrier.name), None)
    where = " and ".join(str(host) for host in path.hosts)
    begin = f"{carrier.text} carries messages between {where}"
    if carrier.name == "lo":
        yield Detour("loopback", f"one host: {begin}: they share one network")
        return
    is_interface = carrier.kind == TCP or (used is not None and used.is_interface)
    fabrics = [port for port in ports if not port.is_interface and port.is_active is not False]
    if is_interface and fabrics:
        yield Detour(
            "sockets beside a fabric",
            f"slow way: {begin}, and nothing uses {_named(fabrics[0])}; the MPI was built without "
            "it, or a setting excludes it",
        )
    elif is_interface and used is not None:
        faster = _faster(used, [port for port in ports if port.fabric == "Ethernet"])
        if faster is not None:
            yield Detour(
                "slower interface",
                f"slow way: {begin}, while {_named(faster)} is faster than {_named(used)}; name "
                "the interface to use (btl_tcp_if_include, UCX_NET_DEVICES, FI_TCP_IFACE)",
            )
    elif used is not None:
        rails = [
            port
            for port in fabrics
            if port.fabric == used.fabric and port.rate_Gbps == used.rate_Gbps
        ]
        names = {carrier.name for carrier in path.carriers}
        idle = [port for port in rails if port.name not in names]
        if idle:
            yield Detour(
                "idle rail",
                f"{len(rails) - len(idle)} of {len(rails)} rails: {begin}, and {_named(idle[0])} "
                "had none of them; several ranks of a node may use both",
            )


def _faster(used: Port, others: list[Port]) -> Port | None:
    known = [port for port in others if port.rate_Gbps is not None and port.is_active]
    best = max(known, key=lambda port: port.rate_Gbps or 0.0, default=None)
    if best is None or used.rate_Gbps is None:
        return None
    return best if (best.rate_Gbps or 0.0) >= LEAST_FASTER * used.rate_Gbps else None


def _uneven_nodes(transports: Transports) -> Iterator[Detour]:
    """Pairs whose messages of a size went another way than those of most, under one variant."""
    for reach in REACHES:
        groups = by_key(transports.of(reach), lambda path: (path.bytes, path.variant or ""))
        uneven = (_uneven(groups[key]) for key in sorted(groups, reverse=True))
        text = next(filter(None, uneven), None)
        if text is not None:
            yield Detour("uneven nodes", f"nodes differ: {text}")


def _uneven(paths: Sequence[SizePath]) -> str | None:
    """What a minority of pairs did; None if they all went the same way, or there is no majority."""
    texts = [path.text for path in paths]
    usual = max(texts, key=texts.count)
    others = [path for path in paths if path.text != usual]
    if not others or texts.count(usual) <= len(others):
        return None
    hosts = list(dict.fromkeys("-".join(map(str, path.hosts)) for path in others))
    size, way = format_size(others[0].bytes), others[0].text
    return f"{size} go by {way} at {listed(hosts, MOST_NAMES)}, elsewhere by {usual}"


def _hindered(transports: Transports) -> Iterator[Detour]:
    for node in transports.nodes:
        for port in node.ports:
            if port.faults:
                yield Detour(
                    "faults of a port",
                    f"faults: {port.name} of {node.host} counted {_counts(port.faults)} meanwhile",
                )
            if port.congestion and not port.is_interface:
                yield Detour(
                    "congestion of a port",
                    f"congestion: {port.name} of {node.host} counted {_counts(port.congestion)} "
                    "meanwhile",
                )
    if transports.resent > MOST_RESENT:
        yield Detour("resent", f"losses: TCP sent {transports.resent} packets again")


def _named(port: Port) -> str:
    return f"{port.name} ({port.rate_Gbps:g} Gb/s)" if port.rate_Gbps else port.name


def _counts(counters: Mapping[str, int]) -> str:
    return listed([f"{by} {name}" for name, by in counters.items()], MOST_NAMES)

"""Which way messages took, by what counted their bytes: copies by the kernel, TCP connections and
the counters of ports.

An untimed exchange of known messages (`path` records) shows it for ranks of a node and of different
nodes. A carrier is named if it had a good part of the bytes. What nothing counted stayed in memory
that the ranks share, if they are on one node; between nodes it is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

from hockney.base.grouping import by_key
from hockney.infer.analysis.conditions.ports import Port, port_of
from hockney.records import PathRecord, PortCounters, Run, TcpBytes

Reach = Literal["node", "network"]
REACHES: tuple[Reach, ...] = ("node", "network")
LEAST_FRACTION = 0.1
"""Smallest fraction of the bytes that makes a carrier."""
ENOUGH_BYTES = 1 << 20
"""Bytes that an exchange must have for the counters of a port, which count other programs', too."""
SHARED, COPIED, TCP = "shared memory", "CMA", "TCP"
COPYING_DEVICES = {"/dev/xpmem": "XPMEM", "/dev/knem": "KNEM"}
"""Devices by which ranks may copy each other's memory, which no counter shows."""


@dataclass(frozen=True)
class Carrier:
    """What carried bytes."""

    kind: str
    """shared memory, CMA (copies by process_vm_readv), TCP, or the fabric of a port."""
    name: str | None
    """The interface or port; None for memory."""
    fraction: float | None
    """What it counted, over the bytes that were sent; None for shared memory, which nothing
    counts."""

    @property
    def text(self) -> str:
        return f"{self.kind} over {self.name}" if self.name else self.kind


@dataclass(frozen=True)
class SizePath:
    """What carried messages of one size between two ranks."""

    reach: Reach
    bytes: int
    launch: int
    variant: str | None
    """The variant of the launch; None without variants."""
    peers: tuple[int, ...]
    hosts: tuple[str | None, ...]
    carriers: tuple[Carrier, ...]
    """Empty if unknown."""
    by_port: Mapping[str, float] = field(default_factory=dict)
    """What each port of the first end's node counted over the bytes that were sent, without the
    headers of TCP; ports that counted nothing are not there."""

    @property
    def text(self) -> str:
        return ", ".join(dict.fromkeys(carrier.text for carrier in self.carriers)) or "unknown"


@dataclass(frozen=True)
class NodePorts:
    """The ports of a node over all launches: facts, and the sums of what went wrong."""

    host: str | None
    ports: tuple[Port, ...]


@dataclass(frozen=True)
class Transports:
    """The ways of all messages of a run."""

    paths: tuple[SizePath, ...]
    nodes: tuple[NodePorts, ...]
    resent: int
    """Packets of TCP that were sent again, in all launches."""

    def of(self, reach: Reach) -> list[SizePath]:
        return [path for path in self.paths if path.reach == reach]

    def words(self, reach: Reach) -> str | None:
        """The ways that most pairs took, from the smallest size to the largest; None if nothing was
        tried."""
        return _usual(self.of(reach))

    @property
    def text(self) -> str | None:
        """The ways in one line, those of variants apart if they differ; None if nothing was
        tried."""
        by_variant = by_key(self.paths, lambda path: path.variant)
        words = {variant: _in_one_line(paths) for variant, paths in by_variant.items()}
        if len(set(words.values())) <= 1:
            return next(iter(words.values()), None)
        return "; ".join(f"{variant}: {text}" for variant, text in words.items())


def _usual(paths: Iterable[SizePath]) -> str | None:
    by_size = by_key(paths, lambda path: path.bytes)
    each = ([path.text for path in by_size[size]] for size in sorted(by_size))
    usual = [max(texts, key=texts.count) for texts in each]
    return ", ".join(dict.fromkeys(usual)) or None


def _in_one_line(paths: Sequence[SizePath]) -> str | None:
    inside, between = (_usual(path for path in paths if path.reach == reach) for reach in REACHES)
    if inside and between:
        return f"{inside} in a node; {between} between nodes"
    return inside or between


def transports_of(run: Run) -> Transports | None:
    """The ways that the messages of a run took; None if nothing was recorded."""
    if not run.paths:
        return None
    whole = [path for path in run.paths if path.reach == "launch"]
    # One of each host: if the library treats ranks of a host as nodes, each has read its ports.
    of_host = {(record.launch, record.host): record for record in whole}
    return Transports(
        paths=tuple(_size_paths(run, of_host)),
        nodes=tuple(_nodes(of_host.values())),
        resent=sum(tcp.resent for record in whole for tcp in record.tcp.values()),
    )


def _size_paths(run: Run, whole: Mapping[tuple[int, str | None], PathRecord]) -> Iterable[SizePath]:
    """The two ends of each exchange, the lower rank's first."""
    variants = {record.launch: record.variant for record in run.launches}
    of_two = (path for path in run.paths if path.reach in REACHES and len(path.peers) == 2)
    exchanges = by_key(
        (path for path in of_two if path.bytes and path.messages),
        lambda path: (path.launch, path.reach, path.bytes or 0, tuple(sorted(path.peers))),
    )
    for (launch, reach, size, peers), ends in exchanges.items():
        ends.sort(key=lambda end: end.peers)
        node = whole.get((launch, ends[0].host))
        ports = _ports(ends, node)
        yield SizePath(
            reach=reach,  # type: ignore[arg-type]
            bytes=size,
            launch=launch,
            variant=variants.get(launch),
            peers=peers,
            hosts=tuple(dict.fromkeys(end.host for end in ends)),
            carriers=tuple(_carriers(ends, ports, node)),
            by_port={port.name: port.payload / _total(ends[0]) for port in ports if port.payload},
        )


def _carriers(
    ends: Sequence[PathRecord], ports: Iterable[Port], whole: PathRecord | None
) -> list[Carrier]:
    """What carried the messages between two ranks. whole: what the first one's node recorded of the
    launch."""
    first, total = ends[0], _total(ends[0])
    counted = [
        Carrier(COPIED, None, sum(end.copied for end in ends) / total),
        *(
            Carrier(TCP, name, (tcp.sent + tcp.received) / total)
            for name, tcp in _all_tcp(ends).items()
        ),
    ]
    carriers = [carrier for carrier in counted if (carrier.fraction or 0.0) >= LEAST_FRACTION]
    has_sockets = any(carrier.kind == TCP for carrier in carriers)
    for port in ports:
        if port.is_interface and has_sockets:
            continue  # the same bytes
        fraction = _fraction(port, first, total)
        if fraction is not None and fraction >= LEAST_FRACTION:
            carriers.append(Carrier(port.fabric, port.name, fraction))
    if carriers or first.reach != "node" or whole is None or not whole.segments:
        return carriers
    copying = [name for path, name in COPYING_DEVICES.items() if path in whole.devices]
    return [Carrier(" or ".join([SHARED, *copying]), None, None)]


def _ports(ends: Sequence[PathRecord], whole: PathRecord | None) -> list[Port]:
    """The ports that the first end to read any saw."""
    seen = next((end.ports for end in ends if end.ports is not None), None) or []
    return [port_of(_with_facts(counters, whole)) for counters in seen]


def _total(sent: PathRecord) -> float:
    """Bytes that both ends sent."""
    return 2.0 * (sent.bytes or 0) * (sent.messages or 0)


def _with_facts(counters: PortCounters, whole: PathRecord | None) -> PortCounters:
    """The port with what the record of the whole launch, of the same node, knows of it."""
    known = {(of.family, of.port): of for of in (whole.ports or [] if whole else [])}
    fact = known.get((counters.family, counters.port))
    return counters if fact is None else msgspec.structs.replace(fact, counters=counters.counters)


def _all_tcp(ends: Sequence[PathRecord]) -> dict[str, TcpBytes]:
    """The connections of the first end; of the other one where the first shows none."""
    for end in ends:
        if any(tcp.sent + tcp.received for tcp in end.tcp.values()):
            return end.tcp
    return {}


def _fraction(port: Port, sent: PathRecord, total: float) -> float | None:
    """What a port carried over what was sent; None where its counters do not show it."""
    payload = port.payload
    if payload is None or (port.is_interface and total < ENOUGH_BYTES):
        return None
    if port.packets is not None and port.packets < (sent.messages or 0):
        return None
    return payload / total


def _nodes(whole: Iterable[PathRecord]) -> Iterable[NodePorts]:
    for host, records in by_key(whole, lambda record: record.host).items():
        every = (port_of(port) for record in records for port in record.ports or [])
        ports = by_key(every, lambda port: port.name)
        yield NodePorts(host, tuple(_summed(same) for same in ports.values()))


def _summed(same: Sequence[Port]) -> Port:
    """One port over all launches."""
    known = [port.carried for port in same if port.carried is not None]
    packets = [port.packets for port in same if port.packets is not None]
    return replace(
        same[-1],
        carried=sum(known) if len(known) == len(same) else None,
        packets=sum(packets) if packets else None,
        faults=dict(sum((Counter(port.faults) for port in same), Counter())),
        congestion=dict(sum((Counter(port.congestion) for port in same), Counter())),
    )

"""Network ports: what went through them between two readings of their counters, and faults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hockney.records import PortCounters

WORD_BYTES = 4
"""InfiniBand counts data in words of 4 bytes."""
FRAME_BYTES = 66
"""Headers of Ethernet, IP and TCP with a time stamp in each packet."""
FULL = frozenset({2**32 - 1, 2**64 - 1})
"""Values at which a counter of 32 or 64 bits stops."""
DATA = {
    "net": {"tx_bytes": 1, "rx_bytes": 1},
    "infiniband": {"port_xmit_data": WORD_BYTES, "port_rcv_data": WORD_BYTES},
    "cxi": {"hni_sts_tx_ok_octets": 1, "hni_sts_rx_ok_octets": 1},
}
"""Counters of data by class of ports, with the bytes of their unit."""
EFA_DATA = {"tx_bytes": 1, "rx_bytes": 1}
"""Counters of data of an EFA device, which has none of InfiniBand's."""
PACKETS = {
    "net": ("tx_packets", "rx_packets"),
    "infiniband": ("port_xmit_packets", "port_rcv_packets", "tx_pkts", "rx_pkts"),
    "cxi": (),
}
FAULTS = re.compile(r"err|discard|retr|timeout|overrun|downed|recover|out_of_seq|rnr|collisions")
CONGESTION = re.compile(r"xmit_wait|cnp|paused|congest|ecn")
"""Names of counters of faults, and of congestion."""
LOOPBACK = "772"
"""Type of the loopback interface."""
_NUMBER = re.compile(r"[\d.]+")


@dataclass(frozen=True)
class Port:
    """A port, and what its counters showed."""

    name: str
    """The name that users know: eth0, mlx5_0:1, cxi0."""
    fabric: str
    """Ethernet, loopback, IP over InfiniBand, InfiniBand, RoCE, Omni-Path, EFA or Slingshot."""
    is_active: bool | None
    rate_Gbps: float | None
    """Its speed in 10^9 bit/s; None if unknown."""
    carried: float | None
    """Bytes that it sent and received; None if a counter was full or went back."""
    packets: float | None
    faults: Mapping[str, int]
    """Counters of faults that increased, and by how much."""
    congestion: Mapping[str, int]
    """Counters of waiting that increased, and by how much."""

    @property
    def is_interface(self) -> bool:
        """Whether it is an interface of the kernel, for sockets."""
        return self.fabric in ("Ethernet", "loopback", "IP over InfiniBand")

    @property
    def payload(self) -> float | None:
        """Bytes without the headers of packets, if they are those of TCP."""
        if self.carried is None or not self.is_interface or self.packets is None:
            return self.carried
        return max(self.carried - FRAME_BYTES * self.packets, 0.0)


def port_of(counters: PortCounters) -> Port:
    """The port of a record."""
    changed = {name: now - before for name, (before, now) in counters.counters.items()}
    units = DATA.get(counters.family, {})
    if counters.family == "infiniband" and not units.keys() & changed.keys():
        units = EFA_DATA
    data = {name: unit for name, unit in units.items() if name in changed}
    is_full = any(counters.counters[name][1] in FULL or changed[name] < 0 for name in data)
    packets = [changed[name] for name in PACKETS.get(counters.family, ()) if name in changed]
    grown = {name: by for name, by in changed.items() if by > 0 and name not in data}
    return Port(
        name=counters.port.replace("/ports/", ":"),
        fabric=_fabric(counters),
        is_active=_is_active(counters),
        rate_Gbps=_rate(counters),
        carried=None if is_full else float(sum(changed[name] * data[name] for name in data)),
        packets=float(sum(packets)) if packets and min(packets) >= 0 else None,
        faults={name: by for name, by in grown.items() if FAULTS.search(name)},
        congestion={name: by for name, by in grown.items() if CONGESTION.search(name)},
    )


def _fabric(counters: PortCounters) -> str:
    if counters.family == "net":
        if counters.type == LOOPBACK or counters.port == "lo":
            return "loopback"
        return "IP over InfiniBand" if counters.type == "32" else "Ethernet"
    if counters.family == "cxi":
        return "Slingshot"
    if counters.port.startswith("hfi1"):
        return "Omni-Path"
    if not counters.counters.keys() & DATA["infiniband"].keys() and (
        EFA_DATA.keys() & counters.counters.keys() or counters.port.startswith(("efa", "rdmap"))
    ):
        return "EFA"
    return "RoCE" if counters.link_layer == "Ethernet" else "InfiniBand"


def _is_active(counters: PortCounters) -> bool | None:
    if counters.family == "net":
        return None if counters.operstate in (None, "unknown") else counters.operstate == "up"
    return None if counters.state is None else "ACTIVE" in counters.state


def _rate(counters: PortCounters) -> float | None:
    text = counters.speed if counters.family == "net" else counters.rate
    number = _NUMBER.match(text or "")
    if number is None:
        return None
    return float(number[0]) / (1000.0 if counters.family == "net" else 1.0)

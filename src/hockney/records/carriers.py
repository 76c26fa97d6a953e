"""What carried messages: what one rank saw of an untimed exchange, or of a whole launch."""

from __future__ import annotations

from typing import Annotated

import msgspec

from hockney.plan.bounds import Seconds

Count = Annotated[int, msgspec.Meta(ge=0)]
"""A value of a counter of 64 bits."""


class TcpBytes(msgspec.Struct, kw_only=True):
    """All TCP connections of a rank over one interface, as the kernel counts their bytes."""

    sent: Count
    received: Count
    resent: Count
    """Packets that were sent again."""


class PortCounters(msgspec.Struct, kw_only=True, rename={"family": "class"}):
    """A network port of a node. None: unknown, or not requested."""

    family: str
    """The class of sysfs: net, infiniband or cxi."""
    port: str
    """The path of the port in it: eth0, mlx5_0/ports/1."""
    operstate: str | None = None
    speed: str | None = None
    """Speed of an interface in Mb/s; -1 if its driver does not know."""
    type: str | None = None
    """Type of an interface, by number: 1 Ethernet, 32 InfiniBand, 772 loopback."""
    state: str | None = None
    """State of a port of InfiniBand: "4: ACTIVE"."""
    rate: str | None = None
    """Rate of a port of InfiniBand: "200 Gb/sec (4X HDR)"."""
    link_layer: str | None = None
    """InfiniBand or Ethernet."""
    counters: dict[str, tuple[Count, Count]] = {}
    """Values before and after, of the counters that changed or may have stopped at their largest
    value."""


class PathRecord(msgspec.Struct, tag_field="kind", tag="path", kw_only=True):
    """What one rank saw of messages that it exchanged with another one, untimed, or of the whole
    launch."""

    launch: int
    reach: str
    """What the messages went through: the node, the network between nodes; or launch, for all that
    was exchanged in it."""
    bytes: Count | None = None
    """Size of the messages; None for the whole launch."""
    messages: Count | None = None
    """Number of messages each way; None for the whole launch."""
    peers: list[int] = []
    """This rank, and the one that it exchanged messages with."""
    took_s: Seconds | None = None
    host: str | None = None
    copies: Count = 0
    """Copies between the memories of two processes by the kernel (cross-memory attach)."""
    copied: Count = 0
    """Bytes of these copies."""
    tcp: dict[str, TcpBytes] = {}
    """TCP connections of the rank by interface; lo for an address of the same host."""
    devices: list[str] = []
    """Devices of networks, and for copies, that the rank has open."""
    segments: Count = 0
    """Pieces of memory that the rank shares with other processes."""
    libraries: list[str] = []
    """Libraries of networks that the rank has loaded."""
    ports: list[PortCounters] | None = None
    """Ports of the node; None if another rank read them."""

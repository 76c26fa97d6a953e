"""The routes of a platform file's network."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.infer.locate.dragonfly import Dragonfly
from hockney.infer.locate.fat_tree import FatTree
from hockney.infer.locate.routed import RoutedNetwork, RoutedShape
from hockney.infer.locate.torus import Torus
from hockney.infer.locate.written_routes import WrittenRoutes
from hockney.plan.platform_network import DRAGONFLY, TORUS, ClusterNetwork, PlatformNetwork


def routes_between(
    network: PlatformNetwork, hosts: Sequence[str], host_of: Sequence[int]
) -> RoutedNetwork | None:
    """The routes between ranks on these hosts; None if a host is not in the network. host_of: the
    number of each rank's host."""
    if unknown_hosts(network, hosts):
        return None
    number = {host: i for i, host in enumerate(network.hosts)}
    names = [host if host in number else _short(host) for host in hosts]
    if isinstance(network, ClusterNetwork):
        return RoutedNetwork(shape_of(network), hosts, [number[name] for name in names], host_of)
    return RoutedNetwork(WrittenRoutes(network.top, names), hosts, range(len(names)), host_of)


def unknown_hosts(network: PlatformNetwork, hosts: Sequence[str]) -> list[str]:
    """The hosts that are not in the network, by their whole or short names."""
    known = set(network.hosts)
    return [host for host in hosts if host not in known and _short(host) not in known]


def _short(host: str) -> str:
    return host.partition(".")[0]


def shape_of(network: ClusterNetwork) -> RoutedShape:
    if network.shape == TORUS:
        return Torus(network.parameters[0], network.hosts)
    if network.shape == DRAGONFLY:
        return Dragonfly(*network.parameters)
    children, parents, cables = network.parameters
    return FatTree(children, parents, cables, network.hosts)

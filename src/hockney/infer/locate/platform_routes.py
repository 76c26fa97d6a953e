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
    """Those of ranks on these hosts, of which `host_of` has the number of each rank's; None if a
    host is not in the network."""
    number = {host: i for i, host in enumerate(network.hosts)}
    names = [host if host in number else host.partition(".")[0] for host in hosts]
    if any(name not in number for name in names):
        return None
    if isinstance(network, ClusterNetwork):
        return RoutedNetwork(shape_of(network), hosts, [number[name] for name in names], host_of)
    return RoutedNetwork(WrittenRoutes(network.top, names), hosts, range(len(names)), host_of)


def shape_of(network: ClusterNetwork) -> RoutedShape:
    if network.shape == TORUS:
        return Torus(network.parameters[0], network.hosts)
    if network.shape == DRAGONFLY:
        extents, cables = network.parameters
        return Dragonfly(extents, cables, network.hosts)
    children, parents, cables = network.parameters
    return FatTree(children, parents, cables, network.hosts)

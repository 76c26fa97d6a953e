"""Simulated fat trees, tori and dragonflies: as SimGrid's clusters, and with all routes written out
so that one part can be slow."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from hockney.infer.locate.candidates import SWITCH
from hockney.infer.locate.platform_routes import shape_of
from hockney.plan.platform_files import platform_network
from hockney.plan.platform_network import ClusterNetwork

CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" radical="0-{last}" suffix="" speed="1Gf" bw="10GBps" lat="1us"
           topology="{topology}" topo_parameters="{parameters}"/>
</platform>
"""
LATENCY_S, BANDWIDTH_BPS = 1e-6, 1e10
AT_ONCE = 1e15
"""Bytes per second of a switch, which is no bottleneck."""


def cluster_xml(nodes: int, topology: str, parameters: str) -> str:
    return CLUSTER.format(last=nodes - 1, topology=topology, parameters=parameters)


def network_in(xml: str) -> ClusterNetwork:
    network = platform_network(xml, "platform.xml")
    assert isinstance(network, ClusterNetwork)
    return network


def written_out(
    network: ClusterNetwork,
    slow: tuple[str, ...] = (),
    latency: float = 1.0,
    bandwidth: float = 1.0,
) -> str:
    """Its routes, link by link, with the part of these names so many times slower. Each node has a
    link of its own, and each switch is one."""
    shape, hosts = shape_of(network), network.hosts
    sources, targets = np.nonzero(~np.eye(len(hosts), dtype=bool))
    way = shape.way(sources, targets)
    between = defaultdict(list)
    for direction, entries in (("UP", way.along), ("DOWN", way.against), ("NONE", way.switches)):
        for rows, parts in entries:
            for row, part in zip(rows.tolist(), parts.tolist(), strict=True):
                between[row].append((f"p{part}", direction))

    def link(name: str, names: tuple[str, ...], is_switch: bool = False) -> str:
        by = (latency, bandwidth) if names == slow else (1.0, 1.0)
        rate = AT_ONCE if is_switch else BANDWIDTH_BPS
        policy = "FATPIPE" if is_switch else "SPLITDUPLEX"
        return (
            f'<link id="{name}" bandwidth="{rate / by[1]!r}Bps" latency="{LATENCY_S * by[0]!r}s" '
            f'sharing_policy="{policy}"/>\n'
        )

    lines = [f'<host id="{host}" speed="1Gf"/>\n' + link(f"of-{host}", (host,)) for host in hosts]
    lines += [link(f"p{i}", part.names, part.kind == SWITCH) for i, part in enumerate(shape.parts)]
    for row, (a, b) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        ways = [(f"of-{hosts[a]}", "UP"), *between[row], (f"of-{hosts[b]}", "DOWN")]
        uses = "".join(f'<link_ctn id="{name}" direction="{which}"/>' for name, which in ways)
        lines.append(f'<route src="{hosts[a]}" dst="{hosts[b]}" symmetrical="NO">{uses}</route>\n')
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><zone id="w" routing="Full">\n{"".join(lines)}'
        "</zone></platform>\n"
    )

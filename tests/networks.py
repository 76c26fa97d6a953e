"""Simulated clusters whose links are known."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
"""
TAIL = "  </zone>\n</platform>\n"
HOSTS_A_SWITCH = 8


@dataclass(frozen=True)
class Link:
    latency_s: float
    bandwidth_Bps: float

    def xml(self, name: str) -> str:
        return (
            f'    <link id="{name}" bandwidth="{self.bandwidth_Bps!r}Bps" '
            f'latency="{self.latency_s!r}s" sharing_policy="SPLITDUPLEX"/>\n'
        )


def cluster(links: list[Link], uplinks: list[Link]) -> str:
    """Host n00, n01 ... with its link to a switch; where there are uplinks, every HOSTS_A_SWITCH
    hosts have a switch with one to the core, else all hosts have one switch."""
    hosts = [f"n{i:02}" for i in range(len(links))]
    parts = [f'    <host id="{host}" speed="1Gf"/>\n' for host in hosts]
    parts += [link.xml(f"l{i}") for i, link in enumerate(links)]
    parts += [link.xml(f"u{i}") for i, link in enumerate(uplinks)]
    for i, first in enumerate(hosts):
        for j, second in enumerate(hosts[:i]):
            ways = [(f"l{i}", "UP"), (f"l{j}", "DOWN")]
            a, b = i // HOSTS_A_SWITCH, j // HOSTS_A_SWITCH
            if uplinks and a != b:
                ways[1:1] = [(f"u{a}", "UP"), (f"u{b}", "DOWN")]
            route = "".join(f'<link_ctn id="{name}" direction="{way}"/>' for name, way in ways)
            parts.append(f'    <route src="{first}" dst="{second}">{route}</route>\n')
    return HEAD + "".join(parts) + TAIL


def with_slow_link(seed: int, hosts: int = 64) -> tuple[str, str, str]:
    """A cluster by lot, the host whose link was made slow in it, and in what: one switch or two
    levels of them, links of any speed that differ by up to 3 %, half the bandwidth or twice the
    latency."""
    chance = random.Random(seed)
    latency_s, bandwidth_Bps = 0.5e-6 * 40 ** chance.random(), 1e9 * 20 ** chance.random()
    links = [
        Link(latency_s * chance.uniform(0.97, 1.03), bandwidth_Bps * chance.uniform(0.97, 1.03))
        for _ in range(hosts)
    ]
    levels = chance.random() < 0.5
    uplink = Link(latency_s, 2 * HOSTS_A_SWITCH * bandwidth_Bps)
    uplinks = [uplink] * (hosts // HOSTS_A_SWITCH) if levels else []
    slow, kind = chance.randrange(hosts), chance.choice(["bandwidth", "latency"])
    if kind == "bandwidth":
        links[slow] = replace(links[slow], bandwidth_Bps=links[slow].bandwidth_Bps / 2.0)
    else:
        links[slow] = replace(links[slow], latency_s=2.0 * links[slow].latency_s)
    return cluster(links, uplinks), f"n{slow:02}", kind


def two_halves(hosts: int, wire: Link, uplink: Link) -> str:
    """Two switches with half of the hosts each (l0 ... and r0 ...) and one link between them."""
    half = hosts // 2
    clusters = "".join(
        f'    <cluster id="{side}" prefix="{side}" suffix="" radical="0-{half - 1}" speed="1Gf" '
        f'bw="{wire.bandwidth_Bps!r}Bps" lat="{wire.latency_s!r}s" router_id="{side}-switch"/>\n'
        for side in ("l", "r")
    )
    route = (
        '    <zoneRoute src="l" dst="r" gw_src="l-switch" gw_dst="r-switch">'
        '<link_ctn id="uplink" direction="UP"/></zoneRoute>\n'
    )
    return HEAD + clusters + uplink.xml("uplink") + route + TAIL


def nodes_of_ranks(nodes: int, near: Link, far: Link) -> str:
    """Nodes with a link to themselves, and one switch."""
    hosts = [f"n{i:02}" for i in range(nodes)]
    parts = [f'    <host id="{host}" speed="1Gf"/>\n' for host in hosts]
    parts += [near.xml(f"near{i}") + far.xml(f"far{i}") for i in range(nodes)]
    for i, host in enumerate(hosts):
        itself = f'<link_ctn id="near{i}" direction="UP"/>'
        parts.append(f'    <route src="{host}" dst="{host}">{itself}</route>\n')
        parts += [
            f'    <route src="{host}" dst="{other}"><link_ctn id="far{i}" direction="UP"/>'
            f'<link_ctn id="far{j}" direction="DOWN"/></route>\n'
            for j, other in enumerate(hosts[:i])
        ]
    return HEAD + "".join(parts) + TAIL

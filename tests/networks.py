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
    """A random cluster, the host whose link was made slow in it, and in what: one switch or two
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


@dataclass(frozen=True)
class Fabric:
    """Switches s0, s1 ... with hosts n000, n001 ...: each switch has a link up, and every two
    switches a cable of their own between these links."""

    wires: list[Link]
    """The link of each host."""
    home: list[int]
    """The switch of each host."""
    uplinks: list[Link]
    cables: dict[tuple[int, int], Link]

    @property
    def hosts(self) -> list[str]:
        return [f"n{i:03}" for i in range(len(self.home))]

    @property
    def topology(self) -> str:
        """The text of a topology.conf."""
        below = [
            ",".join(host for host, at in zip(self.hosts, self.home, strict=True) if at == switch)
            for switch in range(len(self.uplinks))
        ]
        lines = [f"SwitchName=s{i} Nodes={nodes}\n" for i, nodes in enumerate(below)]
        return "".join(lines) + f"SwitchName=core Switches=s[0-{len(below) - 1}]\n"

    @property
    def xml(self) -> str:
        hosts, home = self.hosts, self.home
        parts = [f'    <host id="{host}" speed="1Gf"/>\n' for host in hosts]
        parts += [link.xml(f"l{i}") for i, link in enumerate(self.wires)]
        parts += [link.xml(f"u{i}") for i, link in enumerate(self.uplinks)]
        parts += [link.xml(f"c{i}-{j}") for (i, j), link in self.cables.items()]
        for i, first in enumerate(hosts):
            for j, second in enumerate(hosts[i + 1 :], i + 1):
                ways = [(f"l{i}", "UP"), (f"l{j}", "DOWN")]
                a, b = home[i], home[j]
                if a != b:
                    cable = f"c{min(a, b)}-{max(a, b)}", "UP" if a < b else "DOWN"
                    ways[1:1] = [(f"u{a}", "UP"), cable, (f"u{b}", "DOWN")]
                route = "".join(f'<link_ctn id="{name}" direction="{way}"/>' for name, way in ways)
                parts.append(f'    <route src="{first}" dst="{second}">{route}</route>\n')
        return HEAD + "".join(parts) + TAIL


def with_slow_fabric(seed: int, what: str, switches: int = 16) -> tuple[Fabric, tuple[str, ...]]:
    """A random network whose links differ by up to 3 %, with one fault, and the names of what is
    slow: `what` is uplink, cable, node or none; half to a quarter of the bandwidth, or twice to
    four times the latency."""
    chance = random.Random(seed)

    def link(latency_s: float, bandwidth_Bps: float) -> Link:
        return Link(
            latency_s * chance.uniform(0.97, 1.03), bandwidth_Bps * chance.uniform(0.97, 1.03)
        )

    members = chance.randrange(3, 6)
    latency_s, bandwidth_Bps = 0.5e-6 * 20 ** chance.random(), 1e9 * 20 ** chance.random()
    home = [switch for switch in range(switches) for _ in range(members)]
    wires = [link(latency_s, bandwidth_Bps) for _ in home]
    up_Bps = 1.2 * members * bandwidth_Bps
    uplinks = [link(latency_s, up_Bps) for _ in range(switches)]
    cables = {(i, j): link(latency_s, up_Bps) for j in range(switches) for i in range(j)}
    by, is_latency = chance.uniform(2.0, 4.0), chance.random() < 0.5

    def slower(link: Link) -> Link:
        if is_latency:  # of the five links of a path
            return replace(link, latency_s=2.0 * by * link.latency_s)
        return replace(link, bandwidth_Bps=link.bandwidth_Bps / by)

    names: tuple[str, ...] = ()
    if what == "uplink":
        at = chance.randrange(switches)
        uplinks[at], names = slower(uplinks[at]), (f"s{at}",)
    elif what == "cable":
        pair = chance.choice(sorted(cables))
        cables[pair], names = slower(cables[pair]), (f"s{pair[0]}", f"s{pair[1]}")
    elif what == "node":
        host = chance.randrange(len(home))
        wires[host], names = slower(wires[host]), (f"n{host:03}",)
    return Fabric(wires, home, uplinks, cables), names

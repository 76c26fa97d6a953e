"""Simulated machines whose latency and bandwidth are known."""

from __future__ import annotations

EXACT = [
    word
    for setting in ("network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0")
    for word in ("--cfg", setting)
]
"""Options under which messages that share a link share its bandwidth, and nothing else counts."""

TWO_HOSTS = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <host id="a" speed="1Gf"/>
    <host id="b" speed="1Gf"/>
    <link id="wire" bandwidth="{bandwidth_Bps!r}Bps" latency="{latency_s!r}s"/>
    <route src="a" dst="b"><link_ctn id="wire"/></route>
  </zone>
</platform>
"""


def two_hosts(latency_s: float, bandwidth_Bps: float) -> str:
    """SimGrid's XML of two hosts and one wire."""
    return TWO_HOSTS.format(latency_s=latency_s, bandwidth_Bps=bandwidth_Bps)


def star(hosts: int, slow: int | None, times: float) -> str:
    """SimGrid's XML of hosts h0, h1, ... with a wire each (1 us, 1 GB/s), that of the slow one so
    many times slower in latency and bandwidth."""
    names = [f"h{i}" for i in range(hosts)]
    parts = []
    for i, name in enumerate(names):
        factor = times if i == slow else 1.0
        parts.append(
            f'<host id="{name}" speed="1Gf"/><link id="w-{name}" bandwidth="{1e9 / factor!r}Bps" '
            f'latency="{1e-6 * factor!r}s" sharing_policy="SPLITDUPLEX"/>'
        )
    parts += [
        f'<route src="{first}" dst="{second}"><link_ctn id="w-{first}" direction="UP"/>'
        f'<link_ctn id="w-{second}" direction="DOWN"/></route>'
        for i, first in enumerate(names)
        for second in names[i + 1 :]
    ]
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><zone id="world" routing="Full">{"".join(parts)}'
        "</zone></platform>\n"
    )


def two_switches(
    hosts_a_switch: int, wire_Bps: float, uplink_Bps: float, latency_s: float
) -> tuple[list[str], str]:
    """Names of all hosts, and SimGrid's XML: each host has a wire to its switch, and the switches
    one uplink; every link has the same latency."""
    names = [f"h{i}" for i in range(2 * hosts_a_switch)]
    hosts = "".join(
        f'<host id="{name}" speed="1Gf"/>'
        f'<link id="w-{name}" bandwidth="{wire_Bps!r}Bps" latency="{latency_s!r}s" '
        'sharing_policy="SPLITDUPLEX"/>'
        for name in names
    )
    routes = []
    for i, first in enumerate(names):
        for j, second in enumerate(names[i + 1 :], i + 1):
            crosses = i // hosts_a_switch != j // hosts_a_switch
            uplink = '<link_ctn id="uplink" direction="UP"/>' if crosses else ""
            routes.append(
                f'<route src="{first}" dst="{second}"><link_ctn id="w-{first}" direction="UP"/>'
                f'{uplink}<link_ctn id="w-{second}" direction="DOWN"/></route>'
            )
    xml = (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><zone id="world" routing="Full">{hosts}'
        f'<link id="uplink" bandwidth="{uplink_Bps!r}Bps" latency="{latency_s!r}s" '
        f'sharing_policy="SPLITDUPLEX"/>{"".join(routes)}</zone></platform>\n'
    )
    return names, xml


CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" radical="0-{last}" suffix="" speed="1Gf"
           bw="{bandwidth_Bps!r}Bps" lat="{latency_s!r}s" sharing_policy="SPLITDUPLEX"/>
</platform>
"""


def cluster(hosts: int, latency_s: float, bandwidth_Bps: float) -> str:
    """SimGrid's XML of hosts node-0, node-1 ... around a switch, each with a link of that latency
    and bandwidth, either way: a message takes two of them."""
    return CLUSTER.format(last=hosts - 1, latency_s=latency_s, bandwidth_Bps=bandwidth_Bps)


def fat_tree(
    leaves: int, hosts_a_leaf: int, wire_Bps: float, uplink_Bps: float, latency_s: float
) -> str:
    """SimGrid's XML of hosts h000, h001, ... on leaf switches in their order, each leaf with one
    uplink to a core that is never full; every link has the same latency and both directions."""
    count = leaves * hosts_a_leaf
    both = f'latency="{latency_s!r}s" sharing_policy="SPLITDUPLEX"/>'
    parts = [
        f'<host id="h{i:03d}" speed="1Gf"/><link id="w{i}" bandwidth="{wire_Bps!r}Bps" {both}'
        for i in range(count)
    ]
    parts += [f'<link id="u{i}" bandwidth="{uplink_Bps!r}Bps" {both}' for i in range(leaves)]
    for first in range(count):
        for second in range(first + 1, count):
            leaf, other = first // hosts_a_leaf, second // hosts_a_leaf
            uplinks = (
                f'<link_ctn id="u{leaf}" direction="UP"/><link_ctn id="u{other}" direction="DOWN"/>'
            )
            parts.append(
                f'<route src="h{first:03d}" dst="h{second:03d}">'
                f'<link_ctn id="w{first}" direction="UP"/>{uplinks if leaf != other else ""}'
                f'<link_ctn id="w{second}" direction="DOWN"/></route>'
            )
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><zone id="world" routing="Full">{"".join(parts)}</zone>'
        "</platform>\n"
    )

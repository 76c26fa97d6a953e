"""Simulated machines whose latency and bandwidth are known."""

from __future__ import annotations

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


def cluster(hosts: int, latency_s: float, bandwidth_Bps: float) -> str:
    """SimGrid's XML of hosts around one switch; a message crosses two links of that latency, whose
    directions do not share the bandwidth."""
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-{hosts - 1}" '
        f'speed="1Gf" bw="{bandwidth_Bps!r}Bps" lat="{latency_s!r}s" '
        'sharing_policy="SPLITDUPLEX"/></platform>\n'
    )

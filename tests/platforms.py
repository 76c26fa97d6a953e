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

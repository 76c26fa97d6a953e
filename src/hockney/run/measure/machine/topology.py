"""The topology that a user names, checked against the nodes that take part."""

from __future__ import annotations

import platform
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from hockney.base.errors import HockneyError, UsageError
from hockney.base.units import listed
from hockney.plan import Placement
from hockney.plan.option_files import option_text
from hockney.plan.platform_files import PLATFORM, platform_network
from hockney.plan.topology import Topology
from hockney.plan.topology_files import parse_topology
from hockney.run.measure.machine.platforms import parse_shape, shape_xml
from hockney.run.schedulers import Allocation, allocation_here, find_allocation, slurm

SLURM = "slurm"
MOST_NAMED = 5


def with_topology(placement: Placement, name: str | None) -> Placement:
    """The placement with the topology of a file, or the one that Slurm prints. Raises
    UsageError if nodes that take part are not in it."""
    if name is None:
        return placement
    topology = _of_slurm() if name == SLURM else _of_switches(_text(name), name)
    return _with(placement, topology)


def _with(placement: Placement, topology: Topology) -> Placement:
    known = [host for host in _hosts(placement) if topology.node(host) is not None]
    _check_known(placement, known, f"{topology.source}: no switch has node")
    return replace(placement, topology=topology)


def with_routes(placement: Placement, name: str | None) -> Placement:
    """The placement with the routes of a platform file, which may be named as topology, or of the
    platform on which it is simulated; with the topology in the file, if that is of switches. Raises
    UnreadableRoutesError and UsageError."""
    if name == SLURM:
        return with_topology(placement, name)
    source = name or placement.platform
    if source is None:
        return placement
    # A pipe can be read only once.
    text = _platform_text(placement) if name is None else _text(name)
    if name is not None and not PLATFORM.match(text):
        return _with(placement, parse_topology(text, name))
    network = platform_network(text, source)
    if network is not None and name is not None:
        names = set(network.hosts)
        known = [h for h in _hosts(placement) if h in names or h.partition(".")[0] in names]
        _check_known(placement, known, f"{source}: the platform has no host")
    return replace(placement, network=network)


def _platform_text(placement: Placement) -> str:
    shape = parse_shape(placement.platform or "")
    if shape is not None:
        return shape_xml(shape)
    advice = "name a platform file of SimGrid, or a shape such as fat-tree:64"
    return option_text(Path(placement.platform or ""), f"--platform {placement.platform}", advice)


def _check_known(placement: Placement, known: list[str], words: str) -> None:
    missing = [host for host in _hosts(placement) if host not in known]
    if missing:
        raise UsageError(
            f"{words} {listed(missing, MOST_NAMED)}",
            "add what is missing, or measure on other nodes",
        )


def of_scheduler() -> str | None:
    """SLURM inside of a job of Slurm that knows its switches; None elsewhere."""
    allocated = find_allocation()
    if allocated is None or allocated[0] != SLURM:
        return None
    with suppress(HockneyError):
        slurm.topology()
        return SLURM
    return None


def _of_slurm() -> Topology:
    return parse_topology(slurm.topology(), " ".join(slurm.TOPOLOGY))


def _of_switches(text: str, source: str) -> Topology:
    if PLATFORM.match(text):
        raise UsageError(
            f"--topology {source}: the routes of a platform serve fabric --locate alone",
            "name a file of switches",
        )
    return parse_topology(text, source)


def _text(name: str) -> str:
    advice = "name a file, or slurm for what Slurm prints"
    return option_text(Path(name), f"--topology {name}", advice)


def _hosts(placement: Placement) -> list[str]:
    """The nodes that take part, as far as they are known before the launch."""
    if placement.platform is not None:
        shape = parse_shape(placement.platform)
        nodes = -(-placement.ranks // (placement.ranks_per_node or 1))
        return [f"node-{node}" for node in range(nodes)] if shape else []
    if placement.hosts:
        return list(placement.hosts)
    here = () if placement.node_count else (platform.node(),)
    return list(allocation_here(otherwise=Allocation(hosts=here)).hosts)

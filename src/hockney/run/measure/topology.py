"""The topology that a user names, checked against the nodes that take part."""

from __future__ import annotations

import platform
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from hockney.base.errors import HockneyError, UsageError
from hockney.plan import Placement
from hockney.plan.option_files import option_text
from hockney.plan.topology import Topology
from hockney.plan.topology_files import parse_topology
from hockney.run.measure.platforms import parse_shape
from hockney.run.schedulers import find_allocation, slurm

SLURM = "slurm"
MOST_NAMED = 5


def with_topology(placement: Placement, asked: str | None) -> Placement:
    """The placement with the topology of a file, or the one that Slurm prints. Raises
    UsageError if nodes that take part are not in it."""
    if asked is None:
        return placement
    topology = _of_slurm() if asked == SLURM else _of_file(Path(asked))
    missing = [host for host in _hosts(placement) if topology.node(host) is None]
    if missing:
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        raise UsageError(
            f"{topology.source}: no switch has node {', '.join(missing[:MOST_NAMED])}{more}",
            "add what is missing, or measure on other nodes",
        )
    return replace(placement, topology=topology)


def of_scheduler() -> str | None:
    """SLURM inside of a job of Slurm that knows its switches; None elsewhere."""
    found = find_allocation()
    if found is None or found[0] != SLURM:
        return None
    with suppress(HockneyError):
        slurm.topology()
        return SLURM
    return None


def _of_slurm() -> Topology:
    return parse_topology(slurm.topology(), " ".join(slurm.TOPOLOGY))


def _of_file(path: Path) -> Topology:
    advice = "name a file, or slurm for what Slurm prints"
    return parse_topology(option_text(path, f"--topology {path}", advice), str(path))


def _hosts(placement: Placement) -> list[str]:
    """The nodes that take part, as far as they are known before the launch."""
    if placement.platform is not None:
        shape = parse_shape(placement.platform)
        nodes = -(-placement.ranks // (placement.ranks_per_node or 1))
        return [f"node-{node}" for node in range(nodes)] if shape else []
    if placement.hosts:
        return list(placement.hosts)
    found = find_allocation()
    if found is not None:
        return list(found[1].hosts)
    return [] if placement.node_count else [platform.node()]

"""Refuses placements that contradict themselves, or that this machine or its allocation lacks."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hockney.base.allowed import allowed_set
from hockney.base.errors import UsageError
from hockney.base.units import how_many, number_ranges
from hockney.plan import Placement
from hockney.run.measure.machine.capacity import check_number
from hockney.run.measure.machine.environment import text_of
from hockney.run.measure.machine.platforms import parse_shape
from hockney.run.schedulers import (
    MPIEXEC,
    Allocation,
    allocation_here,
    find_allocation,
    find_requested,
    slurm,
)

PLACE_WORDS = {"socket": "socket", "numa": "NUMA domain"}
HOST_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
"""A name that no program mistakes for an option."""


def check_simulated(placement: Placement) -> None:
    """Refuses options of this machine where one is simulated, and the other way round."""
    if placement.platform is None:
        if placement.cfg:
            raise UsageError(
                "--cfg is a setting of the simulator, and nothing is simulated",
                "leave it out, or add --platform",
            )
        return
    refuse_simulated(
        {
            "--cpus": placement.cpus,
            "--hosts": placement.hosts,
            "--nodes": placement.nodes,
            "--broadcast": placement.broadcast,
        }
    )


def refuse_simulated(options: Mapping[str, object]) -> None:
    """Refuses the options that are given, of those which apply to a real machine alone."""
    for flag, given in options.items():
        if given:
            raise UsageError(f"{flag} applies to this machine, but --platform simulates one")


def check_launcher(placement: Placement) -> None:
    """Refuses two launchers, and a template that cannot start the ranks."""
    if placement.launch is not None and placement.launcher:
        raise UsageError(
            f"--launch and --launcher {placement.launcher} both say what starts the ranks",
            "use only one of them",
        )
    if placement.launch is not None and placement.platform:
        raise UsageError("--launch: simulations have a launcher of their own", "leave it out")
    find_requested(placement)


def check_nodes(placement: Placement) -> None:
    """Refuses hosts, nodes and ranks that contradict each other."""
    for host in placement.hosts:
        if not HOST_NAME.fullmatch(host):
            raise UsageError(f"--hosts: {host!r} is not a host name", "write --hosts a,b")
    nodes, ranks = placement.node_count, placement.ranks
    if placement.hosts and nodes and nodes > len(placement.hosts):
        raise UsageError(
            f"--nodes {nodes}: --hosts names only {len(placement.hosts)}", "name more hosts"
        )
    if nodes is None and placement.ranks_per_node and placement.platform is None:
        raise UsageError(
            "--ranks-per-node: the number of nodes is not given", "give it with --nodes or --hosts"
        )
    if nodes is None:
        return
    if nodes > ranks or (placement.ranks_per_node and nodes * placement.ranks_per_node != ranks):
        each = f" with {placement.ranks_per_node} each" if placement.ranks_per_node else ""
        raise UsageError(
            f"{ranks} ranks do not fill {how_many(nodes, 'node')}{each}",
            "leave out one of -n, --nodes and --ranks-per-node",
        )


def nodes_of(placement: Placement, ranks: int | None) -> int | None:
    """The most nodes that a plan with this placement may have; None where a platform file has them.
    ranks: their number, if it is given."""
    nodes: int | None
    if placement.platform:
        shape = parse_shape(placement.platform)
        nodes = shape.nodes if shape else None
    else:
        nodes = placement.node_count or allocation_here(placement.launcher).nodes or 1
    if ranks is None:
        return nodes
    filled = math.ceil(ranks / (placement.ranks_per_node or 1))
    return filled if nodes is None else min(nodes, filled)


def check_place_node(placement: Placement) -> None:
    if placement.place != "node" or placement.platform:
        return
    outside = Allocation(nodes=1)
    if (placement.node_count or allocation_here(placement.launcher, outside).nodes) == 1:
        raise UsageError(
            "--place node: only one node is available, so ranks cannot be on different nodes",
            "name --hosts, or ask for --nodes",
        )


def check_place(place: str) -> None:
    """--place socket and numa need two sockets or NUMA domains on this node."""
    cpus = [Path(f"/sys/devices/system/cpu/cpu{cpu}") for cpu in allowed_set()]
    if place == "socket":
        places = {text_of(cpu / "topology" / "physical_package_id") for cpu in cpus}
    elif place == "numa":
        places = {node.name for cpu in cpus for node in cpu.glob("node[0-9]*")}
    else:
        return
    if len(places) < 2:
        raise UsageError(
            f"--place {place}: only one {PLACE_WORDS[place]} is available, so two ranks cannot "
            "be on different ones",
            "use --place core or --place spread, or name CPUs with --cpus",
        )


def check_cpus(cpus: Sequence[int], ranks: int) -> None:
    text = ",".join(number_ranges(cpus))
    allowed = allowed_set()
    if not allowed:
        raise UsageError(
            f"--cpus {text}: on this system processes cannot be pinned", "leave out --cpus"
        )
    refused = sorted(set(cpus) - allowed)
    if refused:
        raise UsageError(
            f"--cpus {text}: this process may not run on CPU {refused[0]}",
            f"it may run on {','.join(number_ranges(sorted(allowed)))}",
        )
    if len(cpus) < ranks:
        raise UsageError(
            f"--cpus {text} names {how_many(len(cpus), 'CPU')} for {ranks} ranks",
            "name one CPU for each rank",
        )


def check_allocation(placement: Placement) -> None:
    """The job in which this process runs must have the nodes and CPUs that the plan needs. Not for
    batch jobs, which get an allocation of their own."""
    if not placement.platform:
        check_number(placement)
    if placement.platform or placement.hosts or find_requested(placement):
        return
    allocated = find_allocation(placement.launcher)
    if allocated is None:
        _check_one_node(placement)
        return
    name, has = allocated
    # mpiexec may oversubscribe CPUs.
    cpus = None if placement.launcher == MPIEXEC else has.cpus
    for needed, there, what, option in (
        (placement.node_count, has.nodes, "node", "--nodes"),
        (placement.ranks, cpus, "CPU", "-n"),
    ):
        if needed is not None and there is not None and needed > there:
            raise UsageError(
                f"this allocation ({name}) has {how_many(there, what)}, {option} {needed} asks for "
                "more",
                f"ask for less, or for an allocation of {how_many(needed, what)}",
            )


def _check_one_node(placement: Placement) -> None:
    """Refuses several nodes that neither an allocation nor --hosts names."""
    if (placement.nodes or 1) > 1 and placement.launcher in (None, MPIEXEC):
        left = slurm.left_over()
        raise UsageError(
            f"--nodes {placement.nodes}: "
            + (left or "no hosts are named, and this is no job of a scheduler"),
            "name --hosts, ask for an allocation, or say with --launch what starts the ranks",
        )

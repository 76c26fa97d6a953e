"""Open MPI's mpiexec (ORTE up to 4, PRRTE from 5)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hockney.measure.launchers._agent import agent_commands
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """Unbound, because the engine pins; more ranks than slots only where there are."""
    placement = case.placement
    options = ["--bind-to", "none"]
    hosts = placement.hosts[: placement.node_count]
    if hosts:
        slots = placement.per_node
        options += ["--host", ",".join(f"{host}:{slots}" for host in hosts)]
    # Open MPI's own word for a crowded node is needed even for the slots that --host names.
    crowded = bool(hosts) or placement.ranks > len(os.sched_getaffinity(0))
    mapping = _mapping(placement)
    if mapping or crowded:
        options += ["--map-by", mapping + (":OVERSUBSCRIBE" if crowded else "")]
    return [str(mpi.mpiexec), *options, "-n", str(placement.ranks), *program]


def _mapping(placement: Placement) -> str:
    if placement.place == "node":
        return "node"
    return f"ppr:{placement.per_node}:node" if placement.per_node else ""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Open MPI refuses root unless both variables are set."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    agents = ["PRTE_MCA_plm_ssh_agent", "OMPI_MCA_plm_rsh_agent"]
    return agent_commands(agents, placement.hosts[: placement.node_count], script)

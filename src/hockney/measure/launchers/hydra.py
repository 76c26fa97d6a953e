"""Hydra: the mpiexec of MPICH and Intel MPI."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.measure.launchers._agent import agent_commands
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """Hydra takes more ranks than cores and root as they come; the engine pins by itself."""
    placement = case.placement
    hosts = placement.hosts[: placement.node_count]
    options = ["-hosts", ",".join(hosts)] if hosts else []
    # One rank a host in turn puts neighbours on different nodes.
    per_node = 1 if placement.place == "node" else placement.per_node
    if per_node:
        options += ["-ppn", str(per_node)]
    return [str(mpi.mpiexec), *options, "-n", str(placement.ranks), *program]


def environment(mpi: Mpi) -> dict[str, str]:
    """Intel MPI pins ranks unless told not to, and hides CPUs from the engine's own choice."""
    return {"I_MPI_PIN": "off"} if "Intel" in mpi.launcher_version else {}


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    return agent_commands(["HYDRA_LAUNCHER_EXEC"], placement.hosts[: placement.node_count], script)

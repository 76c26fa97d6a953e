"""Hydra: the mpiexec of MPICH and Intel MPI."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.measure.launchers._agent import agent_commands
from hockney.measure.mpi import Mpi
from hockney.measure.question import Question


def command(mpi: Mpi, question: Question, program: Sequence[str]) -> list[str]:
    """Hydra takes more ranks than cores and root as they come; the engine pins by itself."""
    hosts = question.hosts[: question.node_count]
    options = ["-hosts", ",".join(hosts)] if hosts else []
    # One rank a host in turn puts neighbours on different nodes.
    per_node = 1 if question.place == "node" else question.per_node
    if per_node:
        options += ["-ppn", str(per_node)]
    return [str(mpi.mpiexec), *options, "-n", str(question.ranks), *program]


def environment(mpi: Mpi) -> dict[str, str]:
    """Intel MPI pins ranks unless told not to, and hides CPUs from the engine's own choice."""
    return {"I_MPI_PIN": "off"} if "Intel" in mpi.launcher_version else {}


def reach(mpi: Mpi, question: Question, script: str) -> list[list[str]]:  # noqa: ARG001
    return agent_commands(["HYDRA_LAUNCHER_EXEC"], question.hosts[: question.node_count], script)

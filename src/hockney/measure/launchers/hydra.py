"""Hydra: the mpiexec of MPICH and Intel MPI."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.measure.mpi import Mpi
from hockney.measure.question import Question


def command(mpi: Mpi, question: Question, program: Sequence[str]) -> list[str]:
    """Hydra takes more ranks than cores and root as they come; the engine pins by itself."""
    return [str(mpi.mpiexec), "-n", str(question.ranks), *program]


def environment(mpi: Mpi) -> dict[str, str]:
    """Intel MPI pins ranks unless told not to, and hides CPUs from the engine's own choice."""
    return {"I_MPI_PIN": "off"} if "Intel" in mpi.launcher_version else {}

"""Open MPI's mpiexec (ORTE up to 4, PRRTE from 5)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hockney.measure.mpi import Mpi
from hockney.measure.question import Question


def command(mpi: Mpi, question: Question, program: Sequence[str]) -> list[str]:
    """Unbound, because the engine pins; more ranks than slots only where there are."""
    options = ["--bind-to", "none"]
    if question.ranks > len(os.sched_getaffinity(0)):
        options += ["--map-by", ":OVERSUBSCRIBE"]
    return [str(mpi.mpiexec), *options, "-n", str(question.ranks), *program]


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Open MPI refuses root unless both variables are set."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

"""Flux, inside one of its instances."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from hockney.measure.launchers import Allocation, hydra
from hockney.measure.mpi import Mpi
from hockney.measure.question import Question


def allocation() -> Allocation | None:
    """Flux tells the size of an instance by its own commands only."""
    return Allocation() if os.environ.get("FLUX_URI") and shutil.which("flux") else None


def command(mpi: Mpi, question: Question, program: Sequence[str]) -> list[str]:
    """Unbound, because the engine pins; Open MPI needs the PMIx plug-in of Flux's shell."""
    options = ["-o", "cpu-affinity=off"]
    if mpi.family == "openmpi":
        options += ["-o", "pmi=pmix"]
    if question.node_count:
        options.append(f"--nodes={question.node_count}")
    if question.place == "node":
        options.append("--taskmap=cyclic")
    return ["flux", "run", *options, f"--ntasks={question.ranks}", *program]


def environment(mpi: Mpi) -> dict[str, str]:
    return hydra.environment(mpi)


def reach(mpi: Mpi, question: Question, script: str) -> list[list[str]]:  # noqa: ARG001
    return [["flux", "exec", "--rank=all", "sh", "-c", script]]

"""SimGrid's smpirun: the ranks run on a simulated machine, in simulated time."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.measure.mpi import Mpi
from hockney.measure.question import Question

FIXED = ("smpi/simulate-computation:no",)
"""Otherwise the speed of this host would leak into the simulated clock."""


def command(mpi: Mpi, question: Question, program: Sequence[str]) -> list[str]:
    settings = [f"--cfg={setting}" for setting in (*FIXED, *question.cfg)]
    platform = ["-platform", question.platform or ""]
    if question.hostfile:
        platform += ["-hostfile", question.hostfile]
    return [str(mpi.mpiexec), "-np", str(question.ranks), *platform, *settings, *program]


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    return {}


def reach(mpi: Mpi, question: Question, script: str) -> list[list[str]]:  # noqa: ARG001
    return []

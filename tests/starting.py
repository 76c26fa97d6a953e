"""How hockney starts programs of an MPI, for programs of the tests."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.plan import Case, Placement
from hockney.run.measure.trial import EMPTY_MESSAGES
from hockney.run.mpis import Mpi
from hockney.run.schedulers import find_starter


def mpi_command(mpi: Mpi, ranks: int, program: Sequence[str]) -> list[str]:
    """The command of the MPI's own launcher."""
    placement = Placement(ranks=ranks)
    case = Case(workload=EMPTY_MESSAGES, placement=placement)
    return find_starter(mpi, placement).command(mpi, case, program)

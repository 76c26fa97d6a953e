"""What a claim needs that this machine, this allocation or this MPI does not have."""

from __future__ import annotations

import shutil

from hockney.base.allowed import allowed_count
from hockney.base.errors import UsageError
from hockney.infer.analysis.claims.claimed_number import Remedy
from hockney.plan import Placement
from hockney.plan.claims import Requires
from hockney.records import Run
from hockney.run.measure.machine.capacity import nodes
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.mpis import FAMILIES, family_of_library

SIMULATOR = ("smpicc", "smpirun")


def check_requirements(where: str, requires: Requires) -> None:
    """Raises UsageError for an MPI family that hockney does not know."""
    if requires.mpi is not None and requires.mpi not in FAMILIES.names():
        raise UsageError(
            f"{where}, [requires]: mpi: {requires.mpi!r} is no family of MPI",
            f"one of {', '.join(FAMILIES.names())}",
        )


def lacking_here(requires: Requires) -> Remedy | None:
    """What this machine lacks; None if it has all."""
    missing = [name for name in SIMULATOR if shutil.which(name) is None]
    if requires.simgrid and missing:
        return Remedy(
            "it is measured under SimGrid, and "
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not on PATH",
            "install SimGrid with SMPI",
        )
    if allowed_count() < requires.cpus:
        there = allowed_count()
        return Remedy(
            f"it needs {requires.cpus} CPUs of one node, and there {_are(there)}",
            "a machine with more would tell",
        )
    return None


def lacking_for(requires: Requires, placement: Placement) -> Remedy | None:
    """What a measurement with this placement lacks; None if it has all."""
    named = len(placement.hosts) if placement.hosts else nodes()
    is_simulated = placement.platform is not None
    if named < requires.nodes and placement.launch is None and not is_simulated:
        return Remedy(
            f"it needs {requires.nodes} nodes, and there {_are(named)}",
            "name them with -- --hosts, or ask a scheduler for an allocation",
        )
    if requires.mpi is None:
        return None
    return _other_mpi(requires, mpi_of(placement)[0].family)


def lacking_in(requires: Requires, run: Run) -> Remedy | None:
    """What a run that was measured before lacks; None if it has all."""
    library = next((launch.mpi.library for launch in run.launches if launch.mpi is not None), None)
    if requires.mpi is None or library is None:
        return None
    return _other_mpi(requires, family_of_library(library))


def _other_mpi(requires: Requires, family: str) -> Remedy | None:
    if family == requires.mpi:
        return None
    return Remedy(
        f"it is about {requires.mpi}, and this MPI is {family}", "name another with -- --mpicc"
    )


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"

"""ParaStation MPI: MPICH over pscom, whose variables are PSP_..."""

from __future__ import annotations

from functools import partial

from hockney.run.mpis import Mpi, mpich, other

LIBRARIES = ("ParaStation MPI",)
PMI = ("pmi2", "pmix")
PACKAGES = "module load ParaStationMPI"
SETTINGS_PREFIXES = ("", "PSP_", "MPIR_CVAR_")
VERBOSE = {**other.VERBOSE, "PSP_DEBUG_CONTYPE": "1"}
TELLS = (*other.TELLS, r"((?:CONNECT|ACCEPT) .* via .*)")
ENDPOINTS = other.ENDPOINTS
FORMATS, SETTINGS, format_for = other.FORMATS, other.SETTINGS, other.format_for
__getattr__ = partial(getattr, mpich)
"""All else is as with MPICH."""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Disables the pinning of its launcher, which would hide CPUs from the engine."""
    return {"__PSI_NO_PINPROC": "1"}

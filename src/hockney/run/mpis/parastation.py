"""ParaStation MPI: MPICH over pscom, whose variables are PSP_..."""

from __future__ import annotations

from hockney.run.mpis import Mpi, other
from hockney.run.mpis.mpich import all_controls as all_controls
from hockney.run.mpis.mpich import control_of as control_of
from hockney.run.mpis.mpich import discover as discover
from hockney.run.mpis.mpich import forcing as forcing
from hockney.run.mpis.mpich import is_segmented as is_segmented
from hockney.run.mpis.mpich import replaced_by as replaced_by
from hockney.run.mpis.other import AWARE as AWARE
from hockney.run.mpis.other import ENDPOINTS as ENDPOINTS
from hockney.run.mpis.other import FORMATS as FORMATS
from hockney.run.mpis.other import SETTINGS as SETTINGS
from hockney.run.mpis.other import format_for as format_for

LIBRARIES = ("ParaStation MPI",)
PMI = ("pmi2", "pmix")
PACKAGES = "module load ParaStationMPI"
SETTINGS_PREFIXES = ("", "PSP_", "MPIR_CVAR_")
VERBOSE = {**other.VERBOSE, "PSP_DEBUG_CONTYPE": "1"}
TELLS = (*other.TELLS, r"((?:CONNECT|ACCEPT) .* via .*)")


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Disables the pinning of its launcher, which would hide CPUs from the engine."""
    return {"__PSI_NO_PINPROC": "1"}

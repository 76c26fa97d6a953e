"""HPE MPT, with a binary interface of its own."""

from __future__ import annotations

from hockney.run.mpis import Mpi
from hockney.run.mpis.other import AWARE as AWARE
from hockney.run.mpis.other import ENDPOINTS as ENDPOINTS
from hockney.run.mpis.other import FORMATS as FORMATS
from hockney.run.mpis.other import SETTINGS as SETTINGS
from hockney.run.mpis.other import TELLS as TELLS
from hockney.run.mpis.other import VERBOSE as VERBOSE
from hockney.run.mpis.other import all_controls as all_controls
from hockney.run.mpis.other import control_of as control_of
from hockney.run.mpis.other import discover as discover
from hockney.run.mpis.other import forcing as forcing
from hockney.run.mpis.other import format_for as format_for
from hockney.run.mpis.other import is_segmented as is_segmented
from hockney.run.mpis.other import replaced_by as replaced_by

LIBRARIES = ("HPE MPT",)
PMI = ("pmi2",)
PACKAGES = "module load mpt, or hmpt"
SETTINGS_PREFIXES = ("MPI_",)


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Disables its pinning, which would hide CPUs from the engine."""
    return {"MPI_DSM_OFF": "1"}

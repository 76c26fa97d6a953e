"""MVAPICH2: MPICH 3 with control variables of its own, MV2_..."""

from __future__ import annotations

from hockney.run.mpis import Mpi
from hockney.run.mpis.mpich import all_controls as all_controls
from hockney.run.mpis.mpich import control_of as control_of
from hockney.run.mpis.mpich import discover as discover
from hockney.run.mpis.mpich import forcing as forcing
from hockney.run.mpis.mpich import is_segmented as is_segmented
from hockney.run.mpis.mpich import replaced_by as replaced_by
from hockney.run.mpis.other import ENDPOINTS as ENDPOINTS
from hockney.run.mpis.other import FORMATS as FORMATS
from hockney.run.mpis.other import SETTINGS as SETTINGS
from hockney.run.mpis.other import TELLS as TELLS
from hockney.run.mpis.other import VERBOSE as VERBOSE
from hockney.run.mpis.other import format_for as format_for

LIBRARIES = ("MVAPICH2",)
AWARE = {"MV2_USE_CUDA": "1"}
PMI = ("pmi2", "pmix")
PACKAGES = "module load mvapich2"
SETTINGS_PREFIXES = ("", "MV2_")


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Disables its pinning, which would hide CPUs from the engine."""
    return {"MV2_ENABLE_AFFINITY": "0"}

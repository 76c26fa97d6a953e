"""HPE Cray MPICH: MPICH with control variables of its own, MPICH_..."""

from __future__ import annotations

import os

from hockney.run.mpis import Mpi
from hockney.run.mpis.mpich import all_controls as all_controls
from hockney.run.mpis.mpich import control_of as control_of
from hockney.run.mpis.mpich import discover as discover
from hockney.run.mpis.mpich import forcing as forcing
from hockney.run.mpis.mpich import is_segmented as is_segmented
from hockney.run.mpis.mpich import replaced_by as replaced_by
from hockney.run.mpis.other import ENDPOINTS as ENDPOINTS
from hockney.run.mpis.other import FORMATS as FORMATS
from hockney.run.mpis.other import format_for as format_for

LIBRARIES = ("Cray MPICH",)
PMI = ("cray_shasta", "pmi2", "pmix")
PACKAGES = "module load cray-mpich, then --mpicc cc"
SETTINGS = (("MPICH_SMP_SINGLE_COPY_MODE",),)
SETTINGS_PREFIXES = ("", "MPICH_", "MPIR_CVAR_")
VERBOSE = {"MPICH_OFI_VERBOSE": "1", "MPICH_OFI_NIC_VERBOSE": "1", "MPICH_VERSION_DISPLAY": "1"}
TELLS = (r"^(?:PE \d+: )?MPICH (.*(?:NIC|provider|domain|OFI).*)",)
GPU = "MPICH_GPU_SUPPORT_ENABLED"
AWARE = {GPU: "1"}


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """MPI_Init ends a program that asks for GPU support without being linked with it."""
    return {GPU: "0"} if os.environ.get(GPU, "0") != "0" else {}

"""HPE Cray MPICH: MPICH with control variables of its own, MPICH_..."""

from __future__ import annotations

import os
from functools import partial

from hockney.run.mpis import Mpi, mpich, other

LIBRARIES = ("Cray MPICH",)
PMI = ("cray_shasta", "pmi2", "pmix")
PACKAGES = "module load cray-mpich, then --mpicc cc"
SETTINGS = (("MPICH_SMP_SINGLE_COPY_MODE",),)
SETTINGS_PREFIXES = ("", "MPICH_", "MPIR_CVAR_")
VERBOSE = {"MPICH_OFI_VERBOSE": "1", "MPICH_OFI_NIC_VERBOSE": "1", "MPICH_VERSION_DISPLAY": "1"}
TELLS = (r"^(?:PE \d+: )?MPICH (.*(?:NIC|provider|domain|OFI).*)",)
GPU = "MPICH_GPU_SUPPORT_ENABLED"
AWARE = {GPU: "1"}
ENDPOINTS, FORMATS, format_for = other.ENDPOINTS, other.FORMATS, other.format_for
__getattr__ = partial(getattr, mpich)
"""All else is as with MPICH."""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """MPI_Init ends a program that asks for GPU support without being linked with it."""
    return {GPU: "0"} if os.environ.get(GPU, "0") != "0" else {}

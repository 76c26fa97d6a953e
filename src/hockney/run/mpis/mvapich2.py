"""MVAPICH2: MPICH 3 with control variables of its own, MV2_..."""

from __future__ import annotations

from functools import partial

from hockney.run.mpis import Mpi, mpich, other

LIBRARIES = ("MVAPICH2",)
AWARE = {"MV2_USE_CUDA": "1"}
PMI = ("pmi2", "pmix")
PACKAGES = "module load mvapich2"
SETTINGS_PREFIXES = ("", "MV2_")
FORMATS, SETTINGS, format_for = other.FORMATS, other.SETTINGS, other.format_for
ENDPOINTS, TELLS, VERBOSE = other.ENDPOINTS, other.TELLS, other.VERBOSE
__getattr__ = partial(getattr, mpich)
"""All else is as with MPICH."""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Disables its pinning, which would hide CPUs from the engine."""
    return {"MV2_ENABLE_AFFINITY": "0"}

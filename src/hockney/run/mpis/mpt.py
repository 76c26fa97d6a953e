"""HPE MPT, with a binary interface of its own."""

from __future__ import annotations

from functools import partial

from hockney.run.mpis import Mpi, other

LIBRARIES = ("HPE MPT",)
PMI = ("pmi2",)
PACKAGES = "module load mpt, or hmpt"
SETTINGS_PREFIXES = ("MPI_",)
__getattr__ = partial(getattr, other)
"""All else is as with an unknown library."""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Disables its pinning, which would hide CPUs from the engine."""
    return {"MPI_DSM_OFF": "1"}

"""IBM Spectrum MPI, made from Open MPI."""

from __future__ import annotations

from functools import partial

from hockney.run.mpis import openmpi, other

LIBRARIES = ("Spectrum MPI",)
PMI = ("pmix",)
PACKAGES = "module load spectrum-mpi"
SETTINGS_PREFIXES = ("OMPI_MCA_",)
FORMATS, SETTINGS, format_for = other.FORMATS, other.SETTINGS, other.format_for
__getattr__ = partial(getattr, openmpi)
"""All else is as with Open MPI."""

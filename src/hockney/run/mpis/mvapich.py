"""MVAPICH 3 and later: MPICH with algorithms of its own (osu_...)."""

from __future__ import annotations

from functools import partial

from hockney.run.mpis import mpich, other

LIBRARIES = ("MVAPICH",)
PMI = ("pmi2", "pmix")
PACKAGES = "module load mvapich, or https://mvapich.cse.ohio-state.edu"
SETTINGS_PREFIXES = ("", "MVP_", "MPIR_CVAR_")
FORMATS, SETTINGS, format_for = other.FORMATS, other.SETTINGS, other.format_for
ENDPOINTS, TELLS, VERBOSE = other.ENDPOINTS, other.TELLS, other.VERBOSE
__getattr__ = partial(getattr, mpich)
"""All else is as with MPICH."""

"""MVAPICH 3 and later: MPICH with algorithms of its own (osu_...)."""

from __future__ import annotations

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
from hockney.run.mpis.other import TELLS as TELLS
from hockney.run.mpis.other import VERBOSE as VERBOSE
from hockney.run.mpis.other import environment as environment
from hockney.run.mpis.other import format_for as format_for

LIBRARIES = ("MVAPICH",)
PMI = ("pmi2", "pmix")
PACKAGES = "module load mvapich, or https://mvapich.cse.ohio-state.edu"
SETTINGS_PREFIXES = ("", "MVP_", "MPIR_CVAR_")

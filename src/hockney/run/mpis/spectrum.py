"""IBM Spectrum MPI, made from Open MPI."""

from __future__ import annotations

from hockney.run.mpis.openmpi import ENDPOINTS as ENDPOINTS
from hockney.run.mpis.openmpi import TELLS as TELLS
from hockney.run.mpis.openmpi import VERBOSE as VERBOSE
from hockney.run.mpis.openmpi import all_controls as all_controls
from hockney.run.mpis.openmpi import control_of as control_of
from hockney.run.mpis.openmpi import discover as discover
from hockney.run.mpis.openmpi import environment as environment
from hockney.run.mpis.openmpi import forcing as forcing
from hockney.run.mpis.openmpi import is_segmented as is_segmented
from hockney.run.mpis.openmpi import replaced_by as replaced_by
from hockney.run.mpis.other import AWARE as AWARE
from hockney.run.mpis.other import FORMATS as FORMATS
from hockney.run.mpis.other import SETTINGS as SETTINGS
from hockney.run.mpis.other import format_for as format_for

LIBRARIES = ("Spectrum MPI",)
PMI = ("pmix",)
PACKAGES = "module load spectrum-mpi"
SETTINGS_PREFIXES = ("OMPI_MCA_",)

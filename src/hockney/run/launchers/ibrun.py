"""TACC's ibrun, which calls the launcher of the MPI at hand."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(name="ibrun", programs=("ibrun",))

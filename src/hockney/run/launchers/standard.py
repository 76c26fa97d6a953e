"""An unrecognised launcher, started as MPI's standard recommends: mpiexec -n RANKS PROGRAM."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(name="mpiexec", programs=())

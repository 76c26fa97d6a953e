"""Fujitsu's mpiexec, of Fugaku and FX1000, made from Open MPI's.

The job fixes the ranks of each node (#PJM --mpi max-proc-per-node=4), not the command."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(
    name="Fujitsu",
    programs=("mpiexec",),
    says=r"(?i:fujitsu)",
    starts=("Fujitsu MPI",),
)

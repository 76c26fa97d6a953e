"""Intel MPI's mpiexec, a Hydra with other messages."""

from dataclasses import replace

from hockney.run.launchers import hydra

STARTS = ("Intel MPI", "MPICH", "MVAPICH", "Cray MPICH", "ParaStation MPI")
LAUNCHER = replace(
    hydra.LAUNCHER, says=r"Intel\(R\) MPI", number=r"Version (\S+(?: Update \d+)?)", starts=STARTS
)

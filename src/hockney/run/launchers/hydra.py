"""Hydra, the mpiexec of MPICH and of libraries made from it.

It binds no ranks, and needs no options to oversubscribe or to run as root."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(
    name="hydra",
    programs=("mpiexec.hydra", "mpiexec", "mpirun"),
    says=r"^(?!(?s:.*)Intel\(R\) MPI)(?s:.*)HYDRA",
    number=r"Version:\s*(\S+)",
    starts=("MPICH", "Intel MPI", "MVAPICH", "MVAPICH2", "Cray MPICH", "ParaStation MPI"),
    start_failures=("HYDU_sock_write", "control_cb"),
    per_node="-ppn",
    # One rank per host in turn.
    in_turn=("-ppn", "1"),
    hosts="-hosts",
    host_file="-f",
    host_list=("-hosts", "%s,%.0s"),
    agents=("HYDRA_LAUNCHER_EXEC",),
)

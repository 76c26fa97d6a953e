"""PALS's mpiexec, of HPE Cray EX. Without hosts it takes those of $PBS_NODEFILE."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(
    name="PALS",
    programs=("mpiexec",),
    says=r"^mpiexec version \d",
    number=r"version (\S+)",
    unbound=("--cpu-bind", "none"),
    per_node="--ppn",
    hosts="--hosts",
    host_file="--hostfile",
)

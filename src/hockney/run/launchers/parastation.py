"""ParaStation's mpiexec, which prints its version with -V and on stderr."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(
    name="ParaStation",
    programs=("mpiexec",),
    says=r"^mpiexec \d[\w.-]*\s*$|(?i:parastation)",
    per_node="-ppn",
    # Neighbours are on different nodes.
    in_turn=("-F",),
    hosts="-H",
    between_hosts=" ",
    host_file="-f",
)

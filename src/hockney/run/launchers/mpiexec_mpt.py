"""HPE MPT's mpiexec_mpt, which takes its hosts from PBS."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(
    name="mpiexec_mpt",
    programs=("mpiexec_mpt",),
    starts=("HPE MPT",),
    ranks="-np",
    per_node="-ppn",
)

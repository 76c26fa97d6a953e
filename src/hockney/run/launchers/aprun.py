"""ALPS's aprun, of Cray XE and XC."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(
    name="aprun",
    programs=("aprun",),
    says=r"ALPS",
    unbound=("-cc", "none"),
    per_node="-N",
    hosts="-L",
    host_file="-l",
)

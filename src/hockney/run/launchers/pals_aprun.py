"""PALS's aprun, of HPE Cray EX, with the options of ALPS's."""

from hockney.run.launchers import Launcher

LAUNCHER = Launcher(
    name="PALS aprun",
    programs=("aprun",),
    unbound=("--cc", "none"),
    per_node="-N",
    hosts="-L",
)

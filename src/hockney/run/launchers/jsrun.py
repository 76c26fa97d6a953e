"""IBM's jsrun, of Summit and Sierra, which starts ranks in resource sets of a node."""

from __future__ import annotations

from hockney.plan import Placement
from hockney.run.launchers import Launcher

PROGRAM = "jsrun"


class _Jsrun(Launcher):
    def _count(self, placement: Placement) -> list[str]:
        """Resource sets imply it, where there are any."""
        return [] if placement.node_count else super()._count(placement)

    def _layout(self, placement: Placement) -> list[str]:
        """A resource set for each node, with all of its CPUs."""
        if placement.node_count is None:
            return super()._layout(placement)
        if placement.place == "node" and placement.per_node != 1:
            raise self._cannot("place neighbours on different nodes", "leave out --place node")
        each = ["--tasks_per_rs", str(placement.per_node), "--cpu_per_rs", "ALL_CPUS"]
        return ["--nrs", str(placement.node_count), "--rs_per_host", "1", *each]


LAUNCHER = _Jsrun(name=PROGRAM, programs=(PROGRAM,), ranks="--np", unbound=("--bind", "none"))

"""LLNL's lrun, a simpler jsrun."""

from __future__ import annotations

from hockney.plan import Placement
from hockney.run.launchers import Launcher


class _Lrun(Launcher):
    def _layout(self, placement: Placement) -> list[str]:
        nodes = ["-N", str(placement.node_count)] if placement.node_count else []
        return [*nodes, *super()._layout(placement)]


LAUNCHER = _Lrun(name="lrun", programs=("lrun",), per_node="-T", unbound=("--nolbind",))

"""MVAPICH2's mpirun_rsh, which takes the host of each rank and the variables of all."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.plan import Case
from hockney.run.launchers import Launcher
from hockney.run.mpis import Mpi, family_of

HERE = "localhost"


class _MpirunRsh(Launcher):
    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:
        placement = case.placement
        hosts = placement.hosts[: placement.node_count] or (HERE,)
        each = placement.per_node or placement.ranks
        in_turn = placement.place == "node"
        ranks = range(placement.ranks)
        places = [hosts[i % len(hosts) if in_turn else i // each] for i in ranks]
        variables = {**family_of(mpi).environment(mpi), **placement.env}
        assigned = [f"{name}={value}" for name, value in variables.items()]
        return [program, self.ranks, str(placement.ranks), *places, *assigned, *engine]


LAUNCHER = _MpirunRsh(
    name="mpirun_rsh",
    programs=("mpirun_rsh",),
    starts=("MVAPICH2", "MVAPICH"),
    ranks="-np",
    host_file="-hostfile",
)

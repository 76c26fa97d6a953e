"""Open MPI's mpiexec and PRRTE's prterun and prun: ORTE up to version 4, PRRTE from 5."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.allowed import allowed_count
from hockney.plan import Case, Placement
from hockney.run.launchers import Launcher
from hockney.run.mpis import Mpi


class _Mpiexec(Launcher):
    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:  # noqa: ARG002
        """It oversubscribes only where needed."""
        placement = case.placement
        options = list(self.unbound)
        hosts = placement.hosts[: placement.node_count]
        if hosts:
            slots = placement.per_node
            options += ["--host", ",".join(f"{host}:{slots}" for host in hosts)]
        # OVERSUBSCRIBE is needed even for the slots that --host names.
        oversubscribed = bool(hosts) or placement.ranks > allowed_count()
        mapping = _mapping(placement)
        if mapping or oversubscribed:
            options += ["--map-by", mapping + (":OVERSUBSCRIBE" if oversubscribed else "")]
        return [program, *options, self.ranks, str(placement.ranks), *engine]


def _mapping(placement: Placement) -> str:
    if placement.place == "node":
        return "node"
    return f"ppr:{placement.per_node}:node" if placement.per_node else ""


LAUNCHER = _Mpiexec(
    name="openmpi",
    programs=("mpirun", "mpiexec", "prterun", "prun", "orterun"),
    says=r"Open MPI|OpenRTE|PRRTE|Spectrum MPI",
    number=r"\)\s+(\S+)",
    starts=("Open MPI", "Spectrum MPI", "Fujitsu MPI"),
    # Printed by version 5 where network interfaces come and go while it reads their list.
    start_failures=("PMIx server's listener thread failed to start",),
    unbound=("--bind-to", "none"),
    host_file="--hostfile",
    host_list=("--host", "%s:%s,"),
    agents=("PRTE_MCA_plm_ssh_agent", "OMPI_MCA_plm_rsh_agent"),
)

"""SimGrid's smpirun: the ranks run on a simulated machine, in simulated time."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement
from hockney.spec.workloads import Workload
from hockney.spec.workloads.collective import Collective

FIXED = ("smpi/simulate-computation:no", "smpi/shared-malloc-blocksize:67108864")
"""Without the first, the speed of this host would leak into the simulated clock. The second: the
kernel allows 65,530 mappings, and buffers that lie upon each other take one a block."""
TREES = ("smpi/gather:ompi_binomial", "smpi/reduce:binomial")
"""By which the ranks' results come together, untimed: SMPI's own linear ways cost the square of the
number of ranks."""
MADE_OF_THEM = ("gather", "reduce", "scan")
"""Collectives that SMPI may do by these: nothing that they are made of is touched."""


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    placement = case.placement
    settings = [f"--cfg={setting}" for setting in (*FIXED, *_trees(case.workload), *placement.cfg)]
    platform = ["-platform", placement.platform or ""]
    if placement.hostfile:
        platform += ["-hostfile", placement.hostfile]
    return [str(mpi.mpiexec), "-np", str(placement.ranks), *platform, *settings, *program]


def _trees(workload: Workload) -> Sequence[str]:
    collective = workload.collective if isinstance(workload, Collective) else ""
    return () if any(name in collective for name in MADE_OF_THEM) else TREES


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    return {}


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    return []

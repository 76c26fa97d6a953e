"""SimGrid's smpirun: the ranks run on a simulated machine, in simulated time."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement

FIXED = (
    "smpi/simulate-computation:no",
    "smpi/shared-malloc-blocksize:67108864",
    "smpi/privatization:no",
)
"""Without the first, the speed of this host would leak into the simulated clock. The second: the
kernel allows 65,530 mappings, and buffers that lie upon each other take one a block. The third: the
engine keeps nothing of a rank in global variables; a copy of its program for each rank would cost
330 kB and five mappings."""


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    placement = case.placement
    settings = [f"--cfg={setting}" for setting in (*FIXED, *placement.cfg)]
    platform = ["-platform", placement.platform or ""]
    if placement.hostfile:
        platform += ["-hostfile", placement.hostfile]
    return [str(mpi.mpiexec), "-np", str(placement.ranks), *platform, *settings, *program]


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    return {}


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    return []

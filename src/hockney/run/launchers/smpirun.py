"""SimGrid's smpirun, which runs the ranks on a simulated machine."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.plan import Case
from hockney.run.launchers import Launcher
from hockney.run.mpis import Mpi
from hockney.run.mpis.smpi import FIXED


class _Smpirun(Launcher):
    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:  # noqa: ARG002
        placement = case.placement
        settings = [f"--cfg={setting}" for setting in (*FIXED, *placement.cfg)]
        platform = ["-platform", placement.platform or ""]
        if placement.hostfile:
            platform += ["-hostfile", placement.hostfile]
        return [program, self.ranks, str(placement.ranks), *platform, *settings, *engine]


LAUNCHER = _Smpirun(name="smpirun", programs=("smpirun",), starts=("SimGrid SMPI",), ranks="-np")

"""The one place that starts the engine: from a case to a running MPI program."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hockney.measure.launch import Interruption, Outcome, run_launch
from hockney.mpis import Engine, Mpi, family_of
from hockney.schedulers import Launcher, find_launcher
from hockney.spec import Case

ENGINE_SAYS = "hockney-engine: "
"""Before what a rank that ends the launch writes to stderr: two ranks may garble their records."""


@dataclass(frozen=True)
class Start:
    """How a launch is started, for its record and for whoever wants to repeat it."""

    command: list[str]
    env: dict[str, str]
    """Variables that are added to this process's own."""
    launcher: Launcher | None
    """The scheduler's; None: the MPI's own."""
    version: str
    """The launcher's name and what is known of its version."""

    def run(
        self,
        on_lines: Callable[[list[bytes]], None],
        timeout_s: float,
        interruption: Interruption,
    ) -> Outcome:
        """Hands on every whole line of its stdout until it ends, whatever ends it."""
        env = {**os.environ, **self.env}
        return run_launch(self.command, env, on_lines, timeout_s, interruption)


def start_of(
    mpi: Mpi,
    engine: Engine,
    case: Case,
    arguments: Sequence[str],
    env: Mapping[str, str] | None = None,
) -> Start:
    """The engine with `arguments` on the ranks of a case, by the launcher of its placement."""
    launcher, placement = find_launcher(case.placement)
    family = family_of(mpi)
    placed = msgspec.structs.replace(case, placement=placement)
    command = (launcher or family).command(mpi, placed, [str(engine.path), *arguments])
    added = {**family.environment(mpi), **placement.env, **(env or {})}
    version = launcher.LAUNCHER if launcher else f"{family.LAUNCHER} ({mpi.launcher_version})"
    return Start(command, added, launcher, version)

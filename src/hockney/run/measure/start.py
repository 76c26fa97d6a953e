"""Starts the engine: from a case to a running MPI program. Nothing else starts it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hockney.plan import Case
from hockney.run.measure.build import library_of
from hockney.run.measure.launch import Interruption, Outcome, run_launch
from hockney.run.mpis import Engine, Mpi, family_of
from hockney.run.schedulers import Launcher, find_launcher

ENGINE_PREFIX = "hockney-engine: "
"""Precedes the message that a rank writes to stderr when it ends the launch. Its record alone may
be garbled by another rank's."""


MOST_FAILED_STARTS = 2
"""Most failed starts in a row that are taken for chance."""


@dataclass(frozen=True)
class StartCommand:
    """The command and the variables that start a launch, as its record stores them."""

    command: list[str]
    env: dict[str, str]
    """Variables added to the environment of this process."""
    launcher: Launcher | None
    """The scheduler's launcher; None for the MPI's own."""
    version: str
    """The launcher's name and, if known, its version."""
    start_failures: Sequence[str] = ()
    """Messages of the MPI's launcher when it fails by chance, before any rank reports."""

    def run(
        self,
        on_lines: Callable[[list[bytes]], None],
        timeout_s: float,
        interruption: Interruption,
    ) -> Outcome:
        """Runs the launch to its end and passes on each whole line of its stdout. A launcher that
        fails by chance before any rank reports is started again, up to MOST_FAILED_STARTS times."""
        env = {**os.environ, **self.env}
        reported = False

        def pass_on(lines: list[bytes]) -> None:
            nonlocal reported
            reported = reported or bool(lines)
            on_lines(lines)

        failures = 0
        while True:
            outcome = run_launch(self.command, env, pass_on, timeout_s, interruption)
            outcome.failed_starts = failures
            reported = reported or bool(engine_messages(outcome))
            if reported or failures == MOST_FAILED_STARTS or not self._failed_by_chance(outcome):
                return outcome
            failures += 1

    def _failed_by_chance(self, outcome: Outcome) -> bool:
        """Whether the launcher failed by chance, and not a launch that ended well with such a
        message."""
        if outcome.exit_status == -signal.SIGPIPE:  # it wrote to ranks that had ended
            return True
        lines = outcome.last_lines if outcome.exit_status != 0 else []
        return any(known in line for known in self.start_failures for line in lines)


def start_of(
    mpi: Mpi,
    engine: Engine,
    case: Case,
    arguments: Sequence[str],
    env: Mapping[str, str] | None = None,
) -> StartCommand:
    """The engine with `arguments` on the ranks of a case, by the launcher of its placement."""
    launcher, placement = find_launcher(case.placement)
    family = family_of(mpi)
    placed = msgspec.structs.replace(case, placement=placement)
    command = (launcher or family).command(mpi, placed, [str(engine.path), *arguments])
    added = {**engine.env, **family.environment(mpi), **placement.env, **(env or {})}
    version = launcher.LAUNCHER if launcher else f"{family.LAUNCHER} ({mpi.launcher_version})"
    return StartCommand(
        command, added, launcher, version, () if launcher else family.START_FAILURES
    )


def engine_messages(outcome: Outcome) -> list[str]:
    """Messages of the engine among the last lines of a launch."""
    lines = [line for line in outcome.last_lines if line.startswith(ENGINE_PREFIX)]
    return [line.removeprefix(ENGINE_PREFIX) for line in lines]


def wrong_launcher(mpi: Mpi, engine: Engine, failure: str) -> str | None:
    """Explains a failure if the launcher does not belong to the MPI library, else None. Such
    launchers start N worlds of one rank, or fail in ways of their own."""
    library = library_of(engine)
    if "a world of 1 rank" not in failure and library in (None, *family_of(mpi).STARTS):
        return None
    return (
        f"{mpi.mpiexec} ({mpi.launcher_version}) does not belong to the MPI library of {mpi.mpicc} "
        f"({library or 'unknown'}): put both from the same MPI on PATH, or name the wrapper of a "
        "complete MPI with --mpicc"
    )

"""Starts the engine: from a case to a running MPI program. Nothing else starts it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hockney.plan import Case
from hockney.run.launchers import Launcher, own_launcher
from hockney.run.measure.launches.launch import (
    LAST_LINES,
    Interruption,
    NodeFinding,
    Outcome,
    run_launch,
)
from hockney.run.measure.toolchain.mpi import library_of
from hockney.run.mpis import Engine, Mpi, family_of
from hockney.run.schedulers import find_starter

ENGINE_PREFIX = "hockney-engine: "
"""Precedes the message that a rank writes to stderr when it ends the launch. Its record alone may
be garbled by another rank's."""


SYSFS = "HOCKNEY_SYS"
"""The variable with the place of sysfs on the nodes, if that is not /sys."""
MOST_FAILED_STARTS = 2
"""Most failed starts in a row that are taken for chance."""


@dataclass(frozen=True)
class StartCommand:
    """The command and the variables that start a launch, as its record stores them."""

    command: list[str]
    env: dict[str, str]
    """Variables added to the environment of this process."""
    launcher: Launcher
    version: str
    """The launcher's name and, if known, its version."""

    def run(
        self,
        on_lines: Callable[[list[bytes]], None],
        timeout_s: float,
        interruption: Interruption,
        kept_lines: int = LAST_LINES,
        on_silence: Callable[[], list[NodeFinding]] = list,
    ) -> Outcome:
        """Runs the launch to its end, as run_launch() does. A launcher that fails by chance before
        any rank reports is started again, up to MOST_FAILED_STARTS times."""
        env = {**os.environ, **self.env}
        reported = False

        def pass_on(lines: list[bytes]) -> None:
            nonlocal reported
            reported = reported or bool(lines)
            on_lines(lines)

        failures = 0
        while True:
            outcome = run_launch(
                self.command, env, pass_on, timeout_s, interruption, kept_lines, on_silence
            )
            outcome.failed_starts = failures
            reported = reported or bool(engine_messages(outcome))
            if reported or failures == MOST_FAILED_STARTS or not self._failed_by_chance(outcome):
                return outcome
            failures += 1

    def _failed_by_chance(self, outcome: Outcome) -> bool:
        """Whether the launcher failed by chance; a launch that ended well with such a message did
        not."""
        if outcome.exit_status == -signal.SIGPIPE:  # it wrote to ranks that had ended
            return True
        lines = outcome.last_lines if outcome.exit_status != 0 else []
        return any(known in line for known in self.launcher.start_failures for line in lines)


def start_of(
    mpi: Mpi,
    engine: Engine,
    case: Case,
    arguments: Sequence[str],
    env: Mapping[str, str] | None = None,
) -> StartCommand:
    """The engine with `arguments` on the ranks of a case, by the launcher of its placement."""
    starter = find_starter(mpi, case.placement)
    if sysfs := os.environ.get(SYSFS):
        arguments = [*arguments, f"--sys={sysfs}"]
    command = starter.command(mpi, case, [str(engine.path), *arguments])
    family = family_of(mpi)
    aware = family.AWARE if case.workload.uses_devices else {}
    aware = {name: os.environ.get(name, value) for name, value in aware.items()}
    variables = (engine.env, family.environment(mpi), aware, case.placement.env, env or {})
    added = {name: value for some in variables for name, value in some.items()}
    return StartCommand(command, added, starter.launcher, starter.text)


def engine_messages(outcome: Outcome) -> list[str]:
    """Messages of the engine among the last lines of a launch."""
    lines = [line for line in outcome.last_lines if line.startswith(ENGINE_PREFIX)]
    return [line.removeprefix(ENGINE_PREFIX) for line in lines]


def wrong_launcher(mpi: Mpi, engine: Engine, failure: str) -> str | None:
    """Explains a failure if the launcher does not belong to the MPI library, else None. Such
    launchers start N worlds of one rank, or fail in ways of their own."""
    library, starts = library_of(engine), own_launcher(mpi).starts
    belongs = library is None or not starts or library in starts
    if belongs and "a world of 1 rank" not in failure:
        return None
    return (
        f"{mpi.launcher_text} does not belong to the MPI library of {mpi.mpicc} "
        f"({library or 'unknown'}): put both from the same MPI on PATH, or name the wrapper of a "
        "complete MPI with --mpicc"
    )

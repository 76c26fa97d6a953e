"""The progress of a run, as a session reports it to the display."""

from __future__ import annotations

from dataclasses import dataclass

from hockney.infer.estimate import LeastKnown
from hockney.plan import Case
from hockney.records import Progress, Run
from hockney.run.measure.sessions.last_launch import of_last_launch

CHANGE = 1.25
"""A core-to-core latency that differs by this factor from the launch before indicates another state
of the machine: within a state it varies by a few per cent."""


@dataclass
class Disturbances:
    """Disturbances of the finished launches. The records of each launch are evaluated once."""

    preemptions: int = 0
    """Involuntary context switches of ranks."""
    migrations: int = 0
    missed_starts: int = 0
    """Repetitions of collectives that a rank started too late."""
    latency_s: float | None = None
    """Median core-to-core latency of the last launch; None if it was not measured."""
    before_s: float | None = None
    """The latency before its last change of state."""
    changed_in: int | None = None
    """The launch in which the latency changed."""

    def add(self, run: Run, launch: int) -> None:
        """Adds a launch that has ended."""
        for noise in of_last_launch(run.noises, launch):
            self.preemptions += round(noise.switches or 0.0)
            self.migrations += round(noise.migrations or 0.0)
        self.missed_starts += sum(start.missed for start in of_last_launch(run.starts, launch))
        probes = sorted(probe.handover_ns for probe in of_last_launch(run.probes, launch))
        if not probes:
            return
        before_s, self.latency_s = self.latency_s, probes[len(probes) // 2] * 1e-9
        if before_s and not 1.0 / CHANGE < self.latency_s / before_s < CHANGE:
            self.before_s, self.changed_in = before_s, launch


@dataclass(frozen=True)
class Status:
    case: Case
    """The case being measured."""
    launch: int
    total_s: float
    """Wall time that the run may take."""
    left_s: float
    progress: Progress | None
    """The progress that the engine reports; None before its first report."""
    least_known: tuple[str | None, LeastKnown] | None
    """The least precise point, with the title of its case."""
    disturbances: Disturbances

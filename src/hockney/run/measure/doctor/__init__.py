"""Checks whether this machine is ready for measurements, and advises what to do.

A check is a function that returns one Finding. MPI_CHECKS judge one real start of two ranks; CHECKS
read /proc and /sys under a root, which tests replace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hockney.run.measure.doctor import cpus, load, system, trial
from hockney.run.measure.doctor.finding import Finding, Verdict
from hockney.run.measure.doctor.trial import Trial

__all__ = ["CHECKS", "MPI_CHECKS", "Finding", "Trial", "examine", "overall"]

MPI_CHECKS: tuple[Callable[[Trial], Finding], ...] = (
    trial.found_mpi,
    trial.compiler,
    trial.engine_built,
    trial.launch_of_two_ranks,
    trial.rank_places,
    trial.clock_cost,
)
CHECKS: tuple[Callable[[Path], Finding], ...] = (
    cpus.allowed_cpus,
    cpus.pinning,
    cpus.hardware_threads,
    cpus.cpu_quota,
    cpus.governor,
    cpus.turbo,
    load.busy_cpus,
    load.load_average,
    load.stolen_time,
    system.hypervisor,
    system.clock_source,
    system.huge_pages,
    system.numa_balancing,
    system.memory,
    system.results,
)


def examine(
    mpicc: str | None,
    root: Path = Path("/"),
    more: Sequence[Callable[[Trial], Finding]] = (),
) -> list[Finding]:
    """All findings about the MPI of `mpicc` and about this machine; more: checks of the trial that
    the caller has."""
    # The machine first: the ranks of the trial must not count as load of others.
    machine = [check(root) for check in CHECKS]
    tried = trial.try_mpi(mpicc)
    return [*(check(tried) for check in (*MPI_CHECKS, *more)), *machine]


def overall(findings: Sequence[Finding]) -> Verdict:
    """The worst verdict; unknown if all are unknown."""
    verdicts = {finding.verdict for finding in findings}
    order: tuple[Verdict, ...] = ("bad", "warn", "ok")
    return next((verdict for verdict in order if verdict in verdicts), "unknown")

"""Checks whether this machine is ready for measurements, and advises what to do.

A check is a function that returns one Finding. MPI_CHECKS judge one real start of two ranks; CHECKS
read /proc and /sys under a root, which tests replace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hockney.run.measure.doctor import cpus, launch, load, system
from hockney.run.measure.doctor.every_node import compare_nodes
from hockney.run.measure.doctor.finding import DoctorFinding, Verdict
from hockney.run.measure.doctor.launch import Trial

__all__ = ["CHECKS", "MPI_CHECKS", "DoctorFinding", "Trial", "examine", "overall"]

MPI_CHECKS: tuple[Callable[[Trial], DoctorFinding], ...] = (
    launch.mpi_in_use,
    launch.compiler,
    launch.engine_built,
    launch.launch_of_two_ranks,
    launch.large_messages,
    launch.rank_places,
    launch.clock_cost,
)
CHECKS: tuple[Callable[[Path], DoctorFinding], ...] = (
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
    system.shared_memory,
    system.limits,
    system.locked_memory,
    system.results,
)


def examine(
    mpicc: str | None, more: Sequence[Callable[[Trial], DoctorFinding]] = ()
) -> list[DoctorFinding]:
    """All findings about the nodes of the allocation, the MPI of `mpicc` and this machine; more:
    checks of the trial that the caller has."""
    # The machines first: what the trial builds and starts must not count as load of others.
    machine = [check(Path("/")) for check in CHECKS]
    nodes = compare_nodes(launch.mpi_to_try(mpicc))
    tried = launch.try_mpi(mpicc)
    return [*nodes, *(check(tried) for check in (*MPI_CHECKS, *more)), *machine]


def overall(findings: Sequence[DoctorFinding]) -> Verdict:
    """The worst verdict; unknown if all are unknown."""
    verdicts = {finding.verdict for finding in findings}
    order: tuple[Verdict, ...] = ("bad", "warn", "ok")
    return next((verdict for verdict in order if verdict in verdicts), "unknown")

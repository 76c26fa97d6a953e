"""Gives each thread of a rank an endpoint, by a variable of the library."""

from __future__ import annotations

from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.plan import Placement
from hockney.plan.workloads.pingpong import Messages
from hockney.run.measure.launches.trial import attempt
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.measure.toolchain.mpi import library_of
from hockney.run.mpis import family_of

TIMEOUT_S = 30.0
"""Timeout of two ranks that only start."""


def _try(placement: Placement, variable: str, count: str) -> None:
    """Tries to start two ranks with so many endpoints: libraries end a program that asks for more
    than they were built for. It is tried here only, as other nodes may allow no ranks outside of
    jobs."""
    mpi, engine = mpi_of(placement)
    if attempt(mpi, engine, 0.0, TIMEOUT_S, env={variable: count}).outcome.exit_status != 0:
        raise UsageError(
            f"--thread-comms vci: {library_of(engine)} ({mpi.launcher_text}) does not start "
            f"with {variable}={count}: it was built for fewer endpoints",
            "use --thread-comms own, or another MPI with --mpicc",
        )


def with_endpoints(placement: Placement, workload: Messages) -> Placement:
    """The placement under which each thread has an endpoint, where that is asked for; the engine
    checks that it has. Raises UsageError where the library has no such variable."""
    if workload.thread_comms != "vci":
        return placement
    mpi, _ = mpi_of(placement)
    variable = family_of(mpi).ENDPOINTS
    if variable is None:
        raise UsageError(
            f"--thread-comms vci: {mpi.mpicc} ({mpi.launcher_text}) has no setting for the "
            "number of endpoints",
            "use --thread-comms own, or an MPICH of version 4 or later",
        )
    count = str(workload.threads_of_rank)
    if placement.node_count is None:
        _try(placement, variable, count)
    return replace(
        placement,
        env=placement.env | {variable: count},
        controls=placement.controls | {variable: count},
    )

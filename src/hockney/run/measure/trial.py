"""Starts two ranks for a moment, to see whether the MPI works, and with which variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hockney import records
from hockney.plan import Case, Placement, Sampling, Size
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import End, LaunchRecord, Noise, Samples
from hockney.run.measure.launch import Interruption, Outcome
from hockney.run.measure.start import start_of
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import MPIEXEC

SHORTEST_LAUNCH_S = 0.1
"""Least wall time of a launch (s), including its start."""
EMPTY_MESSAGES = Pingpong(sizes=(Size(0),))


TRIAL_S, TIMEOUT_S = 0.01, 30.0
"""Duration and timeout of the launch that shows how long a launch takes."""
USUAL_S = Sampling().usual_launch_s


@dataclass(frozen=True)
class Attempt:
    """How a trial ended and what its ranks reported."""

    outcome: Outcome
    launch: LaunchRecord | None
    """The ranks' launch record; None if they failed before they wrote it."""
    ends: tuple[End, ...]
    samples: tuple[Samples, ...] = ()
    noises: tuple[Noise, ...] = ()


def attempt(
    mpi: Mpi,
    engine: Engine,
    seconds: float,
    timeout_s: float,
    place: str = "core",
    env: Mapping[str, str] | None = None,
    workload: Pingpong = EMPTY_MESSAGES,
) -> Attempt:
    """Starts two ranks with the MPI's own launcher, if it has one; they exchange messages, empty
    ones unless a workload is given, for `seconds`. Raises KeyboardInterrupt if interrupted."""
    own = MPIEXEC if mpi.mpiexec else None
    placement = Placement(place=place, launcher=own, oversubscribe=True)
    case = Case(workload=workload, placement=placement)
    arguments = [*engine_arguments(case, Sampling(), seconds), *launch_arguments(0)]
    lines: list[bytes] = []
    with Interruption().watched() as interruption:
        start = start_of(mpi, engine, case, arguments, env)
        outcome = start.run(lines.extend, timeout_s, interruption)
    if outcome.interrupted:
        raise KeyboardInterrupt
    decoded = [record for record in map(records.try_decode, lines) if record is not None]
    return Attempt(
        outcome,
        launch=next((record for record in decoded if isinstance(record, LaunchRecord)), None),
        ends=tuple(record for record in decoded if isinstance(record, End)),
        samples=tuple(record for record in decoded if isinstance(record, Samples)),
        noises=tuple(record for record in decoded if isinstance(record, Noise)),
    )


def launch_s(mpi: Mpi, engine: Engine) -> float:
    """Wall time of a launch where variants are compared: it measures for as long as it takes to
    start, or for USUAL_S."""
    start_s = attempt(mpi, engine, TRIAL_S, TIMEOUT_S, place="none").outcome.wall_s
    return max(start_s + min(start_s, USUAL_S), SHORTEST_LAUNCH_S)

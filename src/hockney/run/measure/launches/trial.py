"""Short launches, to see whether the MPI works, with which variables, and what it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from hockney import records
from hockney.plan import Case, Placement, Sampling, Size
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import LaunchRecord, Record
from hockney.run.measure.launches.launch import LAST_LINES, Interruption, Outcome
from hockney.run.measure.launches.start import start_of
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import MPIEXEC

SHORTEST_LAUNCH_S = 0.1
"""Least wall time of a launch (s), including its start."""
EMPTY_MESSAGES = Pingpong(sizes=(Size(0),))


TRIAL_S, TIMEOUT_S = 0.01, 30.0
"""Duration and timeout of the launch that shows how long a launch takes."""
USUAL_S = Sampling().usual_launch_s
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Attempt:
    """How a trial ended and what its ranks reported."""

    outcome: Outcome
    lines: Sequence[bytes]
    """Lines of its stdout."""

    @cached_property
    def records(self) -> tuple[Record, ...]:
        decoded = map(records.try_decode, self.lines)
        return tuple(record for record in decoded if record is not None)

    def of(self, kind: type[R]) -> list[R]:
        """The records of a kind."""
        return [record for record in self.records if isinstance(record, kind)]

    @property
    def launch(self) -> LaunchRecord | None:
        """The ranks' launch record; None if they failed before they wrote it."""
        return next(iter(self.of(LaunchRecord)), None)


def launch_once(
    mpi: Mpi,
    engine: Engine,
    case: Case,
    seconds: float,
    timeout_s: float,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    kept_lines: int = LAST_LINES,
) -> Attempt:
    """Makes one launch of a case, which measures for `seconds`. options: further ones of the
    engine. Raises KeyboardInterrupt if interrupted."""
    arguments = [*engine_arguments(case, Sampling(), seconds), *launch_arguments(0), *options]
    lines: list[bytes] = []
    with Interruption().watched() as interruption:
        start = start_of(mpi, engine, case, arguments, env)
        outcome = start.run(lines.extend, timeout_s, interruption, kept_lines)
    if outcome.interrupted:
        raise KeyboardInterrupt
    return Attempt(outcome, lines)


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
    return launch_once(mpi, engine, case, seconds, timeout_s, env=env)


def launch_s(mpi: Mpi, engine: Engine) -> float:
    """Wall time of a launch where variants are compared: it measures for as long as it takes to
    start, or for USUAL_S."""
    start_s = attempt(mpi, engine, TRIAL_S, TIMEOUT_S, place="none").outcome.wall_s
    return max(start_s + min(start_s, USUAL_S), SHORTEST_LAUNCH_S)

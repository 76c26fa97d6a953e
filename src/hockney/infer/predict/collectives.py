"""Predicts the time of collectives from the cost of point-to-point messages, by simulating the
schedule of an algorithm message by message."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.parameters import Machine, Parameters
from hockney.infer.predict.schedule import (
    MOST_RANKS,
    Algorithm,
    Schedule,
    bounded,
    step_effort,
)
from hockney.infer.predict.schedules import SCHEDULES
from hockney.infer.predict.simulation import simulate
from hockney.records import Place

LATE = 1e4
"""Delay of a late rank, in completion times, with which it starts after all others."""
LEAST_S = 1e-12
"""Seconds that any collective takes at least."""


def schedule_of(collective: str, name: str) -> Algorithm:
    """The schedule of that name."""
    known = SCHEDULES.find(collective).ALGORITHMS
    if name not in known:
        near = difflib.get_close_matches(name, known)
        raise UsageError(
            f"{collective}: there is no schedule of an algorithm {name!r}",
            f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}",
        )
    return known[name]


def schedule_for(
    collective: str, name: str, ranks: int, bytes: int, segment: int | None = None
) -> Schedule:
    """The messages of that schedule, step by step. Raises UsageError if they are too many, or if
    the algorithm needs other numbers of ranks."""
    messages_of = schedule_of(collective, name)
    if ranks > MOST_RANKS:
        raise UsageError(
            f"{ranks} ranks: schedules are simulated message by message, for at most {MOST_RANKS} "
            "ranks",
            "halo2d, halo3d, ring and alltoall can be predicted for more",
        )
    return bounded(messages_of(ranks, bytes, segment))


def time(
    parameters: Parameters,
    collective: str,
    algorithm: str,
    ranks: int,
    bytes: int,
    segment: int | None = None,
    root: int = 0,
    placement: Sequence[Place] | None = None,
) -> float:
    """Completion time: seconds from the common start until the last rank is done.

    bytes: of one rank's block for scatter, gather, allgather, alltoall and reduce_scatter_block,
    of the whole buffer for the others. segment: bytes; algorithms that do not segment ignore it.
    placement: the place of each rank; None for one rank per node.
    """
    if ranks < 1 or bytes < 0 or not 0 <= root < ranks:
        raise UsageError(
            f"{ranks} ranks, {bytes} bytes, root {root}",
            "give at least one rank, 0 bytes or more, and a root among the ranks",
        )
    schedule = schedule_for(collective, algorithm, ranks, bytes, segment)
    return float(simulate(Machine(parameters, ranks, placement, root), schedule).max())


def dependencies(
    parameters: Parameters, collective: str, algorithm: str, ranks: int, bytes: int, time_s: float
) -> Array:
    """Least time from rank i's start to rank j's end: [i, j], -inf where j does not depend on i.
    Ranks count from the root. time_s: the completion time, when all begin at once.

    Each row is from a simulation in which that rank starts so late that all others wait."""
    machine = Machine(parameters, ranks, None, 0)
    late_s = LATE * max(time_s, LEAST_S)
    rows = []
    for rank in range(ranks):
        begun = np.zeros(ranks)
        begun[rank] = late_s
        after = simulate(machine, schedule_for(collective, algorithm, ranks, bytes), begun) - late_s
        rows.append(np.where(after >= -0.5 * late_s, np.maximum(after, 0.0), -np.inf))
    return np.array(rows)


def effort(collective: str, algorithm: str, ranks: int, bytes: int) -> int:
    """Cost of simulating the schedule, in messages."""
    return sum(map(step_effort, schedule_for(collective, algorithm, ranks, bytes)))


def scheduled(point: PointEstimate) -> str:
    """The name of a point's schedule; empty if a radix or a limit of requests was set, as schedules
    have the libraries' defaults."""
    is_usual = point.radix is None and point.requests is None
    return point.algorithm or "" if is_usual else ""


def predicted_s(
    parameters: Parameters, point: PointEstimate, placement: Sequence[Place] | None
) -> float | None:
    """The predicted time of a measured point, in seconds; None for an algorithm without a schedule,
    such as the library's own decision."""
    name, segment = scheduled(point), point.segment_bytes or None
    if point.operation not in SCHEDULES.names() or point.groups is not None:
        return None
    if name not in SCHEDULES.find(point.operation).ALGORITHMS:
        return None
    how = (point.operation, name, point.known_ranks, point.bytes, segment)
    try:
        return time(parameters, *how, placement=placement)
    except UsageError:  # the algorithm needs other numbers of ranks
        return None

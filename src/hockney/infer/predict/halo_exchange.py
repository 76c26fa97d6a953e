"""Predicts halo exchanges, message by message, from the cost of one message."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.parameters import Machine, Parameters
from hockney.infer.predict.schedule import MOST_AT_ONCE, Ranks, Schedule, bounded, step
from hockney.infer.predict.simulation import simulate
from hockney.plan.workloads.halo import DIRECTIONS, NEIGHBORS
from hockney.records import Place

Offset = tuple[int, ...]
MOST_NEIGHBORS = max(DIRECTIONS.values())


def offsets(dimensions: int, neighbors: str) -> list[Offset]:
    """The directions of neighbours: those along one dimension first, each followed by its
    opposite."""
    reach = NEIGHBORS.index(neighbors) + 1
    every = list(itertools.product((-1, 0, 1), repeat=dimensions))
    first = [offset for offset in every if next((step for step in offset if step), 1) < 0]
    first.sort(key=_changed)
    near = [offset for offset in first if _changed(offset) <= reach]
    return [way for offset in near for way in (offset, tuple(-each for each in offset))]


def _changed(offset: Offset) -> int:
    return sum(each != 0 for each in offset)


def messages(grid: Sequence[int], offset: Offset, periodic: bool) -> tuple[Ranks, Ranks]:
    """Sources and destinations of the messages in one direction. Ranks count row by row."""
    sides = np.array(grid)
    at = np.stack(np.unravel_index(np.arange(sides.prod()), tuple(grid)), axis=1)
    moved = at + np.array(offset)
    beyond = (moved < 0) | (moved >= sides)
    exists = ~(beyond & ((sides == 1) | (not periodic))).any(axis=1)
    to = np.ravel_multi_index(tuple((moved % sides).T), tuple(grid))
    return np.flatnonzero(exists), np.asarray(to[exists], dtype=np.int64)


def halo_schedule(
    exchange: str, grid: Sequence[int], neighbors: str, periodic: bool, bytes_: int
) -> Schedule:
    """The schedule of a halo exchange: sendrecv has a step for each direction; all others post
    everything at once."""
    ways = [messages(grid, offset, periodic) for offset in offsets(len(grid), neighbors)]
    if exchange != "sendrecv":
        ways = [tuple(map(np.concatenate, zip(*ways, strict=True)))]  # type: ignore[list-item]
    for sources, destinations in ways:
        yield step(sources, destinations, bytes_, _no_blocks)


def _no_blocks(message: int) -> Iterable[int]:  # noqa: ARG001
    """No blocks: only its receiver uses what a message carries."""
    return ()


def predicted_halo_s(
    parameters: Parameters, point: PointEstimate, placement: Sequence[Place] | None
) -> float | None:
    """The predicted time of a measured exchange, in seconds; None if it is too large to simulate,
    or if a damaged file has a grid that does not fit its ranks."""
    ranks, sides = point.known_ranks, point.grid
    if point.exchange is None or point.neighbors not in NEIGHBORS or not 1 <= len(sides) <= 3:
        return None
    if math.prod(sides) != ranks or ranks * MOST_NEIGHBORS > MOST_AT_ONCE:
        return None
    schedule = halo_schedule(
        point.exchange, sides, point.neighbors, bool(point.periodic), point.bytes
    )
    machine = Machine(parameters, ranks, placement, 0)
    try:
        return float(simulate(machine, bounded(schedule)).max())
    except UsageError:
        return None

"""Barrier: messages of 0 bytes."""

from __future__ import annotations

import numpy as np

from hockney.infer.predict.schedule import Ranks, Schedule, Step, require, step
from hockney.infer.predict.schedules import allreduce, bcast, reduce


def _notify(sources: Ranks, destinations: Ranks) -> Step:
    return step(sources, destinations, 0.0, lambda _: ())


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """All ranks notify the root, then the root notifies all."""
    others = np.arange(1, ranks)
    yield _notify(others, np.zeros_like(others))
    yield _notify(np.zeros_like(others), others)


def double_ring(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """A message goes round the ring twice."""
    for hop in range(2 * ranks):
        yield _notify(np.array([hop % ranks]), np.array([(hop + 1) % ranks]))


def bruck(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Dissemination: in step k rank r notifies rank r + 2^k."""
    rank, distance = np.arange(ranks), 1
    while distance < ranks:
        yield _notify(rank, (rank + distance) % ranks)
        distance *= 2


def recursive_doubling(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    return allreduce.recursive_doubling(ranks, 0, None)


def tree(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Messages up a binomial tree and down again."""
    yield from reduce.binomial(ranks, 0, None)
    yield from bcast.binomial(ranks, 0, None)


def two_procs(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    require(ranks == 2, "two_procs is for two ranks", ranks)
    return bruck(ranks, bytes_, segment)


ALGORITHMS = {
    "basic_linear": linear,
    "double_ring": double_ring,
    "recursive_doubling": recursive_doubling,
    "bruck": bruck,
    "two_procs": two_procs,
    "tree": tree,
}

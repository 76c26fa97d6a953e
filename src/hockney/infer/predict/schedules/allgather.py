"""Allgather. Bytes are those of one rank's block; block r is rank r's."""

from __future__ import annotations

import numpy as np

from hockney.infer.predict.schedule import Schedule, phase, require, step
from hockney.infer.predict.schedules import _exchange as exchange
from hockney.infer.predict.schedules import _trees as trees


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Linear gather, then linear broadcast of everything."""
    yield from phase("gather", trees.collect(trees.flat(ranks), np.full(ranks, float(bytes_))))
    yield from phase("bcast", _to_others(ranks, bytes_))


def _to_others(ranks: int, bytes_: int) -> Schedule:
    others = np.arange(1, ranks)
    yield step(np.zeros_like(others), others, ranks * bytes_, lambda _: range(ranks))


def bruck(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    return exchange.bruck(ranks, np.full(ranks, float(bytes_)))


def recursive_doubling(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    return exchange.recursive_doubling(ranks, np.full(ranks, float(bytes_)))


def ring(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    return exchange.ring(ranks, np.full(ranks, float(bytes_)))


def neighbor(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    require(ranks % 2 == 0, "neighbor exchange is for an even number of ranks", ranks)
    return exchange.neighbour(ranks, np.full(ranks, float(bytes_)))


def two_procs(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    require(ranks == 2, "two_procs is for two ranks", ranks)
    return exchange.recursive_doubling(ranks, np.full(ranks, float(bytes_)))


ALGORITHMS = {
    "basic_linear": linear,
    "bruck": bruck,
    "recursive_doubling": recursive_doubling,
    "ring": ring,
    "neighbor": neighbor,
    "two_procs": two_procs,
}

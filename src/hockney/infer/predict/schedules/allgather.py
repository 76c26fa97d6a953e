"""Allgather. Bytes are those of one rank's block; block r is rank r's."""

from __future__ import annotations

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.predict.schedule import Schedule, of_equal_blocks, phase, require, step
from hockney.infer.predict.schedules import _exchange as exchange
from hockney.infer.predict.schedules import _trees as trees


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Linear gather, then linear broadcast of everything."""
    yield from phase("gather", trees.collect(trees.flat(ranks), np.full(ranks, float(bytes_))))
    yield from phase("bcast", _to_others(ranks, bytes_))


def _to_others(ranks: int, bytes_: int) -> Schedule:
    others = np.arange(1, ranks)
    yield step(np.zeros_like(others), others, ranks * bytes_, lambda _: range(ranks))


def neighbor(ranks: int, sizes: Array) -> Schedule:
    require(ranks % 2 == 0, "neighbor exchange is for an even number of ranks", ranks)
    return exchange.neighbour(ranks, sizes)


def two_procs(ranks: int, sizes: Array) -> Schedule:
    require(ranks == 2, "two_procs is for two ranks", ranks)
    return exchange.recursive_doubling(ranks, sizes)


ALGORITHMS = {
    "basic_linear": linear,
    "bruck": of_equal_blocks(exchange.bruck),
    "recursive_doubling": of_equal_blocks(exchange.recursive_doubling),
    "ring": of_equal_blocks(exchange.ring),
    "neighbor": of_equal_blocks(neighbor),
    "two_procs": of_equal_blocks(two_procs),
}

"""Broadcast. Block s is segment s, or the s-th of as many parts as there are ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.predict.schedule import Algorithm, Schedule, one_block, parts, phase, split, step
from hockney.infer.predict.schedules import _exchange as exchange
from hockney.infer.predict.schedules import _trees as trees


def _down(shape: Callable[[int], trees.Tree], in_turn: bool = False) -> Algorithm:
    return lambda ranks, bytes_, segment: trees.down(shape(ranks), split(bytes_, segment), in_turn)


linear = _down(trees.flat)
binomial = _down(trees.binomial, in_turn=True)


def split_binary(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    """One half goes down the odd side of the binary tree, the other down the even side; then odd
    and even neighbours exchange them."""
    halves = [split(int(half), segment) for half in parts(bytes_, 2)]
    yield from phase("tree", _down_both_sides(ranks, halves))
    yield from phase("swap", _swap_halves(ranks, halves))


def _down_both_sides(ranks: int, halves: list[Array]) -> Schedule:
    shape = trees.binary(ranks)
    side = 1 - shape.children % 2
    begins, lengths = np.array([0, len(halves[0])]), np.array([len(half) for half in halves])
    sizes, first = np.concatenate(halves), shape.depth[shape.parents]
    for time in range(int(first.max(initial=-1)) + max(lengths)):
        due = (time >= first) & (time < first + lengths[side])
        carried = (begins[side] + time - first)[due]
        yield step(
            shape.parents[due], shape.children[due], sizes[carried], partial(one_block, carried)
        )


def _swap_halves(ranks: int, halves: list[Array]) -> Schedule:
    """Ranks 1 and 2, 3 and 4 ... exchange halves; the last odd rank without a neighbour asks the
    root."""
    odd = np.arange(1, ranks, 2)
    neighbour = np.where(odd + 1 < ranks, odd + 1, 0)
    back = neighbour > 0
    sources = np.concatenate([odd[back], neighbour])
    destinations = np.concatenate([neighbour[back], odd])
    wholes = np.array([half.sum() for half in halves])
    half = np.concatenate([np.zeros(int(back.sum()), int), np.ones(len(odd), int)])
    blocks = (range(len(halves[0])), range(len(halves[0]), len(halves[0]) + len(halves[1])))
    yield step(sources, destinations, wholes[half], lambda message: blocks[half[message]])


def scatter_allgather(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Binomial scatter, then allgather by recursive doubling (van de Geijn; Thakur et al. 2005)."""
    sizes = parts(bytes_, ranks)
    yield from phase("scatter", trees.spread(trees.binomial(ranks), sizes))
    yield from phase("allgather", exchange.recursive_doubling(ranks, sizes))


def scatter_allgather_ring(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Binomial scatter, then allgather round a ring."""
    sizes = parts(bytes_, ranks)
    yield from phase("scatter", trees.spread(trees.binomial(ranks), sizes))
    yield from phase("allgather", exchange.ring(ranks, sizes))


ALGORITHMS = {
    "basic_linear": linear,
    "chain": _down(partial(trees.chain, fanout=trees.CHAIN_FANOUT)),
    "pipeline": _down(trees.chain),
    "split_binary": split_binary,
    "binary": _down(trees.binary),
    "binomial": binomial,
    "knomial": _down(trees.knomial),
    "scatter_allgather": scatter_allgather,
    "scatter_allgather_ring": scatter_allgather_ring,
}

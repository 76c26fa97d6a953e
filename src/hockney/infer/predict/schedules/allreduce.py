"""Allreduce. Block s is the s-th part of the data: segments, or one for each rank or corner."""

from __future__ import annotations

from functools import partial

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.predict.schedule import (
    Ranks,
    Schedule,
    one_block,
    parts,
    phase,
    power_below,
    split,
    step,
)
from hockney.infer.predict.schedules import _exchange as exchange
from hockney.infer.predict.schedules import bcast, reduce


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    """Linear reduce, then linear broadcast."""
    yield from phase("reduce", reduce.linear(ranks, bytes_, segment))
    yield from phase("bcast", bcast.linear(ranks, bytes_, segment))


def nonoverlapping(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    """Reduce, then broadcast, both binomial; a library may choose others."""
    yield from phase("reduce", reduce.binomial(ranks, bytes_, segment))
    yield from phase("bcast", bcast.binomial(ranks, bytes_, segment))


def recursive_doubling(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Neighbours of a hypercube exchange and add up all data."""
    whole = np.array([float(bytes_)])
    yield from phase("fold", exchange.fold(ranks, whole))
    yield from phase("exchange", _exchanges(ranks, bytes_))
    yield from phase("unfold", exchange.unfold(ranks, whole))


def _exchanges(ranks: int, bytes_: int) -> Schedule:
    cube = exchange.hypercube(ranks)
    for bit in range(len(cube).bit_length() - 1):
        other = cube[np.arange(len(cube)) ^ (1 << bit)]
        yield step(cube, other, bytes_, lambda _: (0,), reduces=True)


def ring(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Reduce-scatter round the ring, then allgather round it."""
    sizes = parts(bytes_, ranks)
    yield from phase("reduce-scatter", exchange.ring(ranks, sizes, reduces=True))
    yield from phase("allgather", exchange.ring(ranks, sizes, shift=1))


def segmented_ring(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    """The reduce-scatter in several rounds, so that no message of it is above the segment size;
    the allgather in one. Block of part p in round k: p rounds + k."""
    sizes = parts(bytes_, ranks)
    rounds = len(split(int(sizes[0]), segment))
    yield from phase("reduce-scatter", _in_rounds(ranks, sizes, rounds))
    yield from phase("allgather", _whole_parts(ranks, sizes, rounds))


def _in_rounds(ranks: int, sizes: Array, rounds: int) -> Schedule:
    portions = np.array([parts(int(size), rounds) for size in sizes])
    rank = np.arange(ranks)
    for number in range(rounds):
        for turn in range(ranks - 1):
            block = (rank - turn) % ranks
            carried = partial(one_block, block * rounds + number)
            sent = portions[block, number]
            yield step(rank, (rank + 1) % ranks, sent, carried, reduces=True)


def _whole_parts(ranks: int, sizes: Array, rounds: int) -> Schedule:
    rank = np.arange(ranks)
    for turn in range(ranks - 1):
        block = (rank + 1 - turn) % ranks
        every = partial(_all_rounds, rounds, block)
        yield step(rank, (rank + 1) % ranks, sizes[block], every)


def _all_rounds(rounds: int, block: Ranks, message: int) -> range:
    return range(int(block[message]) * rounds, (int(block[message]) + 1) * rounds)


def rabenseifner(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Reduce-scatter by halving, then allgather by doubling (Rabenseifner 2004)."""
    sizes = parts(bytes_, power_below(ranks))
    yield from phase("fold", exchange.fold(ranks, sizes))
    yield from phase("reduce-scatter", exchange.halving(ranks, sizes))
    yield from phase("allgather", exchange.doubling(ranks, sizes))
    yield from phase("unfold", exchange.unfold(ranks, sizes))


ALGORITHMS = {
    "basic_linear": linear,
    "nonoverlapping": nonoverlapping,
    "recursive_doubling": recursive_doubling,
    "ring": ring,
    "segmented_ring": segmented_ring,
    "rabenseifner": rabenseifner,
}

"""Reduce-scatter of equal blocks. Bytes are those of one block; rank r gets the sum of block r."""

from __future__ import annotations

from functools import partial

import numpy as np

from hockney.infer.predict.schedule import (
    Schedule,
    of_equal_blocks,
    one_block,
    power_below,
    ranges,
    step,
    sums_of,
)
from hockney.infer.predict.schedules import _exchange as exchange
from hockney.infer.predict.schedules import _trees as trees


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Linear reduce of everything, then linear scatter."""
    sizes = np.full(ranks, float(bytes_))
    others = np.arange(1, ranks)
    yield step(
        others,
        np.zeros_like(others),
        sizes.sum(),
        lambda _: range(ranks),
        in_turn=True,
        reduces=True,
    )
    yield from trees.spread(trees.flat(ranks), sizes)


def pairwise(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """In step k every rank sends rank r + k its block."""
    rank = np.arange(ranks)
    for distance in range(1, ranks):
        to = (rank + distance) % ranks
        yield step(rank, to, bytes_, partial(one_block, to), reduces=True)


def recursive_halving(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Distant neighbours of a hypercube exchange first, so that each keeps adjacent blocks."""
    sizes = np.full(ranks, float(bytes_))
    yield from exchange.fold(ranks, sizes)
    cube, total = exchange.hypercube(ranks), sums_of(sizes)
    ends = np.concatenate([cube, [ranks]])
    distance = len(cube) // 2
    while distance:
        other = np.arange(len(cube)) ^ distance
        kept = other & ~(distance - 1)
        yield ranges(cube, cube[other], ends[kept], ends[kept + distance], total, reduces=True)
        distance //= 2
    even = 2 * np.arange(ranks - power_below(ranks))
    yield step(even, even + 1, bytes_, partial(one_block, even + 1))


ALGORITHMS = {
    "basic_linear": linear,
    "pairwise": pairwise,
    "ring": of_equal_blocks(partial(exchange.ring, reduces=True, shift=-1)),
    "recursive_halving": recursive_halving,
}

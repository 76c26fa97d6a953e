"""Patterns in which every rank sends and receives in every step: rings and hypercubes.

Block r is that of rank r; sizes: bytes of each block, shape (ranks,).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.predict.schedule import (
    Ranks,
    Schedule,
    circular_sums,
    one_block,
    power_below,
    ranges,
    step,
    sums_of,
)


def ring(ranks: int, sizes: Array, reduces: bool = False, shift: int = 0) -> Schedule:
    """ranks - 1 steps; in step k rank r sends block r + shift - k to its right neighbour. As an
    allgather it begins with the own block; reducing, rank r ends with the sum of block r + 1."""
    rank = np.arange(ranks)
    right = (rank + 1) % ranks
    for turn in range(ranks - 1):
        block = (rank + shift - turn) % ranks
        yield step(rank, right, sizes[block], partial(one_block, block), reduces=reduces)


def bruck(ranks: int, sizes: Array) -> Schedule:
    """Allgather in ceil(log2 ranks) steps: rank r sends all that it has, blocks r, r + 1 ..., to
    rank r - 2^k (Bruck et al. 1997)."""
    rank, distance = np.arange(ranks), 1
    while distance < ranks:
        count = min(distance, ranks - distance)
        yield step(
            rank,
            (rank - distance) % ranks,
            circular_sums(sizes, rank, count),
            partial(_round_the_end, ranks, rank, count),
        )
        distance *= 2


def neighbour(ranks: int, sizes: Array) -> Schedule:
    """Allgather in ranks / 2 steps, for an even number: neighbours on alternating sides exchange
    the two blocks that came last (Chen et al. 2005)."""
    rank = np.arange(ranks)
    partner = rank ^ 1
    yield step(rank, partner, sizes, partial(one_block, rank))
    pair = rank // 2
    for turn in range(1, ranks // 2):
        towards = 1 if turn % 2 == 0 else -1
        partner = (rank + np.where(rank % 2 == 0, towards, -towards)) % ranks
        yield step(rank, partner, sizes[2 * pair] + sizes[2 * pair + 1], partial(_pair, pair))
        pair = pair[partner]


def recursive_doubling(ranks: int, sizes: Array) -> Schedule:
    """Allgather in which ranks r and r xor 2^k exchange all that their groups of 2^k have. If the
    other group is incomplete, ranks without a partner get its blocks from the rest of their own
    group, by halves (as in MPICH)."""
    total = sums_of(sizes)
    rank, mask = np.arange(ranks), 1
    while mask < ranks:
        has = rank[(rank ^ mask) < ranks]
        first = has & ~(mask - 1)
        yield ranges(has, has ^ mask, first, np.minimum(first + mask, ranks), total)
        yield from _complete(ranks, mask, total)
        mask *= 2


def _complete(ranks: int, mask: int, total: Array) -> Schedule:
    """Within the last complete group of `mask` ranks, sends the blocks of the incomplete group
    after it to the ranks that had no partner."""
    group = (ranks - 1) // (2 * mask) * 2 * mask
    there = ranks - group - mask
    if not 0 < there < mask:
        return
    offset, half = np.arange(mask), mask // 2
    while half:
        base = offset & ~(2 * half - 1)
        sends = ((offset ^ half) > offset) & (offset < base + there)
        sends &= (offset ^ half) >= base + there
        sources = group + offset[sends]
        first = np.full(len(sources), group + mask)
        yield ranges(
            sources, group + (offset[sends] ^ half), first, np.full(len(sources), ranks), total
        )
        half //= 2


def fold(ranks: int, segments: Array) -> Schedule:
    """Steps before a hypercube of the largest power of two: of the first 2 (ranks - power) ranks
    the odd ones send their data to the even ones and drop out."""
    even = 2 * np.arange(ranks - power_below(ranks))
    yield step(even + 1, even, segments.sum(), lambda _: range(len(segments)), reduces=True)


def unfold(ranks: int, segments: Array) -> Schedule:
    """Sends the result to the ranks that dropped out."""
    even = 2 * np.arange(ranks - power_below(ranks))
    yield step(even, even + 1, segments.sum(), lambda _: range(len(segments)))


def hypercube(ranks: int) -> Ranks:
    """The ranks left after `fold`, in order; shape (power,)."""
    power = power_below(ranks)
    number = np.arange(power)
    return np.where(number < ranks - power, 2 * number, number + ranks - power)


def halving(ranks: int, sizes: Array) -> Schedule:
    """Reduce-scatter on a hypercube: neighbours split their common blocks in halves and each
    reduces one; sizes: one block for each rank of the cube (Rabenseifner 2004)."""
    cube = hypercube(ranks)
    total = sums_of(sizes)
    for bit in range(len(cube).bit_length() - 1):
        other = np.arange(len(cube)) ^ (1 << bit)
        first, count = _range(len(cube), bit + 1)
        yield ranges(cube, cube[other], first[other], first[other] + count, total, reduces=True)


def doubling(ranks: int, sizes: Array) -> Schedule:
    """Allgather: the reverse of `halving`."""
    cube = hypercube(ranks)
    total = sums_of(sizes)
    for bit in reversed(range(len(cube).bit_length() - 1)):
        first, count = _range(len(cube), bit + 1)
        yield ranges(cube, cube[np.arange(len(cube)) ^ (1 << bit)], first, first + count, total)


def gathering(ranks: int, sizes: Array) -> Schedule:
    """Gather to the root: the reverse of `halving`, towards rank 0 only."""
    cube = hypercube(ranks)
    total = sums_of(sizes)
    for bit in reversed(range(len(cube).bit_length() - 1)):
        number = np.arange(1 << bit, 2 << bit)
        first, count = _range(len(cube), bit + 1)
        yield ranges(
            cube[number], cube[number ^ (1 << bit)], first[number], first[number] + count, total
        )


def _range(cube: int, bits: int) -> tuple[Ranks, int]:
    """The first block and the number of blocks of each rank after so many halvings: a rank with the
    bit set keeps the upper half."""
    number, first = np.arange(cube), np.zeros(cube, dtype=np.int64)
    for bit in range(bits):
        first += ((number >> bit) & 1) * (cube >> (bit + 1))
    return first, cube >> bits


def _pair(pair: Ranks, message: int) -> Iterable[int]:
    return (2 * int(pair[message]), 2 * int(pair[message]) + 1)


def _round_the_end(ranks: int, first: Ranks, count: int, message: int) -> Iterable[int]:
    return ((int(first[message]) + block) % ranks for block in range(count))

"""Optimal partitions of sizes into segments, by dynamic programming over the cost of each run."""

from __future__ import annotations

import numpy as np

from hockney.infer.arrays import Array, Flags, Indices

LEAST_SIZES = 3
"""Least sizes of a segment: a line fits any two sizes exactly."""
MOST_SEGMENTS = 12
"""Most segments; SimGrid's fit of a real MPI has 9."""


def runs(per_block: Array) -> Array:
    """Sums over every run of blocks, (..., blocks) to (..., first, last); 0 where last < first.

    Each row is summed from its own first block on: differences of one cumulative sum would lose the
    large sizes, whose weights 1/T^2 are the smallest, to rounding.
    """
    blocks = per_block.shape[-1]
    upper = np.triu(np.ones((blocks, blocks)))
    return np.asarray(np.cumsum(upper * per_block[..., None, :], axis=-1))


def best_partitions(cost: Array, most: int) -> list[list[int]]:
    """The cheapest partition into 1, 2, ... at most `most` segments, if possible: each as the
    blocks at which the second and later segments start.

    cost: (first, last) of a segment of blocks first to last, infinite where none is allowed.
    """
    cheapest, started = [cost[0]], [np.zeros(len(cost), dtype=np.intp)]
    for _ in range(1, most):
        totals = cheapest[-1][:-1, None] + cost[1:]
        started.append(totals.argmin(axis=0) + 1)
        cheapest.append(totals.min(axis=0))
    partitions = []
    for segments in range(most):
        if not np.isfinite(cheapest[segments][-1]):
            continue
        starts: list[int] = []
        last = len(cost) - 1
        for step in range(segments, 0, -1):
            starts.insert(0, int(started[step][last]))
            last = starts[0] - 1
        partitions.append(starts)
    return partitions


def first_of_size(bytes_: Array) -> Flags:
    """True for each point that is the first of its size. bytes_: ascending."""
    return np.concatenate(([True], np.diff(bytes_) > 0.0))


def blocks_of(bytes_: Array, most: int) -> tuple[Indices, Array]:
    """The first point of each block, and the number of different sizes in each: a block is one
    size, or neighbouring ones if there are more than `most` sizes. bytes_: ascending."""
    new = first_of_size(bytes_)
    number = np.cumsum(new) - 1
    sizes = int(number[-1]) + 1
    block = number * most // sizes if sizes > most else number
    starts = np.flatnonzero(np.concatenate(([True], np.diff(block) > 0)))
    return starts, np.add.reduceat(new.astype(np.float64), starts)

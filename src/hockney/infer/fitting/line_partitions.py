"""The best partitions of sizes into segments with a line each, for given weights of points."""

from __future__ import annotations

import numpy as np

from hockney.infer.arrays import Array, Flags, Indices
from hockney.infer.fitting.line import bounded_line
from hockney.infer.fitting.partition import (
    LEAST_SIZES,
    MOST_SEGMENTS,
    best_partitions,
    blocks_of,
    first_of_size,
    runs,
)

MOST_BLOCKS = 160
"""Most blocks in the dynamic programming; more sizes are grouped with neighbours, and each
breakpoint is then moved to the best size near it."""


def line_partitions(bytes_: Array, seconds: Array, weight: Array) -> list[list[int]]:
    """The best partition into 1, 2, ... segments, as many as possible: each as the points at which
    the second and later segments start.

    The best is that of least squares of relative residuals, alpha and beta not below 0.
    bytes_ (ascending), seconds, weight: shape (points,).
    """
    first, sizes = blocks_of(bytes_, MOST_BLOCKS)
    moments = _moments(bytes_, seconds, weight)
    most = min(MOST_SEGMENTS, int(sizes.sum()) // LEAST_SIZES)
    partitions = _of_blocks(first, sizes, moments, most)
    if sizes.max() == 1.0:
        return partitions
    new, reach = first_of_size(bytes_), int(np.diff(np.append(first, len(bytes_))).max())
    return _pruned(
        [_moved(starts, new, moments, reach) for starts in partitions], new, moments, reach
    )


def line_partition_near(
    bytes_: Array, seconds: Array, weight: Array, starts: list[int]
) -> list[int]:
    """The best partition into as many segments as `starts` has: anywhere, or near these if there
    are too many sizes."""
    first, sizes = blocks_of(bytes_, MOST_BLOCKS)
    moments = _moments(bytes_, seconds, weight)
    if sizes.max() == 1.0:
        return _of_blocks(first, sizes, moments, len(starts) + 1)[-1]
    reach = int(np.diff(np.append(first, len(bytes_))).max())
    return _moved(starts, first_of_size(bytes_), moments, reach)


def _of_blocks(first: Indices, sizes: Array, moments: Array, most: int) -> list[list[int]]:
    sums = runs(np.vstack((sizes, np.add.reduceat(moments, first, axis=1))))
    cost = np.where(sums[0] >= LEAST_SIZES, _least_squares(sums[1:]), np.inf)
    return [[int(first[block]) for block in starts] for starts in best_partitions(cost, most)]


def _moments(bytes_: Array, seconds: Array, weight: Array) -> Array:
    """Terms of each point for least squares of w (1 - alpha / T - beta b / T)^2, shape (6,
    points)."""
    u, v = 1.0 / seconds, bytes_ / seconds
    return np.asarray(weight * np.array([np.ones_like(u), u, v, u * u, u * v, v * v]))


def _least_squares(moments: Array) -> Array:
    """The least sum of squares with alpha and beta not below 0; moments: (6, ...)."""
    weight, u, v, uu, uv, vv = moments
    alpha, beta = bounded_line(u, v, uu, uv, vv)
    squares = weight - 2.0 * (alpha * u + beta * v)
    squares += alpha * (alpha * uu + 2.0 * beta * uv) + beta**2 * vv
    return np.asarray(np.maximum(squares, 0.0))


def _pruned(partitions: list[list[int]], new: Flags, moments: Array, reach: int) -> list[list[int]]:
    """For each number of segments the better of its partition and the next one's without its
    least useful breakpoint: where blocks were too coarse, the dynamic programming spends
    breakpoints on the edges of a block."""
    pruned = partitions[-1:]
    for starts in partitions[-2::-1]:
        candidates = [[*pruned[0][:i], *pruned[0][i + 1 :]] for i in range(len(starts) + 1)]
        fewer = min(candidates, key=lambda candidate: _cost(candidate, moments))
        moved = _moved(fewer, new, moments, reach)
        pruned.insert(0, min(starts, moved, key=lambda candidate: _cost(candidate, moments)))
    return pruned


def _cost(starts: list[int], moments: Array) -> float:
    return float(_least_squares(np.add.reduceat(moments, [0, *starts], axis=1)).sum())


def _moved(starts: list[int], new: Flags, moments: Array, reach: int) -> list[int]:
    """Each breakpoint moved to the best size within `reach` points; twice, as one that moves
    affects its neighbours."""
    bounds = [0, *starts, len(new)]
    for _ in range(2):
        for i in range(1, len(bounds) - 1):
            begin, end = bounds[i - 1], bounds[i + 1]
            split = np.arange(begin + 1, end)
            cost = _split_cost(new[begin:end], moments[:, begin:end])
            cost[np.abs(split - bounds[i]) > reach] = np.inf
            if np.isfinite(cost).any():
                bounds[i] = int(split[cost.argmin()])
    return bounds[1:-1]


def _split_cost(new: Flags, moments: Array) -> Array:
    """Cost of two segments that meet between each point and the next, shape (points - 1,); infinite
    where they cannot meet."""
    sizes = np.cumsum(new)[:-1]
    left = np.cumsum(moments, axis=1)[:, :-1]
    right = np.cumsum(moments[:, ::-1], axis=1)[:, -2::-1]
    allowed = new[1:] & (sizes >= LEAST_SIZES) & (new.sum() - sizes >= LEAST_SIZES)
    return np.asarray(np.where(allowed, _least_squares(left) + _least_squares(right), np.inf))

"""Least squares of one protocol's max-rate curve, exactly: T = alpha + n max(a, k b).

a = 1/R_C and b = 1/R_N are seconds a byte, k pairs at once, n bytes, and the crossing a / b, at
which the node is full, is at least 1. Between two numbers of pairs the crossing makes no difference
to which term is the larger, so there the curve is linear in alpha, a and b; with the crossing at a
number of pairs it is linear in alpha and b. The best of those few problems is the best curve, and
each needs only six sums over the points of each number of pairs.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from hockney.infer.arrays import Array, Indices


def point_moments(bytes_: Array, target: Array, weight: Array) -> Array:
    """The terms of the sums for each point, shape (6, rows, points); target, weight: (rows,
    points)."""
    return np.array(
        [
            weight,
            weight * bytes_,
            weight * bytes_**2,
            weight * target,
            weight * bytes_ * target,
            weight * target**2,
        ]
    )


def best_curve(moments: Array, numbers: Array, crossings: Indices) -> tuple[Array, Array]:
    """alpha, a and b, shape (..., 3), not below 0, and their weighted squares, shape (...,).

    moments: sums over the points of each number of pairs, shape (6, ..., numbers); crossings:
    indices at and just after which the number of pairs that fills the node is searched; the last
    one stands for none.
    """
    at, at_squares = _at(moments, numbers, crossings)
    between, between_squares = _between(moments, numbers, crossings[crossings < len(numbers) - 1])
    solutions = np.concatenate((at, between), axis=-2)
    squares = np.concatenate((at_squares, between_squares), axis=-1)
    best = squares.argmin(axis=-1)[..., None]
    return (
        np.take_along_axis(solutions, best[..., None], axis=-2)[..., 0, :],
        np.take_along_axis(squares, best, axis=-1)[..., 0],
    )


def _sums(moments: Array, numbers: Array, crossings: Indices) -> list[Array]:
    """Sums of w, n, n^2 up to each crossing, k n, k^2 n^2 beyond it, and the same with the target:
    each of shape (..., crossings)."""
    weight, x, xx, y, xy, _ = moments

    def low(values: Array) -> Array:
        return np.asarray(np.cumsum(values, axis=-1)[..., crossings])

    def high(values: Array) -> Array:
        from_the_end = np.cumsum(values[..., ::-1], axis=-1)[..., ::-1]
        nothing = np.zeros((*values.shape[:-1], 1))
        return np.asarray(np.concatenate((from_the_end[..., 1:], nothing), axis=-1)[..., crossings])

    everywhere = np.ones(len(crossings))
    return [
        weight.sum(axis=-1)[..., None] * everywhere,
        low(x),
        low(xx),
        high(x * numbers),
        high(xx * numbers**2),
        y.sum(axis=-1)[..., None] * everywhere,
        low(xy),
        high(xy * numbers),
    ]


def _at(moments: Array, numbers: Array, crossings: Indices) -> tuple[Array, Array]:
    """Curves of a node that is full from that number of pairs on: a = number b."""
    w, x, xx, kx, kkxx, y, xy, kxy = _sums(moments, numbers, crossings)
    number = numbers[crossings]
    cross = number * x + kx
    gram = _matrix([[w, cross], [cross, number**2 * xx + kkxx]])
    solutions, explained = nonnegative(gram, np.stack((y, number * xy + kxy), axis=-1))
    alpha, b = solutions[..., 0], solutions[..., 1]
    total = moments[-1].sum(axis=-1)[..., None]
    return np.stack((alpha, number * b, b), axis=-1), total - explained


def _between(moments: Array, numbers: Array, crossings: Indices) -> tuple[Array, Array]:
    """Curves of a node that is full from between that number of pairs and the next on; infinite
    squares where a / b comes out elsewhere."""
    w, x, xx, kx, kkxx, y, xy, kxy = _sums(moments, numbers, crossings)
    none = np.zeros_like(x)
    gram = _matrix([[w, x, kx], [x, xx, none], [kx, none, kkxx]])
    solutions, explained = nonnegative(gram, np.stack((y, xy, kxy), axis=-1))
    a, b = solutions[..., 1], solutions[..., 2]
    inside = (a >= numbers[crossings] * b) & (a <= numbers[crossings + 1] * b)
    total = moments[-1].sum(axis=-1)[..., None]
    return solutions, np.where(inside, total - explained, np.inf)


def _matrix(rows: list[list[Array]]) -> Array:
    """Matrices of shape (..., crossings, columns, columns), from entries of shape (...,
    crossings)."""
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def nonnegative(gram: Array, moments: Array) -> tuple[Array, Array]:
    """The least squares x >= 0 of x G x - 2 x m, and the squares that they explain (x m). Tries
    every set of numbers above 0, which for three of them is quicker than to be clever.

    gram: (..., columns, columns); moments: (..., columns).
    """
    columns = gram.shape[-1]
    size = np.sqrt(np.einsum("...ii->...i", gram))
    size = np.where(size > 0.0, size, 1.0)
    scaled = gram / (size[..., :, None] * size[..., None, :])
    wanted = moments / size
    best, explained = np.zeros_like(moments), np.zeros(moments.shape[:-1])
    for count in range(1, columns + 1):
        for chosen in map(list, combinations(range(columns), count)):
            # A single size makes columns proportional: a tiny ridge separates them.
            some = scaled[..., chosen, :][..., :, chosen] + 1e-14 * np.eye(count)
            x = np.linalg.solve(some, wanted[..., chosen, None])[..., 0]
            worth = (x * wanted[..., chosen]).sum(axis=-1)
            better = (x >= 0.0).all(axis=-1) & (worth > explained)
            explained = np.where(better, worth, explained)
            whole = np.zeros_like(best)
            whole[..., chosen] = x
            best = np.where(better[..., None], whole, best)
    return best / size, explained

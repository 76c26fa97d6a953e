"""The textbook's formulas: what the walk through the messages is checked against.

Thakur, Rabenseifner & Gropp 2005 and Pjesivac-Grbovic 2007, without the cost of reducing. They hold
where all pairs of ranks are alike, every message is waited for, parts are of equal size and trees
are full (8, 64 or 1,024 ranks; 7 or 63 for the binary tree, 4 or 64 for the k-nomial one).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hockney.infer.predict.parameters import Level
from hockney.infer.predict.schedules._trees import CHAIN_FANOUT, KNOMIAL_RADIX

Closed = Callable[[Level, int, int, int | None], float]
"""A time (s) by the level's alpha and beta, the ranks, the bytes and the segment size."""


def _steps(ranks: int) -> int:
    return math.ceil(math.log2(ranks))


def _message(level: Level, bytes_: float) -> float:
    return level.alpha_s + level.beta_s_per_B * bytes_


def _segments(bytes_: int, segment: int | None) -> tuple[int, float]:
    """Their number and size."""
    count = math.ceil(bytes_ / segment) if segment and bytes_ else 1
    return count, bytes_ / count


def linear(level: Level, p: int, m: int, _: int | None) -> float:
    """Posted together, through one port."""
    return level.alpha_s + (p - 1) * level.beta_s_per_B * m


def linear_in_turn(level: Level, p: int, m: int, _: int | None) -> float:
    return (p - 1) * _message(level, m)


def chain(level: Level, p: int, m: int, segment: int | None) -> float:
    count, size = _segments(m, segment)
    fanout = min(CHAIN_FANOUT, p - 1)
    length = math.ceil((p - 1) / fanout)
    return count * _message(level, fanout * size) + (length - 1) * _message(level, size)


def pipeline(level: Level, p: int, m: int, segment: int | None) -> float:
    count, size = _segments(m, segment)
    return (p + count - 2) * _message(level, size)


def binary(level: Level, p: int, m: int, segment: int | None) -> float:
    count, size = _segments(m, segment)
    return (math.ceil(math.log2(p + 1)) + count - 2) * _message(level, 2.0 * size)


def binomial(level: Level, p: int, m: int, segment: int | None) -> float:
    count, size = _segments(m, segment)
    return count * _steps(p) * _message(level, size)


def knomial(level: Level, p: int, m: int, _: int | None) -> float:
    depth = math.ceil(math.log(p, KNOMIAL_RADIX))
    return depth * _message(level, (KNOMIAL_RADIX - 1) * m)


def scatter_allgather(level: Level, p: int, m: int, _: int | None) -> float:
    return 2 * _steps(p) * level.alpha_s + 2 * (p - 1) / p * level.beta_s_per_B * m


def scatter_allgather_ring(level: Level, p: int, m: int, _: int | None) -> float:
    alphas = _steps(p) + p - 1
    return alphas * level.alpha_s + 2 * (p - 1) / p * level.beta_s_per_B * m


def scatter_binomial(level: Level, p: int, m: int, _: int | None) -> float:
    return _steps(p) * level.alpha_s + (p - 1) * level.beta_s_per_B * m


def allreduce_ring(level: Level, p: int, m: int, _: int | None) -> float:
    return 2 * (p - 1) * _message(level, m / p)


def ring(level: Level, p: int, m: int, _: int | None) -> float:
    return (p - 1) * _message(level, m)


def alltoall_bruck(level: Level, p: int, m: int, _: int | None) -> float:
    return _steps(p) * _message(level, m * p / 2)


def double_ring(level: Level, p: int, *_: int | None) -> float:
    return 2 * p * level.alpha_s


def dissemination(level: Level, p: int, *_: int | None) -> float:
    return _steps(p) * level.alpha_s


def logarithmic(level: Level, p: int, m: int, _: int | None) -> float:
    return _steps(p) * _message(level, m)


FORMULAS: dict[tuple[str, str], Closed] = {
    ("bcast", "basic_linear"): linear,
    ("bcast", "chain"): chain,
    ("bcast", "pipeline"): pipeline,
    ("bcast", "binary"): binary,
    ("bcast", "binomial"): binomial,
    ("bcast", "knomial"): knomial,
    ("bcast", "scatter_allgather"): scatter_allgather,
    ("bcast", "scatter_allgather_ring"): scatter_allgather_ring,
    ("scatter", "basic_linear"): linear_in_turn,
    ("scatter", "linear_nb"): linear,
    ("scatter", "binomial"): scatter_binomial,
    ("gather", "basic_linear"): linear_in_turn,
    ("gather", "binomial"): scatter_binomial,
    ("reduce", "basic_linear"): linear_in_turn,
    ("reduce", "pipeline"): pipeline,
    ("reduce", "binomial"): logarithmic,
    ("reduce", "rabenseifner"): scatter_allgather,
    ("allreduce", "recursive_doubling"): logarithmic,
    ("allreduce", "ring"): allreduce_ring,
    ("allreduce", "rabenseifner"): scatter_allgather,
    ("allgather", "ring"): ring,
    ("allgather", "bruck"): scatter_binomial,
    ("allgather", "recursive_doubling"): scatter_binomial,
    ("alltoall", "pairwise"): ring,
    ("alltoall", "bruck"): alltoall_bruck,
    ("barrier", "double_ring"): double_ring,
    ("barrier", "bruck"): dissemination,
    ("barrier", "recursive_doubling"): dissemination,
    ("reduce_scatter_block", "pairwise"): ring,
    ("reduce_scatter_block", "ring"): ring,
    ("scan", "basic_linear"): ring,
    ("scan", "recursive_doubling"): logarithmic,
}

"""Inclusive scan. A message carries its sender's sum of the ranks up to itself, or, with recursive
doubling, of its group."""

from __future__ import annotations

import numpy as np

from hockney.infer.predict.schedule import Schedule, step


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Each rank sends its sum to the next."""
    for rank in range(ranks - 1):
        yield step([rank], [rank + 1], bytes_, lambda _: (0,), reduces=True)


def recursive_doubling(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Ranks r and r xor 2^k exchange the sums of their groups; only sums of lower ranks count for
    the result."""
    rank, mask = np.arange(ranks), 1
    while mask < ranks:
        has = rank[(rank ^ mask) < ranks]
        yield step(has, has ^ mask, bytes_, lambda _: (0,), reduces=True)
        mask *= 2


ALGORITHMS = {"basic_linear": linear, "recursive_doubling": recursive_doubling}

"""Scatter. Bytes are those of one rank's block; block r is rank r's."""

from __future__ import annotations

import numpy as np

from hockney.infer.predict.schedule import Schedule
from hockney.infer.predict.schedules import _trees as trees


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """The root waits for each of its messages."""
    return trees.spread(trees.flat(ranks), np.full(ranks, float(bytes_)))


def linear_nb(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """The root posts all its messages at once."""
    return trees.spread(trees.flat(ranks), np.full(ranks, float(bytes_)), in_turn=False)


def binomial(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    return trees.spread(trees.binomial(ranks), np.full(ranks, float(bytes_)))


ALGORITHMS = {"basic_linear": linear, "linear_nb": linear_nb, "binomial": binomial}

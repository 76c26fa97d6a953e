"""Gather. Bytes are those of one rank's block; block r is rank r's."""

from __future__ import annotations

import numpy as np

from hockney.infer.predict.schedule import Schedule
from hockney.infer.predict.schedules import _trees as trees


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """The root receives from one rank after the other."""
    return trees.collect(trees.flat(ranks), np.full(ranks, float(bytes_)))


def binomial(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    return trees.collect(trees.binomial(ranks), np.full(ranks, float(bytes_)))


ALGORITHMS = {"basic_linear": linear, "binomial": binomial}

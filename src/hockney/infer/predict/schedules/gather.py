"""Gather. Bytes are those of one rank's block; block r is rank r's."""

from __future__ import annotations

from hockney.infer.predict.schedule import of_equal_blocks
from hockney.infer.predict.schedules import _trees as trees

ALGORITHMS = {
    # The root receives from one rank after the other.
    "basic_linear": of_equal_blocks(lambda ranks, sizes: trees.collect(trees.flat(ranks), sizes)),
    "binomial": of_equal_blocks(lambda ranks, sizes: trees.collect(trees.binomial(ranks), sizes)),
}

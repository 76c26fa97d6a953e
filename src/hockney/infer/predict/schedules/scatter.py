"""Scatter. Bytes are those of one rank's block; block r is rank r's."""

from __future__ import annotations

from hockney.infer.predict.schedule import of_equal_blocks
from hockney.infer.predict.schedules import _trees as trees

ALGORITHMS = {
    # The root waits for each of its messages, or posts all of them at once.
    "basic_linear": of_equal_blocks(lambda ranks, sizes: trees.spread(trees.flat(ranks), sizes)),
    "linear_nb": of_equal_blocks(
        lambda ranks, sizes: trees.spread(trees.flat(ranks), sizes, in_turn=False)
    ),
    "binomial": of_equal_blocks(lambda ranks, sizes: trees.spread(trees.binomial(ranks), sizes)),
}

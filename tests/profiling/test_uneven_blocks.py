"""Blocks of different sizes are of one size in a trace, at all ranks, and it is said."""

from __future__ import annotations

import pytest

from hockney.profiling.order import TOGETHER, Order, TraceStep, _match_collectives


def gathered(sizes: tuple[int, ...]) -> list[list[TraceStep]]:
    return [
        [TraceStep(TOGETHER, 0.0, 0.0, bytes_, -1, 0, 0, "allgather", "world", len(sizes))]
        for bytes_ in sizes
    ]


@pytest.mark.parametrize(
    ("sizes", "block", "uneven"), [((8, 16, 24, 32), 20, 1), ((8, 8, 8, 8), 8, 0)]
)
def test_all_ranks_have_the_mean_block(sizes: tuple[int, ...], block: int, uneven: int) -> None:
    ranks = gathered(sizes)
    groups = _match_collectives(ranks)
    order = Order(tuple(map(tuple, ranks)), groups, is_cut=False, left_out=0, wall_s=1.0)
    assert {step.bytes for steps in order.ranks for step in steps} == {block}
    assert order.uneven == uneven

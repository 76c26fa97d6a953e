"""The order of launches within blocks."""

from __future__ import annotations

from collections import Counter

import pytest

from hockney.measure.blocks import order


@pytest.mark.parametrize("count", [2, 3, 5])
def test_each_variant_is_once_in_every_place_of_as_many_blocks(count: int) -> None:
    members = list(range(count))
    for square in range(4):
        rows = [order("run", square * count + row, members) for row in range(count)]
        assert all(sorted(row) == members for row in rows)
        assert all(sorted(column) == members for column in zip(*rows, strict=True))


def test_the_order_is_random_and_the_same_again() -> None:
    first = Counter(order(str(seed), 0, "ab")[0] for seed in range(200))
    assert min(first.values()) > 60
    assert order("run", 7, "abc") == order("run", 7, "abc")

from __future__ import annotations

import click
import pytest

from hockney.cli._parameters import COUNTS


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("2", [2]),
        ("4,2,4", [2, 4]),
        ("2..16", [2, 4, 8, 16]),
        ("3..16", [3, 6, 12]),
        ("2,4,...,10", [2, 4, 6, 8, 10]),
        ("2,3,...,5,8..16", [2, 3, 4, 5, 8, 16]),
    ],
)
def test_lists_of_ranks(text: str, counts: list[int]) -> None:
    assert COUNTS.convert(text, None, None) == counts


@pytest.mark.parametrize("text", ["", "x", "1,2", "2,...,8", "...", "2,2,...,8", "0..8", "2,4,..."])
def test_what_is_no_list_of_ranks(text: str) -> None:
    with pytest.raises(click.BadParameter):
        COUNTS.convert(text, None, None)

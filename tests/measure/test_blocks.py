"""The order of launches within blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from hockney.measure.blocks import Blocks, order
from hockney.records import Run
from hockney.spec import Case, Placement
from hockney.spec.variants import Comparison, Variant
from hockney.spec.workloads.pingpong import Pingpong
from samples import HEADER


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


@dataclass
class Answer:
    case: Case
    run: Run
    launches: int = 0
    is_done: bool = False
    problem: str | None = None


@pytest.mark.parametrize("titles", [("", ""), ("bcast ring", "bcast chain")])
def test_variants_alternate_whatever_their_cases_are_called(titles: tuple[str, str]) -> None:
    names = ("a", "b")
    comparison = Comparison(variants=tuple(Variant(name=name, values={}) for name in names))
    run = Run(HEADER)
    answers = [
        Answer(
            Case(
                workload=Pingpong(sizes=()),
                placement=Placement(),
                title=title or None,
                variant=name,
            ),
            run,
        )
        for name, title in zip(names, titles, strict=True)
    ]
    blocks = Blocks(comparison, run, 10.0)
    made = []
    for _ in range(40):
        answer = blocks.next(answers)
        assert answer is not None
        answer.launches += 1
        made.append(answer.case.variant)
    pairs = [tuple(made[n : n + 2]) for n in range(0, 40, 2)]
    assert Counter(pairs) == {("a", "b"): 10, ("b", "a"): 10}

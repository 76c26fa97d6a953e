"""The order of launches within blocks."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from hockney.infer.estimate.blocks import UNPROBED, Seen, blocks_needed, variant_ratios
from hockney.plan import Case, Placement, sizes_of
from hockney.plan.axes import Point
from hockney.plan.variants import Comparison, Variant
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import Finish, Run
from hockney.run.measure.sessions.blocks import Blocks, order
from samples import HEADER, varied_run


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


def test_what_does_not_look_slower_is_launched_no_further() -> None:
    """With one of two numbers of ranks, a size is slower and another only scatters."""
    names = ("default", "tuned")
    comparison = Comparison(
        variants=tuple(Variant(name=name, values={}) for name in names),
        tolerance=0.02,
        gate=0.02,
        narrows=True,
    )
    run = Run(HEADER)
    answers = [
        Answer(
            Case(
                workload=Collective(collective="bcast", sizes=sizes_of([8, 64, 512])),
                placement=Placement(ranks=ranks),
                variant=name,
            ),
            run,
        )
        for name in names
        for ranks in (2, 4)
    ]
    blocks = Blocks(comparison, run, 1.0)
    most = 2 * blocks_needed(6)
    rng = np.random.default_rng(3)
    while (answer := blocks.next(answers)) is not None:
        ranks, is_tuned = answer.case.placement.ranks, answer.case.variant == "tuned"
        block = blocks.times.by_block.setdefault(answer.launches, {})
        medians = block.setdefault(answer.case.variant or "", {})
        for size in answer.case.workload.sizes:
            slow = {(4, 64): 1.5, (4, 512): 1.04}.get((ranks, size.bytes), 1.0 / 1.1)
            scatter = 0.3 if size.bytes == 512 and ranks == 4 else 0.05
            seconds = (slow if is_tuned else 1.0) * math.exp(rng.normal(0.0, scatter))
            point = Point(operation="bcast", ranks=ranks, bytes=size.bytes)
            medians[point] = Seen(seconds, UNPROBED)
        answer.launches += 1
        answer.is_done = answer.is_done or answer.launches >= most
        left = [answer.launches for answer in answers if not answer.is_done]
        if blocks.is_decided(answers, min(left, default=most) / most):
            break
    assert blocks.looks[0] == 0.5
    sizes = {answer.case.placement.ranks: answer.case.workload.sizes for answer in answers}
    launches = {answer.case.placement.ranks: answer.launches for answer in answers}
    assert launches[2] == most // 2
    assert launches[4] > most // 2
    assert [size.bytes for size in sizes[4]] == [512]
    ratios = variant_ratios(
        blocks.times, comparison, [*blocks.looks, 1.0], [*blocks.look_blocks, launches[4]]
    )
    slower = {
        (ratio.point.ranks, ratio.point.bytes)
        for ratio in ratios
        if ratio.point and ratio.judged.verdict == "slower"
    }
    assert slower == {(4, 64)}


@pytest.mark.parametrize(
    ("looks", "before", "continued"), [([0.5, 1.0], 0, 1), ([0.5, 1.0], 1, 2), ([0.5], 0, 0)]
)
def test_blocks_after_a_last_look_are_counted_once(
    looks: list[float], before: int, continued: int
) -> None:
    run = varied_run(8, {"a": 1.0, "b": 1.0}, sizes=(8,))
    run.finish = Finish(reason="budget", spent_s=1.0, sampling={}, looks=looks, continued=before)
    comparison = Comparison(variants=tuple(Variant(name=name, values={}) for name in "ab"))
    blocks = Blocks(comparison, run, 2.0)
    assert blocks.continued == before  # nothing more was measured
    case = Case(workload=Pingpong(sizes=()), placement=Placement(), variant="a")
    for launches in (9, 10):
        blocks.add(Answer(case, run, launches))
    assert blocks.continued == continued

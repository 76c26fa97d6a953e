"""Whatever the algorithm, the ranks and the sizes: every rank ends with the data it should have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hockney.base.errors import UsageError
from hockney.infer.predict.collectives import schedule_of
from hockney.infer.predict.schedule import Step
from hockney.infer.predict.schedules import SCHEDULES

EVERY = [
    (collective, name)
    for collective, module in SCHEDULES.all().items()
    for name in module.ALGORITHMS
]
MOST_RANKS = 40

Held = list[dict[int, frozenset[int]]]
"""For each rank, the ranks whose parts it has of each block."""


def begin(collective: str, ranks: int, blocks: int) -> Held:
    """The data of the ranks before the collective."""
    if collective in ("bcast", "scatter"):
        return [{block: frozenset({0}) for block in range(blocks)}, *({} for _ in range(ranks - 1))]
    if collective in ("gather", "allgather"):
        return [{rank: frozenset({rank})} for rank in range(ranks)]
    if collective == "alltoall":
        return [
            {rank * ranks + to: frozenset({rank}) for to in range(ranks)} for rank in range(ranks)
        ]
    return [{block: frozenset({rank}) for block in range(blocks)} for rank in range(ranks)]


def end(collective: str, ranks: int, blocks: int, rank: int) -> dict[int, frozenset[int]]:
    """The data that a rank must have after it; it may have more."""
    everyone = frozenset(range(ranks))
    match collective:
        case "bcast":
            return {block: frozenset({0}) for block in range(blocks)}
        case "scatter":
            return {rank: frozenset({0})}
        case "gather":
            return {b: frozenset({b}) for b in range(ranks)} if rank == 0 else {}
        case "allgather":
            return {block: frozenset({block}) for block in range(ranks)}
        case "alltoall":
            return {source * ranks + rank: frozenset({source}) for source in range(ranks)}
        case "reduce":
            return dict.fromkeys(range(blocks), everyone) if rank == 0 else {}
        case "reduce_scatter_block":
            return {rank: everyone}
        case _:
            return dict.fromkeys(range(blocks), everyone)


def walk(held: Held, step: Step) -> None:
    """Moves the data of a step: what is sent was there before it, nothing is added up twice."""
    before = [dict(data) for data in held]
    for message, (source, destination) in enumerate(
        zip(step.sources.tolist(), step.destinations.tolist(), strict=True)
    ):
        assert source != destination
        for block in step.blocks(message):
            sent, there = before[source].get(block), held[destination].get(block, frozenset())
            assert sent is not None, f"rank {source} sends block {block} without having it"
            assert not (step.reduces and sent & there), "added up twice"
            held[destination][block] = sent | there if step.reduces else sent


def steps_of(collective: str, name: str, ranks: int, size: int, segment: int | None) -> list[Step]:
    try:
        return list(schedule_of(collective, name)(ranks, size, segment))
    except UsageError:  # for an even number, or for two
        assert name in ("neighbor", "two_procs")
        assert ranks % 2 == 1 or ranks > 2
        return []


def carried(steps: list[Step]) -> set[int]:
    return {block for step in steps for n in range(len(step.sources)) for block in step.blocks(n)}


@pytest.mark.parametrize(
    ("collective", "name"),
    [pair for pair in EVERY if pair[0] not in ("barrier", "scan")],
)
@settings(max_examples=25, deadline=None)
@given(
    ranks=st.integers(2, MOST_RANKS),
    size=st.integers(0, 5000),
    segment=st.none() | st.integers(1, 9).map(lambda n: 300 * n),
)
def test_the_data_arrive(
    collective: str, name: str, ranks: int, size: int, segment: int | None
) -> None:
    steps = steps_of(collective, name, ranks, size, segment)
    if not steps:
        return
    blocks = max(carried(steps)) + 1
    held = begin(collective, ranks, blocks)
    for step in steps:
        walk(held, step)
    for rank in range(ranks):
        wanted = end(collective, ranks, blocks, rank)
        assert {block: held[rank].get(block) for block in wanted} == wanted


@pytest.mark.parametrize("name", SCHEDULES.find("barrier").ALGORITHMS)
@settings(max_examples=25, deadline=None)
@given(ranks=st.integers(2, MOST_RANKS))
def test_nobody_leaves_a_barrier_before_all_have_come(name: str, ranks: int) -> None:
    steps = steps_of("barrier", name, ranks, 0, None)
    if not steps:
        return
    knows = [{rank} for rank in range(ranks)]
    for step in steps:
        before = [set(known) for known in knows]
        for source, destination in zip(step.sources, step.destinations, strict=True):
            knows[destination] |= before[source]
    assert all(known == set(range(ranks)) for known in knows)


@pytest.mark.parametrize("name", SCHEDULES.find("scan").ALGORITHMS)
@settings(max_examples=25, deadline=None)
@given(ranks=st.integers(2, MOST_RANKS))
def test_a_scan_adds_up_all_ranks_below_once(name: str, ranks: int) -> None:
    group = [{rank} for rank in range(ranks)]
    result = [{rank} for rank in range(ranks)]
    for step in schedule_of("scan", name)(ranks, 8, None):
        before = [set(summed) for summed in group]
        for source, destination in zip(step.sources, step.destinations, strict=True):
            assert not before[source] & group[destination]
            group[destination] |= before[source]
            if source < destination:
                result[destination] |= before[source]
    assert result == [set(range(rank + 1)) for rank in range(ranks)]


@pytest.mark.parametrize(("collective", "name"), EVERY)
def test_every_byte_of_a_rank_is_sent(collective: str, name: str) -> None:
    """The bytes of the messages are those of the blocks that they carry."""
    ranks, size = 12, 1200
    blocks: dict[int, float] = {}
    steps = steps_of(collective, name, ranks, size, None)
    for step in steps:
        for message, sent in enumerate(step.bytes):
            carries = list(step.blocks(message))
            if len(carries) == 1:
                assert blocks.setdefault(carries[0], float(sent)) == sent
    for step in steps:
        for message, sent in enumerate(step.bytes):
            known = [blocks.get(block) for block in step.blocks(message)]
            if None not in known:
                assert sent == pytest.approx(np.sum(known))


@pytest.mark.parametrize(
    ("collective", "name", "complaint"),
    [
        ("bcast", "binominal", "did you mean binomial"),
        ("bcast", "xyz", "there are basic_linear"),
        ("broadcast", "binomial", "there are allgather"),
    ],
)
def test_what_has_no_schedule_is_told(collective: str, name: str, complaint: str) -> None:
    with pytest.raises(UsageError) as error:
        schedule_of(collective, name)
    assert complaint in str(error.value)

"""Times of the walk through the messages: against formulas, and what places and ports do."""

from __future__ import annotations

import pytest
from closed import FORMULAS

from conftest import first_of
from hockney.base.errors import UsageError
from hockney.infer.estimate import estimate
from hockney.infer.predict.collectives import effort, time
from hockney.infer.predict.costs import Costs
from hockney.infer.predict.parameters import Level, Parameters, parameters_of
from hockney.infer.predict.schedule import STEP_MESSAGES
from hockney.records import Place, Run, Samples
from samples import HEADER

NET = Level(alpha_s=10e-6, beta_s_per_B=1e-9)
NEAR = Level(alpha_s=1e-6, beta_s_per_B=1e-10)
WAITING = Parameters(network=NET, eager_bytes=0)
"""Every message is waited for, as the formulas have it."""

FULL = {"binary": (7, 63, 1023), "knomial": (4, 64, 1024), "chain": (9, 65, 1025)}
"""Ranks of full trees; 8, 64 and 1,024 for all others."""


@pytest.mark.parametrize(("which", "size"), first_of([(0, 1024), (1, 1 << 20), (2, 1 << 15)], 2))
@pytest.mark.parametrize(("collective", "name"), FORMULAS)
def test_the_walk_agrees_with_the_formula(
    collective: str, name: str, which: int, size: int
) -> None:
    ranks = FULL.get(name, (8, 64, 1024))[which]
    segment = 8192 if name in FULL or name == "pipeline" else None
    if (collective, name) == ("bcast", "knomial"):
        segment = None
    walked = time(WAITING, collective, name, ranks, size, segment)
    closed = FORMULAS[collective, name](NET, ranks, size, segment)
    assert walked == pytest.approx(closed, rel=1e-9)


def places(*hosts_and_sockets: tuple[str, int]) -> list[Place]:
    return [Place(rank=n, host=host, package=p) for n, (host, p) in enumerate(hosts_and_sockets)]


def test_each_message_has_the_cost_of_its_level() -> None:
    levels = Parameters(socket=Level(1.0, 0.0), node=Level(10.0, 0.0), network=Level(100.0, 0.0))
    three = places(("a", 0), ("a", 0), ("a", 1), ("b", 0))
    assert time(levels, "scan", "basic_linear", 4, 8, placement=three) == 111.0
    assert time(levels, "scan", "basic_linear", 4, 8) == 300.0


def test_the_root_decides_which_ranks_are_near_it() -> None:
    levels = Parameters(socket=Level(1.0, 0.0), network=Level(100.0, 0.0))
    two_nodes = places(("a", 0), ("a", 0), ("a", 0), ("b", 0))
    assert time(levels, "bcast", "pipeline", 4, 8, root=0, placement=two_nodes) == 102.0
    assert time(levels, "bcast", "pipeline", 4, 8, root=3, placement=two_nodes) == 102.0
    assert time(levels, "bcast", "pipeline", 4, 8, root=1, placement=two_nodes) == 201.0


def test_ranks_of_a_node_share_its_way_out() -> None:
    """Pairwise exchange of two ranks of each of two nodes: in the second step all four blocks go
    between the nodes, two by two through one port."""
    link = Parameters(socket=Level(0.0, 0.0), network=Level(0.0, 1.0))
    together = places(("a", 0), ("a", 0), ("b", 0), ("b", 0))
    apart = places(("a", 0), ("b", 0), ("c", 0), ("d", 0))
    assert time(link, "alltoall", "pairwise", 4, 1, placement=apart) == 3.0
    assert time(link, "alltoall", "pairwise", 4, 1, placement=together) == 4.0


def test_messages_posted_together_leave_in_turn_or_share() -> None:
    """A binomial tree of eager messages: fair sharing costs beta m L (L + 1) / 2 instead of L."""
    ranks, size, alpha, beta = 64, 1000, 10e-6, 1e-9
    serial = Parameters(network=Level(alpha, beta))
    fair = Parameters(network=Level(alpha, beta), sharing="fair")
    in_turn, shared = (
        time(parameters, "bcast", "binomial", ranks, size) for parameters in (serial, fair)
    )
    assert in_turn == pytest.approx(6 * alpha + 6 * beta * size)
    assert shared == pytest.approx(6 * alpha + 21 * beta * size)


def test_overhead_and_adding_up_are_paid() -> None:
    bare = Parameters(network=NET)
    slow = Parameters(network=NET, overhead_s=1e-3, gamma_s_per_B=1e-6)
    for name in ("basic_linear", "binomial"):
        added = time(slow, "reduce", name, 2, 1000) - time(bare, "reduce", name, 2, 1000)
        assert added == pytest.approx(2e-3 + 1e-3)


@pytest.mark.parametrize(
    ("parameters", "options", "complaint"),
    [
        (Parameters(), {}, "no level has parameters"),
        (Parameters(network=NET, sharing="none"), {}, "serial or fair"),
        (WAITING, {"root": 3}, "root 3"),
        (WAITING, {"placement": places(("a", 0))}, "no place for rank 1"),
    ],
)
def test_what_cannot_be_timed_is_told(
    parameters: Parameters, options: dict[str, object], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        time(parameters, "bcast", "binomial", 3, 8, **options)  # type: ignore[arg-type]


def test_overheads_are_those_of_each_size() -> None:
    """Rank 2 of 4 sends twice as much as rank 1, whose message comes first."""
    costs = {8: Costs(1.0, 0.0, 2.0), 16: Costs(10.0, 0.5, 20.0)}
    sized = Parameters(costs_of=lambda size, _: costs[size])
    small_s, large_s = (costs[size].message_s(size) for size in (8, 16))
    assert time(sized, "gather", "binomial", 4, 8) == pytest.approx(small_s + large_s)
    assert time(sized, "gather", "binomial", 2, 16) == pytest.approx(large_s)


def test_one_rank_alone_takes_no_time() -> None:
    assert time(WAITING, "bcast", "binomial", 1, 8) == 0.0


def test_parameters_come_from_ping_pong_times_of_each_level() -> None:
    hosts = places(("a", 0), ("a", 0), ("a", 1), ("b", 0))
    truth = {(0, 1): NEAR, (0, 2): Level(2e-6, 2e-10), (0, 3): NET}
    run = Run(HEADER)
    for launch in range(5):
        for pair, level in truth.items():
            for size in (0, 1024, 1 << 20):
                ns = 1e9 * (level.alpha_s + level.beta_s_per_B * size)
                run.add(
                    Samples(
                        launch=launch,
                        round=0,
                        operation="pingpong",
                        bytes=size,
                        ranks=2,
                        peers=pair,
                        repetitions=1,
                        ns=[ns],
                    )
                )
    parameters = parameters_of(estimate(run).headline, hosts)
    for pair, name in zip(truth, ("socket", "node", "network"), strict=True):
        level = parameters.level(name)
        assert level.alpha_s == pytest.approx(truth[pair].alpha_s)
        assert level.beta_s_per_B == pytest.approx(truth[pair].beta_s_per_B)
    with pytest.raises(UsageError, match="no ping-pong times"):
        parameters_of([], hosts)


@pytest.mark.long
@pytest.mark.parametrize(
    ("collective", "name", "ranks", "size", "segment", "complaint"),
    [
        ("bcast", "binomial", 2**31, 8, None, "for at most 1048576"),
        ("alltoall", "basic_linear", 100_000, 8, None, "10000000000 messages"),
        ("bcast", "pipeline", 2, 1 << 60, 1, "takes too long to simulate"),
        ("bcast", "chain", 1 << 20, 8, 1, "8388600 messages or more takes too long"),
        pytest.param(
            "allgather",
            "ring",
            1 << 20,
            8,
            None,
            "takes too long to simulate",
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_would_never_end_is_refused(
    collective: str, name: str, ranks: int, size: int, segment: int | None, complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        time(WAITING, collective, name, ranks, size, segment)


def test_the_effort_is_that_of_messages_and_steps() -> None:
    assert effort("bcast", "binomial", 64, 8) == 63 + 6 * STEP_MESSAGES

"""A part of a network that is slow in one direction alone is named with that direction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace as changed

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.gate import NOT_JUDGED, PASSED
from hockney.infer.analysis.network.part_words import WAY_WORDS
from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads.fabric import Fabric
from hockney.records import Noise, PairBlock, Run

EACH = 4
"""Nodes of a switch."""
Slow = Callable[[int, int], float]
"""How many times as long messages take from one node to another."""


def one_way(slow: Slow, locate: bool = False, passes: int = 3) -> Run:
    """Times of both directions of every two of 24 nodes on six switches."""
    run = fabric_run(passes=passes)
    random = np.random.default_rng(3)
    plan = single(
        Fabric(sizes=sizes_of([8]), one_way=True, locate=locate),
        Placement(ranks=24),
        Sampling(),
    )
    run.header = changed(run.header, options=stored(plan))
    for i, block in enumerate(run.pair_times):
        peers = np.stack([block.peers, block.peers[:, ::-1]], axis=1).reshape(-1, 2)
        low, high = (peers // EACH).min(axis=1), (peers // EACH).max(axis=1)
        ns = np.where(low == high, 2000.0, 3000.0) * random.lognormal(0.0, 0.01, len(peers))
        ns *= [slow(sender, receiver) for sender, receiver in peers.tolist()]
        run.pair_times[i] = PairBlock(
            **{
                **vars(block),
                "operation": "stream",
                "peers": peers,
                "ns": ns[None, :].astype(np.float32),
            }
        )
    return run


def first_half(sender: int, receiver: int) -> float:
    return 1.2 if min(sender, receiver) < 12 else 1.0


def from_first_half(sender: int, _: int) -> float:
    return 1.2 if sender < 12 else 1.0


@pytest.mark.parametrize("slow", [first_half, from_first_half])
def test_located_nodes_of_two_kinds_are_not_judged(slow: Slow) -> None:
    """Either half may be the normal one: neither passes, and none of its parts is named."""
    analysis = Analysis(one_way(slow, locate=True))
    assert analysis.outlier_gate is not None
    assert analysis.outlier_gate.status == NOT_JUDGED
    assert analysis.located is not None
    assert not analysis.located.slow
    assert any(
        "either kind may be the normal one" in doubt.why for doubt in analysis.located.doubts
    )


def from_3(sender: int, _: int) -> float:
    return 1.3 if sender == 3 else 1.0


def to_3(_: int, receiver: int) -> float:
    return 1.3 if receiver == 3 else 1.0


def with_3(sender: int, receiver: int) -> float:
    return 1.3 if 3 in (sender, receiver) else 1.0


def over_cable(sender: int, receiver: int) -> float:
    return 1.3 if (sender // EACH, receiver // EACH) == (4, 1) else 1.0


def out_of_2(sender: int, receiver: int) -> float:
    return 1.3 if sender // EACH == 2 and receiver // EACH != 2 else 1.0


SLOW: dict[str, Slow] = {
    "node n3 is slow to send": from_3,
    "node n3 is slow to receive": to_3,
    "node n3 is slow": with_3,
    "the cable from switch s4 to s1 is slow": over_cable,
    "the links of switch s2 to other switches are slow to send": out_of_2,
}


@pytest.mark.parametrize("words", SLOW)
def test_the_direction_is_named(words: str) -> None:
    verdict = Analysis(one_way(SLOW[words])).verdict
    assert verdict is not None
    assert [suspect.words for suspect in verdict.slow] == [words]
    (suspect,) = verdict.slow
    assert suspect.ratio == pytest.approx(1.3, rel=0.03)


def test_a_pair_of_a_node_that_is_slow_one_way_is_not_named_besides() -> None:
    """The node is not slow enough both ways to be named for that."""

    def slow(sender: int, receiver: int) -> float:
        return {(3, 14): 3.0, (14, 3): 1.0}.get((sender, receiver), 1.15 if sender == 3 else 1.0)

    verdict = Analysis(one_way(slow)).verdict
    assert verdict is not None
    assert [suspect.words for suspect in verdict.slow] == ["node n3 is slow to send"]


HALVES = {
    "half": range(12),
    "every second": range(0, 24, 2),
    "more than a quarter": (1, 6, 8, 13, 14, 19, 23),
    "most": range(16),
}


@pytest.mark.parametrize("way", WAY_WORDS.values())
@pytest.mark.parametrize("factor", [1.2, 2.0])
@pytest.mark.parametrize("slow", HALVES)
def test_of_many_nodes_that_are_slow_one_way_nothing_is_named(
    slow: str, factor: float, way: str
) -> None:
    """Nor their cables, switches and pairs: the others may be too fast."""
    ends, role = {"to send": (0, "sending"), "to receive": (1, "receiving")}[way]
    analysis = Analysis(one_way(lambda *ranks: factor if ranks[ends] in HALVES[slow] else 1.0))
    assert analysis.verdict is not None
    assert analysis.verdict.slow == ()
    assert analysis.outlier_gate.status == NOT_JUDGED
    whys = [doubt.why for doubt in analysis.verdict.doubts]
    assert any("normal" in why and f"{role} nodes" in why for why in whys), whys


@pytest.mark.parametrize("factor", [1.2, 2.0])
@pytest.mark.parametrize("slow", HALVES)
def test_many_nodes_whose_slowness_is_that_of_all_their_pairs_are_not_judged(
    slow: str, factor: float
) -> None:
    """Only pairs of two others are fast: fewer than a quarter, where half of the nodes are slow."""
    analysis = Analysis(one_way(lambda *pair: factor if {*pair} & {*HALVES[slow]} else 1.0))
    assert analysis.verdict is not None
    assert analysis.verdict.slow == ()
    assert analysis.outlier_gate.status == NOT_JUDGED


@pytest.mark.parametrize("words", SLOW)
def test_the_direction_is_located(words: str) -> None:
    located = Analysis(one_way(SLOW[words], locate=True)).located
    assert located is not None
    assert [fault.words for fault in located.slow] == [words]
    assert located.slow[0].interval.low < 1.3 < located.slow[0].interval.high


@pytest.mark.parametrize("locate", [False, True])
def test_what_held_cpus_explain_is_not_named(locate: bool) -> None:
    run = one_way(SLOW["node n3 is slow to send"], locate)
    run.noises = [Noise(launch=0, rank=i, wall_s=1.0, waited_s=0.5) for i in range(24)]
    analysis = Analysis(run)
    verdict = analysis.located or analysis.verdict
    assert verdict is not None
    held = [doubt for doubt in verdict.doubts if "held the CPUs of half of the ranks" in doubt.why]
    assert len(held) == 1
    assert analysis.outlier_gate.status == NOT_JUDGED, analysis.outlier_gate


@pytest.mark.parametrize("locate", [False, True])
def test_nothing_is_named_where_nothing_is_slow(locate: bool) -> None:
    analysis = Analysis(one_way(lambda *_: 1.0, locate))
    assert analysis.outlier_gate.status == PASSED, analysis.outlier_gate
    if analysis.located is not None:
        assert analysis.located.judged == {"node": 24, "uplink": 6, "switch": 6, "cable": 15}
    assert analysis.pairwise is not None
    assert analysis.pairwise.fraction == 1.0


def test_a_map_has_what_each_sends_in_its_row() -> None:
    pairwise = Analysis(one_way(out_of_2)).pairwise
    assert pairwise is not None
    seconds = pairwise.binned(0).seconds
    assert seconds[2, 4] / seconds[4, 2] == pytest.approx(1.3, rel=0.03)

"""A gate passes only what was measured: not a pass that was cut, nor launches that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.decision import decision_of
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED, PASSED
from hockney.infer.analysis.warnings import NothingMeasured, warnings
from hockney.infer.estimate import estimate
from hockney.plan import sizes_of
from hockney.plan.workloads.cores import Cores
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import End, PairBlock, Place, Run
from samples import Pair, make_pairs_run, make_run, one_a_node, options_of, past_run

Kept = Callable[[PairBlock], NDArray[np.bool_]]


def gate_of(run: Run) -> tuple[str, str]:
    gate = Analysis(run).outlier_gate
    return gate.status, gate.why


def kept(block: PairBlock, which: NDArray[np.bool_]) -> PairBlock:
    return replace(block, peers=block.peers[which], ns=block.ns[:, which])


def without(block: PairBlock, rank: int) -> PairBlock:
    return kept(block, ~(block.peers == rank).any(axis=1))


def test_a_pass_over_some_of_the_pairs_is_not_passed() -> None:
    """The slow cables are among those that were not reached."""
    run = fabric_run(passes=1, slow={(0, 4): 3.0, (0, 5): 3.0})
    assert gate_of(run)[0] == FAILED
    (whole,) = run.pair_times
    near = whole.peers[:, 1] - whole.peers[:, 0] < 6
    run.pair_times[:] = [kept(whole, near)]
    status, why = gate_of(run)
    assert status == NOT_JUDGED
    assert why.startswith("171 of 276 pairs have no time; go on with --resume")


def test_pairs_of_the_switches_alone_are_what_per_switch_plans() -> None:
    run = fabric_run(passes=3)
    plan = Fabric(sizes=sizes_of([8]), switch_numbers=tuple((f"n{i}", i // 4) for i in range(24)))
    run.header = msgspec.structs.replace(run.header, options=options_of(plan))
    far = run.pair_times[0].peers // 4
    some = (far[:, 0] != far[:, 1]) | (run.pair_times[0].peers[:, 0] % 2 == 0)
    run.pair_times[:] = [kept(block, some) for block in run.pair_times]
    assert gate_of(run)[0] == PASSED


def test_a_node_that_left_after_the_first_pass_is_no_sound_one() -> None:
    run = fabric_run()
    first, *others = run.pair_times
    run.pair_times[:] = [first, *(without(block, 5) for block in others)]
    status, why = gate_of(run)
    assert status == NOT_JUDGED
    assert why.startswith("n5 was measured in only 1 of 3 passes")


@pytest.mark.parametrize(
    ("places", "name"),
    [
        (one_a_node(8), "n5"),
        ([Place(rank=rank, host="n0", pu=rank) for rank in range(8)], "rank 5 (n0)"),
    ],
    ids=["a node", "a place of the only node"],
)
def test_what_left_after_the_first_launch_is_no_sound_node(places: list[Place], name: str) -> None:
    pairs = [[pair] for pair in combinations(range(8), 2)]

    def times(launch: int, pair: Pair, *_: int) -> list[float]:
        return [] if launch and 5 in pair else [1000.0]

    run = make_pairs_run(times, pairs, places)
    status, why = gate_of(run)
    assert status == NOT_JUDGED
    assert why.startswith(f"{name} was measured in only 1 of 5 launches; see why")


def test_where_the_last_launch_failed_nothing_is_passed() -> None:
    run = fabric_run()
    run.add(End(launch=1, reason="failed", wall_s=1.0, message="rank 5 died"))
    assert gate_of(run) == (
        NOT_JUDGED,
        "the last launch failed; see its message; then continue the run with --resume",
    )
    run.add(End(launch=2, reason="complete", wall_s=1.0))
    assert gate_of(run)[0] == PASSED, "it was continued, and all pairs were measured"


def test_a_time_of_0_is_none() -> None:
    run = fabric_run()
    for block in run.pair_times:
        block.ns[:, (block.peers == 5).any(axis=1)] = 0.0
    status, why = gate_of(run)
    assert status == NOT_JUDGED
    assert why.startswith("no pair of n5 was measured (and 1 more reason)")


def test_cores_of_which_a_pair_is_lacking_are_not_passed() -> None:
    pairs = [[pair] for pair in combinations(range(8), 2)]
    whole = make_pairs_run(lambda *_: [1000.0], pairs, one_a_node(8))
    some = make_pairs_run(lambda *_: [1000.0], pairs[:-2], one_a_node(8))
    for run in (whole, some):
        options = options_of(Cores(sizes=sizes_of([8])))
        run.header = msgspec.structs.replace(run.header, experiment="cores", options=options)
    assert gate_of(whole)[0] == PASSED
    status, why = gate_of(some)
    assert status == NOT_JUDGED
    assert why.startswith("2 of 28 pairs have no time")


@pytest.mark.parametrize(
    ("sizes", "ends", "status", "number"),
    [
        ((8, 64), True, PASSED, "100 visits"),
        ((8,), True, NOT_JUDGED, "1 of 2 sizes"),
        ((), True, NOT_JUDGED, "0 of 2 sizes"),
        ((8, 64), False, NOT_JUDGED, "a launch was cut short"),
    ],
    ids=["all", "one size", "none", "killed"],
)
def test_data_that_nobody_looked_at_are_not_called_right(
    sizes: tuple[int, ...], ends: bool, status: str, number: str
) -> None:
    run = make_run(lambda *_: [1000.0], sizes=sizes)
    options = options_of(Pingpong(sizes=sizes_of([8, 64]), verify=True))
    run.header = msgspec.structs.replace(run.header, options=options)
    if not ends:
        run.ends.clear()
    elif not run.ends:
        for launch in run.launches:
            run.add(End(launch=launch.launch, reason="complete", wall_s=1.0))
    decision = decision_of([Analysis(run)])
    assert decision is not None
    (data,) = (
        finding
        for finding in decision.findings
        if "messages arrive as they were sent" in finding.what
    )
    assert (data.status, data.number) == (status, number)


def test_a_run_without_a_number_says_so() -> None:
    run = past_run(0)
    empty = Run(run.header)
    assert NothingMeasured() in warnings(empty, estimate(empty))
    assert NothingMeasured() not in warnings(run, estimate(run))

"""A node that is slow in rounds in which others were slow, too."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hockney.infer.analysis.network.boards import NODE, Board, Network
from hockney.infer.analysis.network.faults import judged

NODES, SLOW, BY = 12, 3, 20.0


def rounds_of_all_pairs() -> list[tuple[int, int]]:
    """The round of every two nodes, in order of the pairs, so that each node has one partner."""
    last = NODES - 1
    return [
        (2 * a if b == last else a + b) % last for a, b in itertools.combinations(range(NODES), 2)
    ]


def beside_others(late: float) -> Board:
    """Node SLOW takes BY times as long; one other pair of each round `late` times."""
    ends = np.array(list(itertools.combinations(range(NODES), 2)))
    rounds = np.array(rounds_of_all_pairs())
    random = np.random.default_rng(4)
    logs = random.normal(0.0, 0.02, len(ends))
    is_slow = (ends == SLOW).any(axis=1)
    logs[is_slow] += np.log(BY)
    others = [
        random.choice(np.flatnonzero((rounds == number) & ~is_slow)) for number in set(rounds)
    ]
    logs[others] += np.log(late)
    launches = logs + random.normal(0.0, 0.02, (4, len(ends)))
    return Board("64 KiB", ends, np.zeros(len(ends), np.int64), logs, launches, rounds)


@pytest.mark.parametrize(("late", "named"), [(1.5, [(SLOW,)]), (BY, [])])
def test_a_far_smaller_delay_of_others_does_not_explain_a_slow_node(
    late: float, named: list[tuple[int, ...]]
) -> None:
    network = Network(np.arange(NODES), np.full(NODES, -1), is_simulated=False)
    judgement = judged([beside_others(late)], network)
    assert [fault.units for fault in judgement.faults if fault.kind == NODE] == named
    assert named or any("they may have shared a link" in doubt.why for doubt in judgement.doubts)

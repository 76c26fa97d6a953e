"""Rounds that are chosen step by step end with the budget."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, repeat
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from fabric_samples import fabric_run
from hockney.infer.locate.design import round_of
from hockney.plan import Placement, Sampling, single, sizes_of
from hockney.plan.workloads.fabric import Fabric
from hockney.records import Run
from hockney.run.measure.sessions.session import Session
from hockney.run.measure.studies.locating import Locating


def after_one_launch() -> Run:
    """Sixteen rounds have shown a slow cable, which another launch must confirm."""
    run = fabric_run(passes=1, slow={(1, 4): 1.5})
    (block,) = run.pair_times
    numbers = round_of(24, block.peers)
    order = np.argsort(numbers, kind="stable")[: (numbers < 16).sum()]
    run.pair_times[0] = replace(block, peers=block.peers[order], ns=block.ns[:, order])
    return run


@pytest.mark.parametrize("elapsed_s", [1.0, 9.95])
def test_no_launch_is_started_when_the_budget_is_over(elapsed_s: float) -> None:
    plan = single(Fabric(sizes=sizes_of([8]), locate=True), Placement(ranks=24), Sampling())
    clock = chain([0.0], repeat(elapsed_s))
    steps = Locating(plan, lambda: next(clock))
    made = SimpleNamespace(run=after_one_launch(), reason="launches")
    following = steps.next(cast(Session, made))
    if elapsed_s < 9.0:
        assert following is not None
        workload = following.first.workload
        assert isinstance(workload, Fabric)
        assert workload.chosen
        assert (steps.notes(), made.reason) == ([], "launches")
    else:
        assert following is None
        assert steps.notes() == ["the budget was over after 16 rounds, before all was known"]
        assert made.reason == "budget"

"""What a run with too few launches for intervals needs is said by what ended it."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np
import pytest

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.warnings import FewLaunches
from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads.fabric import Fabric
from hockney.records import Run


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        (FewLaunches(2, imported=False, budget_s=10.0), "give a --budget of about 25s"),
        (FewLaunches(1, imported=False, asked=True), "give --launches 5"),
        (FewLaunches(3, imported=False), "give a larger --budget"),
    ],
)
def test_what_it_needs_is_named(found: FewLaunches, advice: str) -> None:
    assert found.text.endswith(f"too few for an interval (5 make one); {advice}")


def of_few_pairs(workload: Fabric, launches: int) -> Run:
    """A run of which each launch has fewer pairs than the one before."""
    run = fabric_run(passes=launches)
    plan = single(workload, Placement(ranks=24), Sampling())
    run.header = msgspec.structs.replace(run.header, options=stored(plan))
    for number, block in enumerate(run.pair_times):
        kept = np.arange(len(block.peers)) >= 20 * number
        run.pair_times[number] = dataclasses.replace(
            block, peers=block.peers[kept], ns=block.ns[:, kept]
        )
    return run


@pytest.mark.parametrize(
    ("locate", "launches", "counted"), [(True, 3, [3]), (True, 6, []), (False, 3, [1])]
)
def test_launches_that_chose_other_rounds_are_all_counted(
    locate: bool, launches: int, counted: list[int]
) -> None:
    """Without --locate, a pass with fewer pairs than another is cut short."""
    run = of_few_pairs(Fabric(sizes=sizes_of([8]), locate=locate), launches)
    found = [one for one in Analysis(run).warnings if isinstance(one, FewLaunches)]
    assert [one.launches for one in found] == counted

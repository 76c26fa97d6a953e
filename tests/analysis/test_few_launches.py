"""What a run with too few launches for intervals needs depends on what ended it."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np
import pytest

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.warnings import FailedLaunches, FewLaunches
from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads.fabric import Fabric
from hockney.records import End, Finish, Run
from samples import make_run


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        (FewLaunches(2, imported=False, budget_s=10.0), "give a --budget of about 25s"),
        (FewLaunches(1, imported=False, ended_by_launches=True), "give --launches 5"),
        (FewLaunches(3, imported=False), "give a larger --budget"),
    ],
)
def test_what_it_needs_is_named(found: FewLaunches, advice: str) -> None:
    assert found.text.endswith(f"too few for an interval (5 make one); {advice}")


@pytest.mark.parametrize(
    ("reason", "most", "advice"),
    [
        ("steps", 3, "give --launches 5"),
        ("launches", 3, "give --launches 5"),
        ("budget", 3, "give --launches 5"),
        ("launches", None, "give a larger --budget"),
        ("budget", 20, "give a --budget of about 17s"),
    ],
)
def test_a_larger_budget_is_no_advice_where_launches_are_fixed(
    reason: str, most: int | None, advice: str
) -> None:
    """With --refine a run of three launches ends where nothing is left to look for."""
    run = make_run(lambda *_: [1000.0], launches=3)
    sampling = msgspec.to_builtins(Sampling(most_launches=most))
    run.finish = Finish(reason=reason, spent_s=10.0, sampling=sampling)
    [few] = [warning for warning in Analysis(run).warnings if isinstance(warning, FewLaunches)]
    assert few.text.endswith(advice)


def test_launches_of_a_state_are_told_from_all() -> None:
    """More are needed than were made: the advice was to give 5 after --launches 7."""

    def of_two_states(launch: int, _: int) -> float:
        return 50.0 if launch < 4 else 500.0

    def times_ns(launch: int, *_: int) -> list[float]:
        return [1000.0 if launch < 4 else 3000.0]

    run = make_run(times_ns, launches=7, handover_ns=of_two_states)
    run.finish = Finish(
        reason="launches",
        spent_s=10.0,
        sampling=msgspec.to_builtins(Sampling(most_launches=7)),
    )
    [few_launches] = [
        warning for warning in Analysis(run).warnings if isinstance(warning, FewLaunches)
    ]
    assert few_launches.text.startswith("only 4 of 7 launches in state 0: too few for an interval")
    assert few_launches.text.endswith("give --launches 10")


def test_a_launch_that_failed_on_several_ranks_is_one() -> None:
    run = make_run(lambda *_: [1000.0], launches=5)
    for _ in range(3):
        run.add(End(launch=5, reason="failed", message="it was killed"))
    [failed_launches] = [
        warning for warning in Analysis(run).warnings if isinstance(warning, FailedLaunches)
    ]
    assert (failed_launches.failed, failed_launches.launches) == (1, 6)


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
    warnings = [warning for warning in Analysis(run).warnings if isinstance(warning, FewLaunches)]
    assert [warning.launches for warning in warnings] == counted

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hockney.base.errors import UsageError
from hockney.plan import Case, Placement, Sampling, single, sizes_of
from hockney.plan.placement import parse_cpus
from hockney.plan.workloads import Workload
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.machine import capacity, placements
from hockney.run.measure.machine.capacity import available_memory, check_memory
from hockney.run.measure.machine.checks import check_plan


def check(workload: Workload, placement: Placement, **sampling: float) -> None:
    check_plan(single(workload, placement, Sampling(**sampling)))


EIGHT = Pingpong(sizes=sizes_of([8]))
ALLOWED = min(os.sched_getaffinity(0))
"""A CPU that this process may use: not CPU 0 everywhere."""


@pytest.mark.parametrize(
    ("placement", "complaint"),
    [
        ({"ranks": 1}, "at least two ranks"),
        ({"ranks": 0}, "at least two ranks"),
        ({"cpus": (ALLOWED,)}, "names 1 CPU for 2 ranks"),
        ({"cpus": (ALLOWED, 9999)}, "may not run on CPU 9999"),
        ({"hosts": ("-x",)}, "is not a host name"),
        ({"ranks_per_node": 2}, "the number of nodes is not given"),
        ({"ranks": 4, "nodes": 1, "ranks_per_node": 2}, "do not fill 1 node with 2 each"),
    ],
)
def test_what_cannot_be_is_told(placement: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        check(EIGHT, Placement(**placement))  # type: ignore[arg-type]


def test_a_peer_must_be_a_rank() -> None:
    with pytest.raises(UsageError, match="no rank 2 among 2"):
        check(Pingpong(sizes=sizes_of([8]), peers=(0, 2)), Placement())


def test_launches_are_spread_over_more_than_they_take() -> None:
    with pytest.raises(UsageError, match="shorter than the launches"):
        check(EIGHT, Placement(), budget_s=10.0, over_s=9.0)
    with pytest.raises(UsageError, match="does not drift"):
        check(EIGHT, Placement(platform="cluster:2"), over_s=90.0)


@pytest.mark.parametrize("text", ["0,,1", "3-1", "zero", "0-999999999"])
def test_lists_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a CPU number"):
        parse_cpus(text)


def test_messages_beyond_the_memory_are_refused() -> None:
    available = available_memory()
    assert available is not None
    with pytest.raises(UsageError, match="leave out the largest sizes"):
        check(Pingpong(sizes=sizes_of([8, available])), Placement())
    check(Pingpong(sizes=sizes_of([8, available // 100])), Placement())


def test_the_memory_of_other_nodes_is_unknown_and_a_simulation_has_all_ranks() -> None:
    available = available_memory()
    assert available is not None
    workload = Collective(collective="bcast", sizes=sizes_of([available // 4]))
    check_memory(Case(workload=workload, placement=Placement(ranks=8, hosts=("a", "b"))))
    with pytest.raises(UsageError, match=r"by 8 ranks takes .* here"):
        check_memory(Case(workload=workload, placement=Placement(ranks=8, platform="cluster:8")))


def test_cpu_lists_are_read_in_their_order() -> None:
    assert parse_cpus("3,0-2,7") == (3, 0, 1, 2, 7)


def test_what_can_be_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placements, "allowed_set", lambda: {0, 1})  # there may be one CPU
    check(EIGHT, Placement(cpus=(0, 1)))


def test_more_simulated_ranks_than_the_kernel_has_stacks_for_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(capacity, "MAPPINGS", tmp_path / "max_map_count")
    many = Placement(platform="cluster:99998", ranks=99998)
    check(EIGHT, many)
    (tmp_path / "max_map_count").write_text("65530\n")
    with pytest.raises(UsageError, match="at most 31265 ranks are simulated"):
        check(EIGHT, many)
    check(EIGHT, Placement(platform="cluster:99998", ranks=31265))

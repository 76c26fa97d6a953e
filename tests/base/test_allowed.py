"""Systems other than Linux keep no set of allowed CPUs: all that asks for it has another answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hockney.base.allowed import allowed_count, allowed_set
from hockney.base.errors import UsageError
from hockney.plan import Placement, Sampling, single, sizes_of
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.doctor import cpus
from hockney.run.measure.machine.checks import check_plan
from hockney.run.measure.machine.environment import describe_environment


@pytest.fixture
def _no_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.delattr(os, "sched_setaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)


@pytest.mark.usefixtures("_no_sets")
def test_without_such_sets_all_cpus_count_and_nothing_is_pinned() -> None:
    assert (allowed_set(), allowed_count()) == (set(), 6)
    assert describe_environment()["allowed_cpus"] == 6
    assert cpus.pinning(Path("/")).verdict == "warn"
    check_plan(single(Pingpong(sizes=sizes_of([8])), Placement(place="none"), Sampling()))
    with pytest.raises(UsageError, match="cannot be pinned"):
        check_plan(single(Pingpong(sizes=sizes_of([8])), Placement(cpus=(0, 1)), Sampling()))


def test_on_linux_it_is_the_kernels_set() -> None:
    assert allowed_set() == os.sched_getaffinity(0)
    assert allowed_count() == len(os.sched_getaffinity(0))

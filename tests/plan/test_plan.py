"""A plan is the same after it was stored, and what an older version stored is still read."""

from __future__ import annotations

import json

import msgspec
import pytest
from msgspec.structs import replace

from hockney.plan import (
    Case,
    Placement,
    Plan,
    Sampling,
    Size,
    difference,
    plan_of,
    single,
    sizes_of,
    stored,
)
from hockney.plan.loads import Burst, Roles
from hockney.plan.trains import Train
from hockney.plan.workloads import WORKLOADS as EXPERIMENTS
from hockney.plan.workloads import Workload
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.congestion import Congestion
from hockney.plan.workloads.cores import Cores
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.halo import Halo
from hockney.plan.workloads.late import Late
from hockney.plan.workloads.overheads import Overheads
from hockney.plan.workloads.overlap import Overlap
from hockney.plan.workloads.pairs import Pairs
from hockney.plan.workloads.pingpong import Pingpong
from hockney.plan.workloads.rma import Rma
from hockney.plan.workloads.startup import Startup

SIZES = (Size(0), Size(8, 1000, 10))
WORKLOADS: list[Workload] = [
    Pingpong(sizes=SIZES, peers=(0, 3), seconds_a_size=3.0, sweep=True, preset="osu"),
    Overheads(sizes=SIZES, messages=32, trains=(Train(1), Train(16, 500.0, 0.1))),
    Late(sizes=SIZES, delay_ns=1000),
    Pairs(sizes=SIZES, pairing=((0, 2), (1, 3)), active=(1, 2), operation="stream", windows=(8,)),
    Cores(sizes=SIZES, parallel=True, buffers="cold"),
    Rma(sizes=SIZES, operation="accumulate", synchronizations=("lock", "fence"), windows=(8,)),
    Startup(sizes=SIZES),
    Fabric(sizes=SIZES, switch_numbers=(("a", 0), ("b", 1)), visits=3),
    Congestion(
        sizes=SIZES,
        victim="stream",
        aggressors=("ring", "incast"),
        bursts=(Burst(), Burst(1e-3, 4e-3)),
        roles=Roles(placing="listed", victims=2, listed=((0, 1), (2, 3))),
        most_factor=3.0,
    ),
    Collective(sizes=SIZES, collective="bcast", algorithm="chain", segment_bytes=8192, radix=4),
    Halo(sizes=SIZES, grid=(2, 2), exchanges=("waitall", "neighbor"), forms=("persistent",)),
    Overlap(sizes=SIZES, verify=True),
]
PLACEMENT = Placement(ranks=4, cpus=(0, 2), cfg=("a:b",), env={"A": "1"}, controls={"B": None})
SAMPLING = Sampling(precision=0.5, over_s=90.0)


def test_every_workload_is_here() -> None:
    assert {type(workload) for workload in WORKLOADS} == {
        experiment.WORKLOAD for experiment in EXPERIMENTS.all().values()
    }


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.experiment)
def test_a_plan_is_the_same_after_it_was_stored(workload: Workload) -> None:
    plan = replace(single(workload, PLACEMENT, SAMPLING), left_out=("why",))
    assert plan_of(json.loads(json.dumps(stored(plan)))) == plan


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.experiment)
def test_every_field_that_is_measured_differently_is_found(workload: Workload) -> None:
    before = single(workload, PLACEMENT, SAMPLING)
    more = single(workload, replace(PLACEMENT, broadcast="/tmp"), Sampling(budget_s=99.0))
    assert difference(before, more) is None
    fewer = single(replace(workload, sizes=sizes_of([8])), PLACEMENT, SAMPLING)
    assert difference(before, fewer) == "sizes was 0,8@1000+10, and is 8 now"
    elsewhere = single(workload, replace(PLACEMENT, place="socket"), SAMPLING)
    assert difference(before, elsewhere) == "place was core, and is socket now"
    twice = Plan(cases=before.cases * 2, sampling=SAMPLING)
    assert difference(before, twice) == "it had 1 combination, and has 2 now"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"buffers": "DEVICE to HOST", "Datatype": "MPI_CHAR"},
        {"experiment": "pingpong", "sizes": "8"},
        {"cases": [], "sampling": {}},
        {"cases": [{"workload": {"experiment": ["x"]}, "placement": {}}], "sampling": {}},
        {"cases": [{"workload": {"experiment": "pingpong"}, "placement": {}}], "sampling": {}},
        {"cases": 3},
    ],
)
def test_other_options_are_no_plan(options: dict[str, object]) -> None:
    assert plan_of(options) is None


class Point(msgspec.Struct):
    """The point of a record of samples."""

    operation: str
    algorithm: str | None
    segment_bytes: int | None
    ranks: int
    variant: str | None = None
    form: str | None = "nonblocking"
    phase: str | None = None
    radix: int | None = 4
    requests: int | None = None
    element: str | None = None


@pytest.mark.parametrize(
    ("point", "is_it"),
    [
        (Point("ibcast", "chain", 8192, 4), True),
        (Point("ibcast", "chain", None, 4), False),
        (Point("ibcast", "chain", 4096, 4), False),
        (Point("ibcast", "chain", 8192, 2), False),
        (Point("bcast", "chain", 8192, 4), False),
        (Point("ibcast", None, 8192, 4), False),
        (Point("ibcast", "chain", 8192, 4, "other"), False),
        (Point("ibcast", "chain", 8192, 4, form="persistent"), False),
        (Point("ibcast", "chain", 8192, 4, phase="all"), False),
        (Point("ibcast", "chain", 8192, 4, radix=8), False),
        (Point("ibcast", "chain", 8192, 4, radix=None), False),
        (Point("ibcast", "chain", 8192, 4, requests=2), False),
    ],
)
def test_samples_tell_which_case_they_are_of(point: Point, is_it: bool) -> None:
    workload = Collective(
        sizes=SIZES, collective="ibcast", algorithm="chain", segment_bytes=8192, radix=4
    )
    assert Case(workload=workload, placement=PLACEMENT).is_measured_by(point) == is_it

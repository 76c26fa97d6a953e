from __future__ import annotations

import pytest

from hockney.infer.analysis.hidden import hidden_fractions, host_overheads
from hockney.infer.estimate import estimate
from hockney.plan.axes import Point
from hockney.records import Run, Samples
from samples import HEADER

IBCAST = Point(operation="ibcast", algorithm="ring", form="nonblocking", ranks=4, bytes=8)


def add_both(run: Run, launch: int, visit: int, alone_ns: float, overlapped_ns: float) -> None:
    """A visit of the operation alone, and one that overlaps a computation as long."""
    for overlap, ns in ((False, alone_ns), (True, overlapped_ns)):
        run.add(
            Samples(
                launch=launch,
                round=visit,
                operation="ibcast",
                algorithm="ring",
                form="nonblocking",
                bytes=8,
                ranks=4,
                overlap=overlap,
                repetitions=1,
                ns=[ns],
                compute_ns=alone_ns if overlap else None,
            )
        )


@pytest.mark.parametrize(
    ("overlapped_ns", "share"),
    [(1000.0, 1.0), (2000.0, 0.0), (1250.0, 0.75), (900.0, 1.0), (5000.0, 0.0)],
)
def test_what_is_hidden(overlapped_ns: float, share: float) -> None:
    run = Run(HEADER)
    for launch in range(5):
        add_both(run, launch, 0, 1000.0, overlapped_ns)
    assert hidden_fractions(run, estimate(run)) == {IBCAST: pytest.approx(share)}


def test_host_overhead_is_what_is_left_of_the_ranks_own_time() -> None:
    """Launches compute for different times; what they lose is the median of 100, 200 and 900 ns."""
    run = Run(HEADER)
    for launch, (computed, own) in enumerate([(1000.0, 1100.0), (500.0, 700.0), (800.0, 1700.0)]):
        run.add(
            Samples(
                launch=launch,
                round=0,
                operation="isend",
                form="nonblocking",
                bytes=8,
                ranks=2,
                overlap=True,
                repetitions=1,
                ns=[2000.0] * 3,
                compute_ns=computed,
                own_mean_ns=[own] * 3,
                own_max_ns=[own] * 3,
            )
        )
    point = Point(operation="isend", form="nonblocking", ranks=2, bytes=8)
    assert host_overheads(run, estimate(run)) == {point: pytest.approx(200e-9)}


def test_without_computation_nothing_is_said() -> None:
    run = Run(HEADER)
    run.add(
        Samples(
            launch=0,
            round=0,
            operation="ibcast",
            algorithm="ring",
            bytes=8,
            ranks=4,
            repetitions=1,
            ns=[1.0],
        )
    )
    assert hidden_fractions(run, estimate(run)) == {}
    assert host_overheads(run, estimate(run)) == {}


def test_each_launch_counts_by_its_own_times() -> None:
    """A slow launch with many visits computes longer, and hides a quarter as the others do."""
    run = Run(HEADER)
    for launch, (visits, factor) in enumerate([(2, 1.0)] * 4 + [(20, 3.0)]):
        for visit in range(visits):
            add_both(run, launch, visit, 1000.0 * factor, 1750.0 * factor)
    assert hidden_fractions(run, estimate(run)) == {IBCAST: pytest.approx(0.25)}

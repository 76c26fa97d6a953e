from __future__ import annotations

import pytest

from hockney.analysis.overlap import hidden_fractions
from hockney.estimate import estimate
from hockney.records import Run, Samples
from hockney.spec.axes import Point
from samples import HEADER


@pytest.mark.parametrize(
    ("overlapped_ns", "share"),
    [(1000.0, 1.0), (2000.0, 0.0), (1250.0, 0.75), (900.0, 1.0), (5000.0, 0.0)],
)
def test_what_is_hidden(overlapped_ns: float, share: float) -> None:
    run = Run(HEADER)
    for launch in range(5):
        alone, meanwhile = (False, 1000.0, None), (True, overlapped_ns, 1000.0)
        for overlap, ns, compute in (alone, meanwhile):
            run.add(
                Samples(
                    launch=launch, round=0, operation="ibcast", algorithm="ring", bytes=8, ranks=4,
                    overlap=overlap, repetitions=1, ns=[ns], compute_ns=compute,
                )
            )  # fmt: skip
    point = Point(operation="ibcast", algorithm="ring", ranks=4, bytes=8)
    assert hidden_fractions(run, estimate(run)) == {point: pytest.approx(share)}


def test_without_computation_nothing_is_said() -> None:
    run = Run(HEADER)
    run.add(Samples(launch=0, round=0, operation="ibcast", algorithm="ring", bytes=8, ranks=4,
                    repetitions=1, ns=[1.0]))  # fmt: skip
    assert hidden_fractions(run, estimate(run)) == {}

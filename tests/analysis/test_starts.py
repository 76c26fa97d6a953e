"""Facts about how collectives began."""

from __future__ import annotations

import pytest

from hockney.infer.analysis.conditions.starts import starts_of
from hockney.records import Start
from samples import make_run


def start(launch: int, **fields: object) -> Start:
    return Start(launch=launch, round=0, operation="bcast", bytes=8, ranks=2, **fields)  # type: ignore[arg-type]


def test_runs_without_starts_have_none() -> None:
    assert starts_of(make_run(lambda *_: [1.0], launches=1)) is None


def test_missed_repetitions_and_barriers_are_counted() -> None:
    run = make_run(lambda *_: [1.0, 1.0], launches=2, rounds=1, sizes=[8])
    run.add(start(0, begin="clock", skew_s=1e-7, tolerance_s=1e-6, missed=1))
    run.add(start(1, begin="barrier", skew_s=0.0))
    starts = starts_of(run)
    assert starts is not None
    assert (starts.launches, starts.behind_barrier) == (2, 1)
    assert starts.skew_s == 1e-7
    assert starts.tolerance_s == 1e-6
    counted = sum(len(samples.ns) for samples in run.samples)
    assert starts.missed == pytest.approx(1 / (1 + counted))

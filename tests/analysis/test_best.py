"""The best algorithm of each cell, and whether it is significantly the best."""

from __future__ import annotations

import numpy as np
import pytest

from collective_samples import collective_run
from hockney.base.errors import UsageError
from hockney.infer.analysis.algorithms.best import (
    EQUAL,
    FASTER,
    OWN,
    UNKNOWN,
    CollectiveCell,
    cells_of,
    name_of,
)
from hockney.infer.analysis.comparison.run_drift import RunDrift
from hockney.infer.estimate import estimate
from hockney.infer.estimate.differences import Judged
from hockney.infer.memory.components import level_of
from hockney.plan.axes import key_without
from hockney.plan.workloads.collective import DEFAULT
from hockney.records import Run

TIMES = {"default": 10e-6, "binomial": 5e-6, "chain": 20e-6, "pipeline": 9.95e-6}


def cells(run: Run) -> list[CollectiveCell]:
    return cells_of(estimate(run).headline)


def measured(spread: float = 0.01, launches: int = 5, **scale: float) -> Run:
    return collective_run(
        lambda _, name, ranks, size: TIMES[name] * scale.get(name, 1.0) * ranks * (1 + size / 1e3),
        algorithms={name: {} for name in TIMES},
        ranks=(3, 6, 12),
        sizes=(0, 8, 4096),
        spread=spread,
        launches=launches,
    )


def test_the_best_wins_by_what_it_is_faster() -> None:
    measured_cells = cells(measured())
    assert [(cell.ranks, cell.bytes) for cell in measured_cells] == [
        (ranks, size) for ranks in (3, 6, 12) for size in (0, 8, 4096)
    ]
    for cell in measured_cells:
        assert cell.best.name == "binomial"
        assert cell.gain == pytest.approx(2.0)
        assert cell.verdict == FASTER
        assert [contender.name for contender in cell.contenders] == [
            "binomial",
            "pipeline",
            "chain",
        ]


def test_what_lies_within_noise_is_said_to() -> None:
    for cell in cells(measured(spread=0.05, binomial=1.98)):
        assert cell.gain is not None
        assert 1.0 < cell.gain < 1.02
        assert cell.verdict == UNKNOWN
        assert cell.unknown_text == "unknown: 5 launches"


def test_the_library_may_have_chosen_best() -> None:
    for cell in cells(measured(binomial=4.0, pipeline=2.0)):
        assert cell.best.name == "default"
        assert cell.gain == 1.0
        assert cell.verdict == OWN


def test_few_launches_tell_nothing() -> None:
    assert {cell.verdict for cell in cells(measured(launches=2))} == {UNKNOWN}
    assert {cell.verdict for cell in cells(measured(launches=2, binomial=4.0))} == {UNKNOWN}


def test_only_what_is_not_slower_is_harmless() -> None:
    [cell, *_] = cells(measured(chain=0.5))
    harmless = {contender.name: contender.is_harmless for contender in cell.contenders}
    assert harmless == {"binomial": True, "pipeline": True, "chain": True}
    [cell, *_] = cells(measured())
    assert [contender.name for contender in cell.contenders if not contender.is_harmless] == [
        "chain"
    ]


def test_without_the_default_nothing_is_gained() -> None:
    run = collective_run(lambda *_: 1e-6, algorithms={"chain": {}, "binomial": {}})
    for cell in cells(run):
        assert cell.gain is None
        assert cell.verdict == EQUAL


def test_without_the_default_the_fastest_is_tested_against_the_second() -> None:
    run = collective_run(
        lambda _, name, *__: TIMES[name], algorithms={"chain": {}, "binomial": {}, "pipeline": {}}
    )
    assert {(cell.best.name, cell.verdict) for cell in cells(run)} == {("binomial", FASTER)}


def test_without_the_default_what_is_surely_as_fast_is_as_good() -> None:
    """Of simulated times one launch shows it, of others their launches; the slower is no tie."""
    run = collective_run(
        lambda _, name, *__: 1e-6 * (2.0 if name == "chain" else 1.0),
        algorithms={"chain": {}, "binomial": {}, "pipeline": {}, "linear": {}},
        launches=1,
    )
    points = estimate(run).headline
    assert {cell.verdict for cell in cells_of(points)} == {UNKNOWN}
    for cell in cells_of(points, is_exact=True):
        assert cell.verdict == EQUAL
        assert {cell.best.name, *cell.ties} == {"binomial", "pipeline", "linear"}
    run = collective_run(
        lambda _, name, *__: TIMES[name] * (2.0 if name == "binomial" else 1.0),
        algorithms={"chain": {}, "binomial": {}, "pipeline": {}},
        spread=0.002,
        launches=20,
    )
    for cell in cells(run):
        assert (cell.verdict, cell.ties) == (EQUAL, ("binomial",))
        assert cell.winner is cell.best.point


def test_one_point_of_two_files_is_refused() -> None:
    points = estimate(measured()).headline
    with pytest.raises(UsageError, match="in two files"):
        cells_of([*points, *points])


def test_algorithms_of_two_runs_are_compared_beyond_what_runs_differ_by() -> None:
    points = estimate(measured()).headline
    own = [point for point in points if name_of(point) == DEFAULT]
    forced = [point for point in points if name_of(point) != DEFAULT]
    for cell_within, cell_between in zip(cells_of(points), cells_of(own, forced), strict=True):
        assert [each.point for each in cell_within.contenders] == [
            each.point for each in cell_between.contenders
        ]
        for within, between in zip(cell_within.contenders, cell_between.contenders, strict=True):
            assert within.difference is not None
            assert between.difference is not None
            assert between.difference.ratio == within.difference.ratio
            assert _width(between.difference) > _width(within.difference)


def test_earlier_runs_of_both_show_how_much_two_runs_differ() -> None:
    points = estimate(measured()).headline
    own = [point for point in points if name_of(point) == DEFAULT]
    forced = [point for point in points if name_of(point) != DEFAULT]
    alike = {key_without(point): level_of(np.log(point.medians_s)) for point in points}
    known = RunDrift(False, ([alike] * 8, [alike] * 8))
    drifts = {(0, 1): known, (1, 0): known}
    for assumed_cell, shown_cell in zip(
        cells_of(own, forced), cells_of(own, forced, drifts=drifts), strict=True
    ):
        for assumed, shown in zip(assumed_cell.contenders, shown_cell.contenders, strict=True):
            assert assumed.difference is not None
            assert shown.difference is not None
            assert _width(shown.difference) < _width(assumed.difference)


def _width(difference: Judged) -> float:
    assert difference.interval is not None
    return difference.interval.high - difference.interval.low


def test_where_the_library_is_the_best_it_is_the_winner_whatever_the_medians() -> None:
    for cell in cells(measured(binomial=1.98, spread=0.02, launches=8)):
        assert (cell.best.name, cell.verdict) == ("binomial", OWN)
        assert cell.winner is cell.default


def test_an_algorithm_that_is_not_shown_to_be_slower_than_the_fastest_ties_with_it() -> None:
    for cell in cells(measured(pipeline=0.504, launches=8)):
        assert (cell.best.name, cell.verdict, cell.ties) == ("binomial", FASTER, ("pipeline",))
    assert {cell.ties for cell in cells(measured(pipeline=0.6, launches=8))} == {()}


def test_an_algorithm_without_enough_launches_may_tie_with_the_fastest() -> None:
    points = estimate(measured(launches=8)).headline
    few = [p for p in estimate(measured(launches=2)).headline if name_of(p) == "pipeline"]
    kept = [point for point in points if name_of(point) != "pipeline"]
    assert {cell.ties for cell in cells_of([*kept, *few])} == {("pipeline",)}

"""What would show a difference, against simulated comparisons."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import RunComparison, compare
from hockney.infer.analysis.comparison.comparison_plan import _blocks, comparison_plan, shown
from hockney.infer.estimate.blocks import OF_RATIOS
from hockney.infer.estimate.differences import Unseen, paired, two_samples
from hockney.infer.estimate.shifts import LEVEL
from hockney.records import Run
from hockney.show.comparison.comparison_lines import plan_lines
from samples import make_run


def run_of(number: int, scatter: float, launches: int = 10, is_simulated: bool = False) -> Run:
    levels = np.random.default_rng(number).lognormal(sigma=scatter, size=launches)
    run = make_run(lambda launch, *_: [1e3 * levels[launch]] * 4, launches=launches)
    run.header = msgspec.structs.replace(run.header, id=f"run {number}")
    run.launches[0].simulated = is_simulated
    return run


def compared(scatter: float, earlier: int = 0, **more: int) -> RunComparison:
    first, second, *others = (
        Analysis(run_of(number, scatter, **more)) for number in range(earlier + 2)
    )
    return compare(first, second, 0.03, others)


@pytest.mark.parametrize(("scatter", "drift"), [(0.02, 0.0), (0.02, 0.02), (0.005, 0.02)])
def test_what_is_shown_in_80_of_100_is(scatter: float, drift: float) -> None:
    unseen = Unseen.of(math.sqrt(2.0) * drift)
    difference = math.log1p(shown(scatter, 12, unseen))
    rng, called, smallest = np.random.default_rng(1), 0, []
    for _ in range(400):
        levels = drift * rng.standard_normal(2) + [0.0, difference]
        first, second = (level + scatter * rng.standard_normal(12) for level in levels)
        judged = two_samples(first, second, 0.01, unseen)
        called += judged.verdict == "slower"
        smallest.append(judged.found_in_80)
    assert 0.74 * 400 <= called <= 0.86 * 400
    assert np.median(smallest) == pytest.approx(math.expm1(difference), rel=0.1)


def test_more_launches_help_until_the_runs_limit() -> None:
    comparison = compared(0.01, earlier=12)
    assert comparison.overall is not None
    now = comparison.overall.found_in_80 or 0.0
    plan = comparison_plan(comparison, 0.9 * now)
    assert plan is not None
    assert plan.launches is None or plan.launches > 10
    assert plan.least_by_launches < now
    none = comparison_plan(comparison, 0.9 * plan.least_by_launches)
    assert none is not None
    assert none.launches is None
    assert none.least_by_runs <= none.least_by_launches
    assert (none.blocks or 0) >= 8


def test_a_smaller_difference_takes_more_blocks() -> None:
    comparison = compared(0.03, earlier=3)
    blocks = [(comparison_plan(comparison, d), d) for d in (0.05, 0.02, 0.01)]
    counts = [plan.blocks or 0 for plan, _ in blocks if plan]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0] >= 8


@pytest.mark.parametrize(("scatter", "difference"), [(0.02, 0.03), (0.05, 0.08), (0.01, 0.01)])
def test_planned_blocks_show_the_difference_in_80_of_100(scatter: float, difference: float) -> None:
    blocks, rng = _blocks(scatter, difference), np.random.default_rng(1)
    assert blocks is not None
    logs = math.log1p(difference) + math.sqrt(2.0) * scatter * rng.standard_normal((100, blocks))
    level = OF_RATIOS * LEVEL / 2.0
    called = sum(paired(row, 0.01, level).verdict == "slower" for row in logs)
    assert 72 <= called <= 92


def test_earlier_runs_help_where_little_is_known_of_them() -> None:
    plan = comparison_plan(compared(0.02), 0.08)
    assert plan is not None
    assert plan.launches is None
    assert plan.earlier_runs is not None
    assert plan.least_by_runs < 0.08 < plan.least_by_launches


def test_of_simulated_runs_launches_alone_count() -> None:
    plan = comparison_plan(compared(0.02, is_simulated=True), 0.005)
    assert plan is not None
    assert plan.launches is not None
    assert plan.launches == pytest.approx(2 * (2.8 * 0.02 / 0.005) ** 2, rel=0.6)
    assert plan.earlier_runs is None


def beside_exact(launches: int, exact_first: bool) -> RunComparison:
    runs = [run_of(0, 0.0, 1, is_simulated=True), run_of(1, 0.02, launches)]
    return compare(*map(Analysis, runs if exact_first else reversed(runs)), 0.03)


@pytest.mark.parametrize("exact_first", [True, False])
def test_beside_an_exact_run_the_launches_of_the_other_alone_count(exact_first: bool) -> None:
    comparison = beside_exact(20, exact_first)
    plan = comparison_plan(comparison, 0.5)
    assert plan is not None
    assert plan.blocks is None
    assert plan.launches == 6
    assert (
        plan_lines(comparison, plan)[1]
        == f"  6 launches of {'B' if exact_first else 'A'} (it has 20)"
    )
    assert comparison.overall is not None
    now = comparison.overall.found_in_80 or 0.0
    fewer = comparison_plan(comparison, now)
    assert fewer is not None
    assert fewer.launches == pytest.approx(20, abs=4)
    assert comparison_plan(beside_exact(1, exact_first), 0.5) is None


def test_what_is_shown_against_an_exact_run_in_80_of_100_is() -> None:
    difference = math.log1p(shown(0.02, 12, None, 1))
    rng, called, exact = np.random.default_rng(1), 0, np.zeros(1)
    for _ in range(400):
        logs = difference + 0.02 * rng.standard_normal(12)
        called += two_samples(exact, logs, 0.01, constant=0).verdict == "slower"
    assert 0.74 * 400 <= called <= 0.86 * 400


def test_of_one_launch_nothing_is_planned() -> None:
    assert comparison_plan(compared(0.02, launches=1), 0.02) is None


def test_runs_without_any_scatter_are_planned() -> None:
    plan = comparison_plan(compared(0.0, earlier=3), 0.05)
    assert plan is not None
    assert plan.blocks == 8

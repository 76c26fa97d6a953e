"""The distribution of the deviation between runs, against slow integrals and simulated runs."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from hockney.infer.memory.components import (
    BetweenRuns,
    RunLevel,
    RunsEvidence,
    between_runs,
    evidence_of,
    level_of,
)
from hockney.infer.memory.prior import FACTOR, GRID, log_prior, middle_of

LOGS = st.lists(st.floats(-0.2, 0.2), min_size=1, max_size=12)
SOME_PRIOR = log_prior(0.02)


def levels(*centres: float, scatter: float = 0.02, launches: int = 10) -> list[RunLevel]:
    return [RunLevel(centre, scatter, launches) for centre in centres]


def between(*centres: float) -> BetweenRuns:
    return between_runs([evidence_of([levels(*centres)])], [SOME_PRIOR])[0]


@pytest.mark.parametrize(
    "centres", [(0.0, 0.01), (0.0, 0.0001), (0.01, -0.02, 0.0, 0.015, 0.03, -0.01), (0.0, 0.5)]
)
def test_the_distribution_is_that_of_a_slow_integral(centres: tuple[float, ...]) -> None:
    """Each run's level is normal about an unknown mean, which is integrated out."""
    means = np.linspace(-3.0, 3.5, 20_001)
    sigmas = np.geomspace(1e-4, 3.0, 400)
    explained = levels(0.0)[0].explained
    density = np.array(
        [
            np.prod(norm.pdf(np.array(centres)[:, None], means, math.hypot(s, explained**0.5)), 0)
            .sum()
            .item()
            for s in sigmas
        ]
    )
    spread = math.log(FACTOR) / norm.ppf(0.95)
    density *= norm.pdf(np.log(sigmas / middle_of(0.02)) / spread)
    below = (np.cumsum(density) - density / 2.0) / density.sum()
    distribution = between(*centres)
    for fraction in (0.05, 0.5, 0.95):
        expected = math.exp(np.interp(fraction, below, np.log(sigmas)))
        assert distribution.quantile(fraction) == pytest.approx(expected, rel=0.04)


def test_the_interval_of_two_runs_is_that_of_draws() -> None:
    distribution = between(0.01, -0.02, 0.0, 0.015)
    rng = np.random.default_rng(1)
    sigmas = rng.choice(GRID, 400_000, p=distribution.weights)
    draws = sigmas * math.sqrt(2.0) * rng.standard_normal(len(sigmas))
    draws += 0.01 * rng.standard_normal(len(sigmas))
    half = float(distribution.of_two.distance(0.05, np.array([0.01]))[0])
    assert half == pytest.approx(float(np.quantile(np.abs(draws), 0.95)), rel=0.02)
    p = float(distribution.of_two.p(np.array([half]), np.array([0.01]))[0])
    assert p == pytest.approx(0.05, rel=1e-6)


def test_no_other_run_leaves_the_prior() -> None:
    single: tuple[float, ...] = (0.7,)
    for centres in ((), single):
        distribution = between(*centres)
        assert distribution.runs == 0
        assert distribution.deviation == pytest.approx(middle_of(0.02), rel=0.02)
        low, high = distribution.limits
        assert (low, high) == pytest.approx(
            (middle_of(0.02) / FACTOR, middle_of(0.02) * FACTOR), rel=0.04
        )


def test_more_runs_leave_less_open() -> None:
    explained = 4e-5
    widths = []
    for freedom in (0, 1, 2, 5, 20, 100):
        evidence = RunsEvidence(freedom * (0.02**2 + explained), freedom, explained, freedom + 1)
        distribution = between_runs([evidence], [SOME_PRIOR])[0]
        low, high = distribution.limits
        widths.append(high / low)
    assert widths == sorted(widths, reverse=True)
    assert distribution.deviation == pytest.approx(0.02, rel=0.05)
    assert distribution.freedom == pytest.approx(100.0, rel=0.25)


def test_equal_levels_are_no_proof_that_runs_never_differ() -> None:
    distribution = between(0.3, 0.3, 0.3)
    assert 0.0 < distribution.deviation < middle_of(0.02)
    assert distribution.limits[1] > 0.004


def test_points_that_move_together_count_once() -> None:
    rng = np.random.default_rng(3)
    centres = 0.01 * rng.standard_normal(6)
    evidence = evidence_of([levels(*centres)])
    alone = between_runs([evidence], [SOME_PRIOR])[0]
    of_thirty = between_runs([evidence] * 30, [SOME_PRIOR] * 30)[0]
    assert alone.freedom < of_thirty.freedom < 1.4 * alone.freedom


def test_a_point_without_earlier_runs_learns_from_the_others() -> None:
    quiet = RunsEvidence(5 * 0.003**2, 5, 0.0, 6)
    nothing = RunsEvidence(0.0, 0, 0.0, 0)
    alone = between_runs([nothing], [SOME_PRIOR])[0]
    beside = between_runs([quiet] * 8 + [nothing], [SOME_PRIOR] * 9)[-1]
    assert beside.deviation < alone.deviation


def test_an_outlier_among_launches_makes_no_runs_alike() -> None:
    """Their standard deviation would explain any difference between runs."""
    calm = 0.01 * np.random.default_rng(4).standard_normal(12)
    disturbed = calm.copy()
    disturbed[3] = 2.0
    assert level_of(disturbed).explained < 2.0 * level_of(calm).explained
    assert level_of(disturbed).centre == pytest.approx(level_of(calm).centre, abs=0.01)


@given(LOGS, st.floats(-5.0, 5.0))
def test_another_unit_moves_levels_alone(logs: list[float], shift: float) -> None:
    first, moved = level_of(np.array(logs)), level_of(np.array(logs) + shift)
    assert moved.centre == pytest.approx(first.centre + shift, abs=1e-9)
    assert moved.scatter == pytest.approx(first.scatter, abs=1e-9)
    assert min(logs) - 1e-12 <= first.centre <= max(logs) + 1e-12


@given(st.lists(st.floats(-0.3, 0.3), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_runs_is_nothing_and_more_spread_is_more(
    centres: list[float], random: Random
) -> None:
    shuffled = list(centres)
    random.shuffle(shuffled)
    distribution = between(*centres)
    assert distribution.weights.sum() == pytest.approx(1.0)
    assert between(*shuffled).deviation == pytest.approx(distribution.deviation, rel=1e-6)
    assert (
        between(*(2.0 * centre for centre in centres)).deviation >= distribution.deviation - 1e-12
    )
    assert distribution.limits[0] <= distribution.deviation <= distribution.limits[1]


@pytest.mark.parametrize("earlier", [0, 1, 2, 5, 20])
def test_equal_runs_lie_in_the_interval(earlier: int) -> None:
    """Runs and launches that scatter by 2 %: at most 5 % lie beyond."""
    rng = np.random.default_rng(earlier)
    beyond = 0
    for _ in range(400):
        runs = 0.02 * rng.standard_normal(earlier + 2)
        each = [level_of(run + 0.02 * rng.standard_normal(10)) for run in runs]
        evidence = evidence_of([each[:-1]] if earlier else [])
        distribution = between_runs([evidence], [SOME_PRIOR])[0]
        half = distribution.of_two.distance(0.05, np.array([0.02 * math.sqrt(0.2)]))[0]
        beyond += abs(each[-1].centre - each[-2].centre) > half
    assert beyond <= 0.075 * 400


@pytest.mark.parametrize("launches", [2, 3, 10, 50])
def test_launches_explain_as_much_as_the_levels_of_equal_runs_differ(launches: int) -> None:
    random = np.random.default_rng(launches)
    runs = [level_of(random.standard_normal(launches)) for _ in range(4000)]
    differ = float(np.var([run.centre for run in runs]))
    assert float(np.mean([run.explained for run in runs])) == pytest.approx(differ, rel=0.08)

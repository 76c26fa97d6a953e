from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.infer.analysis.warnings import warnings
from hockney.infer.estimate import estimate, is_precise
from hockney.infer.estimate.estimating import estimate_point
from hockney.infer.estimate.launches import launch_ratios, modes_of
from hockney.infer.estimate.quantiles import ENOUGH_LAUNCHES, deciding_interval
from hockney.infer.estimate.sketch import samples_needed
from hockney.plan.axes import Point
from hockney.records import Finish
from hockney.show.one_run.run_lines import confidence_text
from samples import make_run


def test_launches_weigh_alike_however_many_samples_they_have() -> None:
    def ns(launch: int, _round: int, _bytes: int) -> list[float]:
        return [108.0] * 500 if launch == 0 else [100.0 + launch]

    (point,) = estimate(make_run(ns)).headline
    assert point.median_s == pytest.approx(103e-9)
    assert (point.launches, point.samples) == (5, 5000 + 40)
    assert point.mean_s == pytest.approx((108 + 101 + 102 + 103 + 104) / 5 * 1e-9)
    assert (point.min_s, point.max_s) == (pytest.approx(101e-9), pytest.approx(108e-9))


def test_the_interval_is_over_launches() -> None:
    (point,) = estimate(make_run(lambda launch, *_: [100.0 + launch] * 50)).headline
    assert point.interval is not None
    assert point.interval.low == pytest.approx(100e-9)
    assert point.interval.high == pytest.approx(104e-9)
    assert point.interval.confidence == 0.70
    assert point.within_std_s == pytest.approx(0.0, abs=1e-15)
    assert point.between_std_s == pytest.approx(1.5811e-9, rel=1e-3)


def test_one_launch_has_no_interval() -> None:
    (point,) = estimate(make_run(lambda *_: [1.0, 2.0, 3.0], launches=1)).headline
    assert point.interval is None
    assert point.between_std_s is None


def test_zero_bytes_have_a_time_and_no_bandwidth() -> None:
    (point,) = estimate(make_run(lambda *_: [1.0], sizes=(0,))).headline
    assert point.median_s == pytest.approx(1e-9)
    assert point.bandwidth_Bps is None


def test_a_run_that_ended_because_it_was_precise_has_the_wider_interval() -> None:
    run = make_run(lambda launch, *_: [100.0 + launch * (-1) ** launch], launches=30)
    (usual,) = estimate(run).headline
    run.add(Finish(reason="precision", spent_s=1.0, sampling={}))
    (chosen,) = estimate(run).headline
    assert usual.interval is not None
    assert chosen.interval is not None
    assert chosen.interval.low < usual.interval.low
    assert chosen.interval.confidence == 0.95


def test_an_older_run_that_ended_with_few_launches_states_no_confidence() -> None:
    """It ended at the first narrow interval, which was thus chosen."""
    run = make_run(lambda launch, *_: [100.0 + launch], launches=ENOUGH_LAUNCHES - 1)
    run.add(Finish(reason="precision", spent_s=1.0, sampling={}))
    (point,) = estimate(run).headline
    assert point.interval is not None
    assert point.interval.confidence is None
    assert "states no confidence" in confidence_text([point])


def test_a_launch_slow_as_a_whole_is_left_out_by_the_rule_and_counted() -> None:
    def ns(launch: int, _round: int, size: int) -> list[float]:
        return [(2.5 if launch == 3 else 1.0 + 0.001 * launch) * (100.0 + size)]

    run = make_run(ns, launches=10, sizes=(1, 8, 64))
    estimates = estimate(run)
    assert estimates.slow_launches == (3,)
    assert {point.launches for point in estimates.headline} == {9}
    assert {point.launches for point in estimate(run, every_launch=True).headline} == {10}
    assert estimates.modes == ()


def test_a_slow_launch_is_left_out_of_the_median_and_of_nothing_else() -> None:
    def ns(launch: int, _round: int, _size: int) -> list[float]:
        return [(2000.0 if launch == 3 else 1000.0) + launch] * 4

    (point,) = estimate(make_run(ns, launches=12)).headline
    assert point.launches == 11
    assert 3 not in point.launch_numbers
    assert point.median_s == pytest.approx(1006e-9)
    assert point.max_s == pytest.approx(2003e-9)
    assert point.mean_s == pytest.approx((1000 + 5.5 + 1000 / 12) * 1e-9)
    assert point.samples == 12 * 10 * 4
    assert point.between_std_s is not None
    assert point.between_std_s > 250e-9


QUANTILES = {"p5_s": 0.05, "p25_s": 0.25, "p75_s": 0.75, "p95_s": 0.95, "p99_s": 0.99}


@pytest.mark.parametrize("samples", [12, 13, 71, 72, 367, 368])
def test_a_quantile_is_known_from_the_samples_on_that_its_rule_needs(samples: int) -> None:
    random = np.random.default_rng(samples)
    launches = {launch: random.lognormal(sigma=0.5, size=samples) for launch in range(6)}
    point = estimate_point(Point(operation="pingpong", bytes=8), 0, launches)
    for name, fraction in QUANTILES.items():
        assert (getattr(point, name) is not None) is (samples >= samples_needed(fraction))


def test_a_quantile_is_over_the_launches_that_have_enough_samples() -> None:
    launches = {launch: np.linspace(1.0, 2.0, 400) for launch in range(3)} | {3: np.full(20, 9.0)}
    point = estimate_point(Point(operation="pingpong", bytes=8), 0, launches)
    assert point.p99_s == pytest.approx(1.99)
    assert point.max_s == 9.0


def test_p99_from_few_samples_is_not_far_below_the_true_one() -> None:
    """p99 of 12 samples would be 0.68 of the true one."""
    random, true = np.random.default_rng(104), np.exp(0.5 * 2.326348)
    for samples in (12, 100, 400):
        launches = {n: random.lognormal(sigma=0.5, size=samples) for n in range(60)}
        p99_s = estimate_point(Point(operation="pingpong", bytes=8), 0, launches).p99_s
        assert p99_s is None or p99_s == pytest.approx(true, rel=0.06)


@pytest.mark.parametrize("slow", [3, 9, 11])
def test_more_slow_launches_than_a_tenth_are_a_mode_and_kept(slow: int) -> None:
    def ns(launch: int, _round: int, size: int) -> list[float]:
        return [(1.35 if launch < slow else 1.0) * (1.0 + 0.001 * (launch % 5)) * (100.0 + size)]

    estimates = estimate(make_run(ns, launches=20, sizes=(1, 8, 64)))
    assert estimates.slow_launches == ()
    assert {point.launches for point in estimates.headline} == {20}
    fast, other = estimates.modes
    assert (fast.ratio, other.launches) == (1.0, tuple(range(slow)))
    assert other.ratio == pytest.approx(1.35, rel=0.01)


def test_the_ratio_of_modes_is_that_of_the_points_that_show_them() -> None:
    def ns(launch: int, _round: int, size: int) -> list[float]:
        slow = 5.0 if launch % 2 and size == 8 else 1.0
        return [slow * (1.0 + 0.001 * (launch % 5)) * (100.0 + size)]

    estimates = estimate(make_run(ns, launches=20, sizes=(1, 8)))
    assert [mode.ratio for mode in estimates.modes] == [1.0, pytest.approx(5.0, rel=0.01)]


def test_modes_that_share_no_point_are_compared_as_a_whole() -> None:
    points = [{n: 1.0 + (n % 2) for n in range(10)}, dict.fromkeys(range(10, 20), 7.0)]
    ratios = launch_ratios(points)
    fast, middle, slow = modes_of(ratios, points)
    assert (fast.ratio, middle.ratio, slow.ratio) == (1.0, 1.5, 2.0)


def test_a_launch_slow_at_one_size_only_is_kept() -> None:
    def ns(launch: int, _round: int, size: int) -> list[float]:
        return [(2.5 if launch == 3 and size == 8 else 1.0 + 0.001 * launch) * (100.0 + size)]

    assert estimate(make_run(ns, launches=7, sizes=(1, 8, 64))).slow_launches == ()


def test_scattered_launches_are_not_called_slow() -> None:
    run = make_run(lambda launch, *_: [100.0 * (1.0 + 0.08 * launch)], launches=9)
    assert estimate(run).slow_launches == ()


@pytest.mark.parametrize(("spread", "precise"), [(0.1, True), (1.5, False)])
def test_precise_is_when_every_interval_is_inside(spread: float, precise: bool) -> None:
    def ns(launch: int, *_: int) -> list[float]:
        return [100.0 + spread * (7 * launch % 9 - 4)] * 5

    assert is_precise(make_run(ns, launches=18, sizes=(1, 8)), 0.02) is precise
    assert not is_precise(make_run(ns, launches=17, sizes=(1, 8)), 0.02)


def test_the_second_half_of_the_launches_has_no_part_in_the_end() -> None:
    run = make_run(lambda launch, *_: [100.0 if launch < 9 else 50.0 * launch], launches=18)
    assert is_precise(run, 0.01)
    run.add(Finish(reason="precision", spent_s=1.0, sampling={}))
    (point,) = estimate(run).headline
    assert point.precision is not None
    assert point.precision > 0.5


@given(
    st.integers(0, 2**32 - 1),
    st.integers(3, 22),
    st.sampled_from([0.001, 0.01, 0.05]),
    st.booleans(),
    st.booleans(),
)
def test_precise_is_what_the_estimates_say(
    seed: int, launches: int, spread: float, one_slow: bool, states: bool
) -> None:
    """is_precise works out less than estimate() does, and must judge the same."""
    random = np.random.default_rng(seed)
    levels = random.lognormal(sigma=spread, size=launches)
    levels[0] *= 3.0 if one_slow else 1.0
    far = random.random((launches, 6)) < (0.3 if states else 0.0)
    run = make_run(
        lambda launch, round_, size: (
            (100.0 + size)
            * levels[launch]
            * (3.0 if far[launch, min(round_, 5)] else 1.0)
            * random.lognormal(sigma=0.01, size=2)
        ).tolist(),
        launches=launches,
        rounds=6,
        sizes=(8, 64),
        handover_ns=lambda launch, round_: 245.0 if far[launch, min(round_, 5)] else 53.0,
    )
    run.add(Finish(reason="precision", spent_s=1.0, sampling={}))
    points = estimate(run).headline
    intervals = [(p.typical_s, deciding_interval(np.array(p.medians_s))) for p in points]
    known = [
        (interval.high - interval.low) / 2.0 / at if interval else np.inf
        for at, interval in intervals
    ]
    worst = max(known, default=np.inf)
    for precision in (0.002, 0.01, 0.05):
        if abs(worst - precision) > 1e-9:
            assert is_precise(run, precision) is (worst < precision)


def test_too_few_launches_are_never_precise() -> None:
    assert not is_precise(make_run(lambda *_: [100.0], launches=4), 0.5)


@pytest.mark.parametrize("every", [2, 3, 10])
def test_launches_a_step_of_the_clock_apart_are_alike(every: int) -> None:
    """Each time is 220 ns long, by a clock that steps in 40 ns."""
    medians = [240.0 if launch % every == 0 else 200.0 for launch in range(20)]
    run = make_run(
        lambda launch, *_: [medians[launch]] * 3 + [160.0, 280.0],
        launches=20,
        repetitions=1,
        step_ns=40.0,
    )
    estimates = estimate(run)
    assert (estimates.slow_launches, estimates.modes, estimates.kept_apart) == ((), (), ())
    (point,) = estimates.headline
    assert point.launches == 20
    assert point.interval is not None
    assert point.interval.holds(219e-9)
    (warning,) = warnings(run, estimates)
    assert warning.text.startswith(
        "coarse clock: 1 of 1 median can be known to no better than ±5 %"
    )


def test_launches_several_steps_apart_are_modes() -> None:
    medians = [200.0, 320.0]
    run = make_run(
        lambda launch, *_: [medians[launch % 2]] * 5, launches=20, repetitions=1, step_ns=40.0
    )
    assert [mode.ratio for mode in estimate(run).modes] == pytest.approx([1.0, 1.6])


@pytest.mark.parametrize("repetitions", [1, 40])
def test_a_step_counts_where_the_times_show_it(repetitions: int) -> None:
    """The smallest step that was seen may be the cost of a reading; a batch has many operations."""
    run = make_run(
        lambda launch, round_, _: [
            (200.0, 238.0)[launch % 4 == 0] + 5.0 * i + round_ for i in range(8)
        ],
        launches=20,
        repetitions=repetitions,
        step_ns=40.0,
    )
    estimates = estimate(run)
    assert len(estimates.kept_apart) == 1
    assert estimates.headline[0].rounding is None

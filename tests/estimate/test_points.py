from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.estimate import estimate, is_precise
from hockney.estimate.quantiles import LEAST_TO_STOP
from hockney.records import Finish
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
    assert (point.low_s, point.high_s) == (pytest.approx(100e-9), pytest.approx(104e-9))
    assert point.confidence == pytest.approx(0.9375)
    assert point.within_std_s == pytest.approx(0.0, abs=1e-15)
    assert point.between_std_s == pytest.approx(1.5811e-9, rel=1e-3)


def test_one_launch_has_no_interval() -> None:
    (point,) = estimate(make_run(lambda *_: [1.0, 2.0, 3.0], launches=1)).headline
    assert (point.low_s, point.high_s, point.confidence) == (None, None, None)
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
    assert usual.low_s is not None
    assert chosen.low_s is not None
    assert chosen.low_s < usual.low_s
    assert chosen.confidence == 0.95


def test_a_launch_slow_as_a_whole_is_left_out_by_the_rule_and_counted() -> None:
    def ns(launch: int, _round: int, size: int) -> list[float]:
        return [(2.5 if launch == 3 else 1.0 + 0.001 * launch) * (100.0 + size)]

    run = make_run(ns, launches=10, sizes=(1, 8, 64))
    estimates = estimate(run)
    assert estimates.slow_launches == (3,)
    assert {point.launches for point in estimates.headline} == {9}
    assert {point.launches for point in estimate(run, every_launch=True).headline} == {10}
    assert estimates.modes == ()


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


def test_a_launch_slow_at_one_size_only_is_kept() -> None:
    def ns(launch: int, _round: int, size: int) -> list[float]:
        return [(2.5 if launch == 3 and size == 8 else 1.0 + 0.001 * launch) * (100.0 + size)]

    assert estimate(make_run(ns, launches=7, sizes=(1, 8, 64))).slow_launches == ()


def test_scattered_launches_are_not_called_slow() -> None:
    run = make_run(lambda launch, *_: [100.0 * (1.0 + 0.08 * launch)], launches=9)
    assert estimate(run).slow_launches == ()


@pytest.mark.parametrize(("spread", "precise"), [(0.5, True), (5.0, False)])
def test_precise_is_when_every_interval_is_inside(spread: float, precise: bool) -> None:
    run = make_run(lambda launch, *_: [100.0 + spread * (launch - 2)] * 5, launches=6, sizes=(1, 8))
    assert is_precise(run, 0.02) is precise
    (worst, *_) = sorted(estimate(run).headline, key=lambda p: -(p.precision or 0.0))
    assert ((worst.precision or 1.0) <= 0.02) is precise


@given(
    st.integers(0, 2**32 - 1),
    st.integers(3, 12),
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
    known = [p.precision if p.launches >= LEAST_TO_STOP else None for p in points]
    worst = max((np.inf if one is None else one for one in known), default=np.inf)
    for asked in (0.002, 0.01, 0.05):
        if abs(worst - asked) > 1e-9:
            assert is_precise(run, asked) is (worst < asked)


def test_too_few_launches_are_never_precise() -> None:
    assert not is_precise(make_run(lambda *_: [100.0], launches=4), 0.5)

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from hockney.analysis import Analysis
from hockney.analysis.compare import (
    MOST_EXACT,
    Comparison,
    _below,
    _rank_sum_counts,
    benjamini_hochberg,
    compare,
    shift_interval,
)
from hockney.errors import AskedWronglyError
from hockney.records import Run
from samples import make_run

SIZES = (8, 1024, 65536)


def compared(base: Run, other: Run, tolerance: float) -> Comparison:
    return compare(Analysis(base), Analysis(other), tolerance)


def noisy_run(seed: int, factor: float = 1.0, launches: int = 8, scatter: float = 0.01) -> Run:
    random = np.random.default_rng(seed)
    level = factor * random.lognormal(sigma=scatter, size=launches)

    def ns(launch: int, _round: int, size: int) -> list[float]:
        return (level[launch] * (100.0 + size) * random.lognormal(sigma=0.05, size=4)).tolist()

    return make_run(ns, launches=launches, sizes=SIZES, handover_ns=lambda *_: 53.0)


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.2, "slower"), (0.8, "faster"), (1.0, "same"), (1.01, "same")]
)
def test_the_verdict_says_what_is_true(factor: float, verdict: str) -> None:
    found = compared(noisy_run(1), noisy_run(2, factor), tolerance=0.05)
    assert found.verdict == verdict
    assert {point.difference.verdict for point in found.points} == {verdict}
    assert found.overall is not None
    assert found.overall.ratio == pytest.approx(factor, rel=0.03)
    assert found.is_slower(0.05) is (verdict == "slower")


def test_a_difference_inside_the_tolerance_is_none() -> None:
    assert not compared(noisy_run(1), noisy_run(2, 1.05), tolerance=0.10).is_slower(0.10)


def test_too_few_launches_cannot_tell_and_say_how_many_would() -> None:
    found = compared(noisy_run(1, launches=3), noisy_run(2, 1.2, launches=3), tolerance=0.03)
    assert found.verdict == "unknown"
    assert found.overall is not None
    assert found.overall.launches_needed == 4
    noisy = compared(noisy_run(1, scatter=0.2), noisy_run(2, 1.05, scatter=0.2), tolerance=0.03)
    assert noisy.verdict == "unknown"
    assert noisy.overall is not None
    assert (noisy.overall.launches_needed or 0) > 8


@pytest.mark.long
def test_differences_are_seldom_seen_where_there_are_none() -> None:
    found = [compared(noisy_run(s), noisy_run(1000 + s), 0.005).verdict for s in range(60)]
    assert sum(verdict in ("slower", "faster") for verdict in found) <= 6


def in_state(handover_ns: Callable[[int, int], float]) -> Run:
    return make_run(lambda *_: [100.0], handover_ns=handover_ns)


def test_runs_in_different_states_are_not_compared() -> None:
    found = compared(in_state(lambda *_: 53.0), in_state(lambda *_: 245.0), tolerance=0.03)
    assert found.verdict == "unknown"
    assert found.points == ()
    assert "different states" in found.notes[0]


def test_the_state_that_both_were_in_is_compared() -> None:
    mostly_far = in_state(lambda launch, _: 53.0 if launch == 0 else 245.0)
    found = compared(in_state(lambda *_: 53.0), mostly_far, tolerance=0.03)
    assert found.points
    assert "the state that both runs were in" in found.notes[0]


def test_across_hosts_each_headline_is_taken() -> None:
    other = in_state(lambda *_: 245.0)
    other.header = type(other.header)(
        schema=1,
        hockney="",
        id="",
        started="",
        experiment="pingpong",
        environment={"host": "there"},
    )
    assert compared(in_state(lambda *_: 53.0), other, tolerance=0.03).points


def test_unlike_definitions_are_noted_and_experiments_refused() -> None:
    first, second = noisy_run(1), noisy_run(2)
    second.launches[0].definition = "whole loop over 2n"
    assert "unlike definitions" in compared(first, second, 0.03).notes[0]
    second.header = type(second.header)(
        schema=1, hockney="", id="", started="", experiment="bcast", environment={}
    )
    with pytest.raises(AskedWronglyError, match="different experiments"):
        compared(first, second, 0.03)


def test_rank_sum_counts_are_those_of_all_orders() -> None:
    assert _rank_sum_counts(2, 3).tolist() == [1, 1, 2, 2, 2, 1, 1]
    assert _rank_sum_counts(5, 7).sum() == 792


@pytest.mark.parametrize(("m", "n"), [(5, 5), (4, 9), (10, 12)])
def test_the_shift_interval_holds_the_shift(m: int, n: int) -> None:
    random = np.random.default_rng(m)
    held = 0
    for _ in range(1500):
        interval = shift_interval(random.normal(size=m), 0.7 + random.normal(size=n))
        assert interval is not None
        held += interval[0] <= 0.7 <= interval[1]
    assert 0.94 <= held / 1500 <= 0.985


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    assert benjamini_hochberg(np.array(p)) == pytest.approx(false_discovery_control(p))


def test_each_of_several_pairs_is_compared_with_itself() -> None:
    first, second = (make_run(lambda launch, _, __: [1000.0 + launch]) for _ in range(2))
    for run, slow in ((first, 1.0), (second, 2.0)):
        for visit in list(run.samples):
            ns = [slow * value for value in visit.ns]
            run.add(msgspec.structs.replace(visit, peers=(0, 2), ns=ns))
    found = compared(first, second, 0.03)
    assert {point.base.peers: point.difference.verdict for point in found.points} == {
        (0, 1): "same",
        (0, 2): "slower",
    }


@pytest.mark.long
@pytest.mark.parametrize(("m", "n"), [(100, 100), (60, 160), (110, 110)])
def test_of_many_launches_the_normal_ranks_are_the_exact_ones(m: int, n: int) -> None:
    cumulative = np.cumsum(_rank_sum_counts(m, n)) / math.comb(m + n, n)
    exact = int(np.searchsorted(cumulative, 0.025, side="right"))
    assert _below(m, n) in ((exact,) if m * n <= MOST_EXACT else (exact, exact - 1))


def test_more_orders_than_a_double_can_count() -> None:
    random = np.random.default_rng(1)
    interval = shift_interval(random.normal(size=600), 0.7 + random.normal(size=700))
    assert interval == pytest.approx((0.7, 0.7), abs=0.2)


def test_more_launches_than_can_be_compared_are_told() -> None:
    with pytest.raises(AskedWronglyError, match="4000 launches against 4000"):
        shift_interval(np.zeros(4000), np.zeros(4000))


def test_a_launch_of_no_time_is_compared_with_nothing() -> None:
    run = make_run(lambda launch, _, size: [1000.0 if launch or size else 0.0], sizes=(0, 8))
    found = compared(run, run, 0.03)
    assert [point.base.bytes for point in found.points] == [8]


def test_without_a_launch_of_every_point_there_is_no_whole() -> None:
    run = make_run(lambda *_: [1000.0], launches=4, sizes=(0, 8))
    run.samples = [visit for visit in run.samples if (visit.launch < 2) == (visit.bytes == 0)]
    found = compared(run, run, 0.03)
    assert (found.overall, found.verdict, len(found.points)) == (None, "unknown", 2)
    assert "no launch has every point, so that only points are compared" in found.notes

"""Tests of two samples and of pairs, against scipy, counts of all orders, and simulation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, false_discovery_control, mannwhitneyu, norm, wilcoxon

from conftest import first_of
from hockney.base.errors import UsageError
from hockney.infer.estimate import shifts
from hockney.infer.estimate.differences import (
    Unseen,
    benjamini_hochberg,
    holm,
    paired,
    paired_each,
    two_samples,
)
from hockney.infer.estimate.interval import Interval, high_of
from hockney.infer.estimate.shifts import (
    MOST_EXACT_RANKS,
    below_samples,
    paired_shift,
    rank_sum_counts,
    rank_sum_p,
    ranked,
    sample_shift,
    signed_rank_p,
)

LOGS = st.lists(st.floats(-2.0, 2.0).map(lambda value: round(value, 1)), min_size=2, max_size=6)
SAMPLES = st.lists(st.floats(-3.0, 3.0).map(lambda value: round(value, 9)), min_size=5, max_size=25)


def counted_p(first: Sequence[float], second: Sequence[float]) -> float:
    """p of the rank-sum test by going through all choices."""
    every = np.array([*first, *second])
    ranks = np.array([(every < v).sum() + ((every == v).sum() + 1) / 2 for v in every])
    centre = len(first) * (len(every) + 1) / 2
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(first))]
    distance = abs(ranks[: len(first)].sum() - centre)
    return float(np.mean([abs(value - centre) >= distance - 1e-9 for value in sums]))


@given(LOGS, LOGS)
def test_the_rank_sum_test_is_exact_with_ties(first: list[float], second: list[float]) -> None:
    computed_p = rank_sum_p(np.array(first), np.array(second))
    assert computed_p == pytest.approx(counted_p(first, second))


@pytest.mark.long
@given(LOGS, LOGS, st.sampled_from([1, 3]))
def test_a_difference_is_found_without_making_all(
    first: list[float], second: list[float], few: int
) -> None:
    every = np.sort(np.subtract.outer(np.array(second), np.array(first)).ravel())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shifts, "FEW_DIFFERENCES", few)
        by_rank = [ranked(np.array(first), np.array(second), rank) for rank in range(len(every))]
    assert by_rank == pytest.approx(every.tolist(), abs=1e-12)


def test_many_values_are_compared_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    first, second = random.normal(0.0, 0.1, 300), random.normal(0.05, 0.1, 200)
    few = sample_shift(first, second)
    monkeypatch.setattr(shifts, "MOST_DIFFERENCES", 1000)
    many = sample_shift(first, second)
    assert many.interval is not None
    assert few.interval is not None
    assert many.interval.low == pytest.approx(few.interval.low)
    assert many.interval.high == pytest.approx(few.interval.high)
    assert (many.centre, many.p) == (pytest.approx(few.centre), few.p)


def test_nine_against_nine_is_exact() -> None:
    """U = 17 of 81: the normal distribution gives 0.0423."""
    second = np.array([0.0, 5.0, 10.0, 11.0, 12.0, 14.0, 15.0, 16.0, 17.0])
    first = np.setdiff1d(np.arange(18.0), second)
    normal = mannwhitneyu(first, second, method="asymptotic")
    assert (normal.statistic, float(normal.pvalue)) == (17.0, pytest.approx(0.0423, abs=5e-5))
    assert rank_sum_p(first, second) == pytest.approx(0.0400, abs=5e-5)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(2, 60))
def test_without_ties_the_p_is_scipys(seed: int, m: int, n: int) -> None:
    random = np.random.default_rng(seed)
    first, second = random.normal(size=m), random.normal(size=n)
    method = "exact" if m * n <= 2500 else "asymptotic"
    expected = float(mannwhitneyu(first, second, method=method).pvalue)
    assert rank_sum_p(first, second) == pytest.approx(expected)


@given(LOGS)
def test_the_signed_rank_test_is_exact_with_ties_and_zeros(values: list[float]) -> None:
    size = np.abs(values)
    ranks = np.array([(size < v).sum() + ((size == v).sum() + 1) / 2 for v in size])
    ranks = ranks[np.array(values) != 0.0]
    positive = np.array([v for v in values if v != 0.0]) > 0.0
    centre = ranks.sum() / 2
    distance = abs(ranks[positive].sum() - centre)
    sums = [
        ranks[np.array(s, dtype=bool)].sum() for s in itertools.product((0, 1), repeat=len(ranks))
    ]
    expected = np.mean([abs(value - centre) >= distance - 1e-9 for value in sums])
    assert signed_rank_p(np.array(values)) == pytest.approx(expected)


@pytest.mark.parametrize("n", [6, 20, 50])
def test_the_signed_rank_p_is_scipys(n: int) -> None:
    values = np.random.default_rng(n).normal(0.3, size=n)
    assert signed_rank_p(values) == pytest.approx(wilcoxon(values, method="exact").pvalue)


def student(deviation: float, freedom: float) -> Unseen:
    """A part whose standard deviation is estimated: together Student's t."""
    if math.isinf(freedom):
        return Unseen.of(deviation)
    places = (np.arange(2000) + 0.5) / 2000
    return Unseen(deviation * np.sqrt(freedom / chi2.ppf(places, freedom)), np.full(2000, 5e-4))


@settings(deadline=None)
@given(SAMPLES, SAMPLES, st.floats(0.001, 0.2))
def test_the_ratio_lies_in_its_interval_and_same_is_never_significant(
    first: list[float], second: list[float], tolerance: float
) -> None:
    for difference in (
        two_samples(np.array(first), np.array(second), tolerance),
        two_samples(np.array(first), np.array(second), tolerance, unseen=student(0.1, 4.0)),
        paired(np.array(first), tolerance),
    ):
        if difference.interval is None:
            assert difference.verdict == "unknown"
            continue
        assert difference.interval.low <= difference.ratio <= difference.interval.high
        assert difference.p is not None
        assert not (difference.verdict == "same" and difference.p < 0.05)
        assert (difference.verdict == "slower") <= (difference.interval.low > 1.0)
        assert (difference.verdict == "faster") <= (difference.interval.high < 1.0)
        assert (difference.needed is not None) <= (difference.verdict == "unknown")


@given(SAMPLES, SAMPLES)
def test_the_shift_turns_with_the_sides(first: list[float], second: list[float]) -> None:
    shift = sample_shift(np.array(first), np.array(second))
    other = sample_shift(np.array(second), np.array(first))
    assert shift.centre == pytest.approx(-other.centre, abs=1e-12)
    assert shift.p == pytest.approx(other.p)
    assert shift.interval is not None
    assert other.interval is not None
    assert shift.interval.low == pytest.approx(-other.interval.high)
    assert shift.interval.high == pytest.approx(-other.interval.low)


@pytest.mark.parametrize(("m", "n"), [(5, 5), (5, 9), (10, 12)])
def test_the_interval_holds_the_shift(m: int, n: int) -> None:
    random = np.random.default_rng(m)
    intervals = [
        sample_shift(random.normal(size=m), 0.7 + random.normal(size=n)).interval
        for _ in range(1500)
    ]
    held = np.mean([i is not None and i.holds(0.7) for i in intervals])
    assert 0.94 <= held <= 0.985


@pytest.mark.parametrize("n", [6, 10, 20])
def test_the_interval_of_pairs_holds_their_centre(n: int) -> None:
    random = np.random.default_rng(n)
    intervals = [paired_shift(random.normal(0.7, size=n)).interval for _ in range(1500)]
    held = np.mean([i is not None and i.holds(0.7) for i in intervals])
    assert 0.94 <= held <= 0.985


def test_equal_pairs_are_seldom_called_different_and_unequal_ones_seldom_the_same() -> None:
    random = np.random.default_rng(1)
    equal = [paired(random.normal(0.0, 0.01, 20), 0.03).verdict for _ in range(600)]
    assert sum(v in ("faster", "slower") for v in equal) <= 0.07 * 600
    assert equal.count("same") >= 0.9 * 600
    apart = [paired(random.normal(0.03, 0.01, 20), 0.03).verdict for _ in range(600)]
    assert apart.count("same") <= 0.05 * 600


def test_unlike_mixtures_of_two_modes_are_not_called_the_same() -> None:
    random = np.random.default_rng(6)
    verdicts = []
    for _ in range(200):
        first, second = (
            0.3 * (random.random(20) < slow) + random.normal(0.0, 0.002, 20)
            for slow in (0.35, 0.55)
        )
        verdicts.append(two_samples(first, second, 0.03).verdict)
    assert verdicts.count("same") == 0


def test_several_variants_are_corrected_for_their_number() -> None:
    random = np.random.default_rng(2)
    runs = [
        [difference.verdict for difference in paired_each(random.normal(0.0, 0.01, (8, 15)), 0.01)]
        for _ in range(300)
    ]
    assert sum(any(v in ("faster", "slower") for v in run) for run in runs) <= 0.075 * 300


def test_what_the_values_do_not_show_widens_the_interval() -> None:
    random = np.random.default_rng(3)
    first, second = random.normal(0.0, 0.01, 10), random.normal(0.05, 0.01, 10)
    seen = two_samples(first, second, 0.03)
    assert seen.verdict == "slower"
    assert two_samples(first, second, 0.03, unseen=Unseen.of(0.01)).verdict == "slower"
    assumed = two_samples(first, second, 0.03, unseen=Unseen.of(0.05))
    assert (assumed.verdict, assumed.needed, assumed.ratio) == ("unknown", None, seen.ratio)
    few = two_samples(first, second, 0.03, unseen=student(0.01, 1.0))
    assert few.verdict == "unknown"


@pytest.mark.parametrize("freedom", first_of([3.0, math.inf]))
def test_drift_of_a_known_size_is_seldom_taken_for_a_difference(freedom: float) -> None:
    random = np.random.default_rng(4)
    called = 0
    for _ in range(600):
        drift = random.normal(0.0, 0.04)
        scatter = 1.0 if math.isinf(freedom) else math.sqrt(random.chisquare(freedom) / freedom)
        first, second = random.normal(0.0, 0.02, 8), random.normal(drift, 0.02, 8)
        difference = two_samples(first, second, 0.01, unseen=student(0.04 * scatter, freedom))
        called += difference.verdict in ("faster", "slower")
    assert called <= 0.07 * 600


def test_too_few_values_are_unknown_and_say_how_many_would_do() -> None:
    few = two_samples(np.array([0.0, 0.1, 0.2, 0.3]), np.arange(4.0) + 5.0, 0.03)
    assert (few.interval, few.verdict, few.needed) == (None, "unknown", 5)
    pairs = paired(np.arange(5.0), 0.03)
    assert (pairs.interval, pairs.verdict, pairs.needed) == (None, "unknown", 6)


def test_as_many_as_needed_decide() -> None:
    random = np.random.default_rng(5)
    difference = two_samples(random.normal(0.0, 0.1, 10), random.normal(0.0, 0.1, 10), 0.05)
    assert difference.verdict == "unknown"
    assert difference.needed is not None
    n = 2 * difference.needed
    decided = [
        two_samples(random.normal(0.0, 0.1, n), random.normal(0.0, 0.1, n), 0.05).verdict
        for _ in range(50)
    ]
    assert decided.count("unknown") <= 10


def test_rank_sum_counts_are_those_of_all_orders() -> None:
    assert rank_sum_counts(2, 3).tolist() == [1, 1, 2, 2, 2, 1, 1]
    assert rank_sum_counts(5, 7).sum() == 792


@pytest.mark.parametrize(("m", "n"), [(100, 100), (60, 160), (110, 110)])
def test_of_many_values_the_normal_ranks_are_the_exact_ones(m: int, n: int) -> None:
    cumulative = np.cumsum(rank_sum_counts(m, n)) / math.comb(m + n, n)
    exact = int(np.searchsorted(cumulative, 0.025, side="right"))
    assert below_samples(m, n) in ((exact,) if m * n <= MOST_EXACT_RANKS else (exact, exact - 1))


def test_more_orders_than_a_double_can_count() -> None:
    random = np.random.default_rng(1)
    interval = sample_shift(random.normal(size=600), 0.7 + random.normal(size=700)).interval
    assert interval is not None
    assert interval.lies_in(0.5, 0.9)


def test_more_pairs_than_can_be_compared_are_refused() -> None:
    with pytest.raises(UsageError, match="more than can be compared"):
        paired_shift(np.zeros(5000))


def test_thousands_of_equal_values_are_compared() -> None:
    shift = sample_shift(np.zeros(4000), np.zeros(4000))
    assert (shift.centre, shift.interval) == (0.0, Interval(0.0, 0.0))


def test_holm_corrects_as_in_its_paper() -> None:
    """The worked values: 4 x 0.01, 3 x 0.013, then no smaller than before."""
    adjusted = holm(np.array([0.03, 0.01, 0.04, 0.013]))
    assert adjusted == pytest.approx([0.06, 0.04, 0.06, 0.04])


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40))
def test_holm_only_raises_and_keeps_the_order(p: list[float]) -> None:
    adjusted = holm(np.array(p))
    assert (adjusted >= np.array(p)).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0.0).all()


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    assert benjamini_hochberg(np.array(p)) == pytest.approx(false_discovery_control(p))


def test_as_many_as_are_named_decide_a_bound() -> None:
    centre, deviation = math.log(1.02), 0.05
    few = paired(centre + deviation * norm.ppf((np.arange(12) + 0.5) / 12), 0.01)
    needed = few.needed_against(1.05, 12)
    assert needed is not None
    assert needed > 12
    source = np.random.default_rng(7)
    decided = {
        count: sum(
            high is not None and high < 1.05
            for high in (
                high_of(paired(source.normal(centre, deviation, count), 0.01).interval)
                for _ in range(50)
            )
        )
        for count in (needed // 2, 2 * needed)
    }
    assert decided[needed // 2] < 25 < decided[2 * needed]


def test_no_number_decides_a_bound_that_is_the_estimate() -> None:
    few = paired(np.random.default_rng(7).normal(0.0, 0.05, 12), 0.01)
    assert few.needed_against(few.ratio, 12) is None
    assert paired(np.zeros(2), 0.01).needed_against(1.05, 2) is None

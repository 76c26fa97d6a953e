from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.contention import (
    MISFIT,
    NOT_REPEATED,
    OTHERS_SLOWER,
    Contention,
    at_once,
    contention,
    knees,
)
from hockney.infer.estimate import estimate
from hockney.infer.fitting.fit import curve_of
from hockney.infer.models import fit_model
from hockney.records import Run
from hockney.show.experiments import view_of
from samples import Pair, make_pairs_run, one_a_node

ALPHA, PAIR, NODE = 2e-6, 1e-9, 1e-10
"""Seconds; seconds a byte of one pair, and of all that share a link: ten pairs fill it."""


def shared_link(size: int, pairs: int) -> float:
    return ALPHA + size * max(PAIR, pairs * NODE)


def run_of(counts: tuple[int, ...], sizes: tuple[int, ...] = (65536,), slow: float = 1.0) -> Run:
    pairing = [(rank, rank + 32) for rank in range(32)]

    def ns(_: int, pair: Pair, size: int, pairs: int) -> list[float]:
        return [1e9 * shared_link(size, pairs) * (slow if pair == (3, 35) else 1.0)] * 3

    return make_pairs_run(ns, [pairing[:k] for k in counts], one_a_node(64), sizes=sizes)


def curve_at(run: Run) -> list[Contention]:
    estimates = estimate(run)
    return contention(at_once(run, estimates), estimates)


def test_the_last_pair_counts_for_all_that_send_as_many_messages() -> None:
    (alone, all_) = curve_at(run_of((1, 32), slow=2.0))
    time = shared_link(65536, 32)
    assert alone.pairs == 1
    assert alone.slowdown is None
    assert all_.typical_s == pytest.approx(time)
    assert all_.together.median_s == pytest.approx(2.0 * time)
    assert all_.aggregate_Bps == pytest.approx(32 * 65536 / (2.0 * time))
    assert all_.messages_per_s == pytest.approx(32 / (2.0 * time))
    assert all_.worst.peers == (3, 35)
    assert all_.slowdown == pytest.approx(time / shared_link(65536, 1))


def test_rates_add_up_where_all_speak_for_the_same_time() -> None:
    run = run_of((32,), slow=2.0)
    run.samples = [
        replace(samples, repetitions=10 if list(samples.peers) == [3, 35] else 20)
        for samples in run.samples
    ]
    (all_,) = curve_at(run)
    assert all_.aggregate_Bps == pytest.approx(31.5 * 65536 / shared_link(65536, 32))


def test_the_aggregate_of_two_pairs_is_that_of_the_multi_mode_paper() -> None:
    """4 x n / T_b, T_b the time of n round trips of both pairs."""
    size, repetitions = 65536, 10
    (two,) = curve_at(run_of((2,)))
    t_b = repetitions * 2.0 * shared_link(size, 2)
    assert two.aggregate_Bps == pytest.approx(4 * size * repetitions / t_b)
    assert two.together.repetitions == repetitions


def test_the_knee_and_the_plateau_are_found_beside_a_slow_pair() -> None:
    (knee,) = knees(curve_at(run_of((1, 2, 4, 8, 16, 32), slow=2.0)))
    assert knee.pairs == pytest.approx(PAIR / NODE, rel=0.01)
    assert knee.plateau_Bps == pytest.approx(1.0 / NODE, rel=0.01)
    assert knee.error < 0.01


def test_without_contention_there_is_no_knee() -> None:
    (knee,) = knees(curve_at(run_of((1, 2, 4, 8))))
    assert (knee.pairs, knee.plateau_Bps, knee.most_pairs) == (None, None, 8)


def run_by(
    factor: Callable[[Pair, int], float], counts: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
) -> Run:
    """Pairs that, k at once, take `factor` times as long as over a shared link."""
    pairing = [(rank, rank + 32) for rank in range(32)]
    return make_pairs_run(
        lambda _, pair, size, k: [1e9 * factor(pair, k) * shared_link(size, k)] * 3,
        [pairing[:k] for k in counts],
        one_a_node(64),
        sizes=(65536,),
    )


@pytest.mark.parametrize("slow", [3.0, 4.0, 20.0, 0.1])
def test_pairs_that_differ_do_not_bend_the_curve(slow: float) -> None:
    """The first pair is the only one alone, and unlike all others."""
    run = run_by(lambda pair, _: slow if pair == (0, 32) else 1.0)
    (knee,) = knees(curve_at(run))
    assert knee.pairs == pytest.approx(PAIR / NODE, rel=0.01)
    assert knee.plateau_Bps == pytest.approx(1.0 / NODE, rel=0.01)
    assert knee.unknown is None


def test_pairs_that_are_slow_by_themselves_do_not_wait() -> None:
    run = run_by(lambda pair, _: 1.0 if pair == (0, 32) else 5.0, counts=(1, 2, 4, 8))
    (knee,) = knees(curve_at(run))
    assert (knee.pairs, knee.unknown) == (None, None)


def test_where_pairs_without_a_time_alone_become_slower_the_knee_is_not_known() -> None:
    """The first pair does not use the link that the others share."""
    run = run_by(lambda pair, k: 1.0 / shared_link(65536, k) if pair == (0, 32) else 1.0)
    (knee,) = knees(curve_at(run))
    assert (knee.pairs, knee.unknown) == (None, OTHERS_SLOWER)


def test_times_that_no_curve_describes_have_no_knee() -> None:
    for last in (1.0, 3.0):
        run = run_by(
            lambda _, k, last=last: 2.0 if k == 2 else last if k == 8 else 1.0, (1, 2, 4, 8)
        )
        analysis = Analysis(run)
        (knee,) = analysis.knees
        assert (knee.pairs, knee.plateau_Bps, knee.unknown) == (None, None, MISFIT)
        assert f"64 KiB: whether pairs wait for each other is not known: {MISFIT}" in view_of(
            analysis
        ).answer(analysis)


def test_pairs_of_other_ranks_at_each_number_have_no_knee() -> None:
    apart = [[(rank, rank + 32) for rank in ranks] for ranks in ((0,), (1, 2), (3, 4, 5))]
    run = make_pairs_run(lambda *_: [1e3] * 3, apart, one_a_node(64), sizes=(65536,))
    (knee,) = knees(curve_at(run))
    assert (knee.pairs, knee.error, knee.unknown) == (None, None, NOT_REPEATED)


def test_the_answer_has_the_median_pair_and_names_the_slowest() -> None:
    pairing = [(rank, rank + 8) for rank in range(8)]

    def ns(_: int, pair: Pair, __: int, pairs: int) -> list[float]:
        return [10000.0 if pair == (3, 11) else 1000.0 * min(pairs, 2)] * 3

    run = make_pairs_run(ns, [*[[pair] for pair in pairing], pairing], one_a_node(16), sizes=(0,))
    analysis = Analysis(run)
    first, *_ = view_of(analysis).answer(analysis)
    assert first == (
        "0 B: 1 pair 1 us, slowest pair 3-11 10 us; "
        "8 pairs 2 us, 2.00 times as long as alone, slowest pair 3-11 10 us"
    )


def test_two_numbers_of_pairs_are_no_curve() -> None:
    assert knees(curve_at(run_of((1, 32)))) == []


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(
    st.floats(1e-7, 1e-4), st.floats(1e-11, 1e-8), st.floats(1.5, 20.0), st.sampled_from([0, 1024])
)
def test_any_two_lines_are_given_back(alpha: float, pair: float, fill: float, small: int) -> None:
    """The knee is where alpha + b pair = alpha + k b node."""
    node, size = pair / fill, 1 << 20
    pairing = [(rank, rank + 32) for rank in range(32)]
    run = make_pairs_run(
        lambda _, __, b, k: [1e9 * (alpha + b * max(pair, k * node))],
        [pairing[:k] for k in (1, 2, 4, 8, 16, 24, 32)],
        one_a_node(64),
        sizes=(small, size),
        launches=1,
        rounds=1,
    )
    knee_at = {knee.point.bytes: knee for knee in knees(curve_at(run))}
    knee = knee_at[size]
    if alpha + size * 32 * node < 1.1 * (alpha + size * pair):
        assert knee.pairs is None
    else:
        assert knee.pairs == pytest.approx(fill, rel=0.02)
        assert knee.plateau_Bps == pytest.approx(1.0 / node, rel=0.02)


def test_max_rate_is_fitted_to_all_numbers_of_pairs() -> None:
    run = run_of((1, 2, 4, 8, 16, 32), sizes=(0, 1024, 65536, 1 << 20))
    curve = curve_of(at_once(run, estimate(run)))
    assert curve.pairs is not None
    assert sorted(set(curve.pairs)) == [1, 2, 4, 8, 16, 32]
    assert curve.repetitions is not None
    fitted = fit_model("max-rate", curve).parameters
    assert fitted["R_C_1_Bps"].value == pytest.approx(1.0 / PAIR, rel=0.01)
    assert fitted["R_N_1_Bps"].value == pytest.approx(1.0 / NODE, rel=0.01)


@pytest.mark.parametrize("pairs", [1, 2**52])
def test_a_number_of_pairs_that_is_none_makes_no_list(pairs: int) -> None:
    """A damaged file may state such numbers."""
    run = run_of((2,))
    run.samples = [replace(samples, pairs=pairs) for samples in run.samples]
    (curve_point,) = curve_at(run)
    assert curve_point.messages_per_s == pytest.approx(pairs / curve_point.together.typical_s)


def test_windows_are_in_order_of_their_number() -> None:
    run = run_of((2,))
    run.samples = [replace(s, window=window) for window in (16, 2, 64) for s in run.samples]
    assert [curve_point.together.window for curve_point in curve_at(run)] == [2, 16, 64]

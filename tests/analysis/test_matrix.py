from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.matrix import Matrix, matrix_of
from hockney.infer.analysis.network.places import shared
from hockney.infer.estimate import estimate
from hockney.records import Place, Run
from hockney.show.experiments import view_of
from samples import Pair, make_pairs_run

PLACES = [
    Place(rank=r, host=f"h{r // 4}", package=0, l3=0, l2=r % 4 // 2 * 2, core=r % 4 // 2, pu=r % 4)
    for r in range(8)
]
SECONDS = {"same core": 1e-7, "same L3": 3e-7, "different nodes": 2e-6}
PAIRS = list(combinations(range(8), 2))


def run_of(
    odd: Pair | None = None, at_once: list[list[Pair]] | None = None, crowding: float = 1.0
) -> Run:
    """Two nodes of two cores with two threads; an odd pair is as slow as between nodes."""

    def ns(launch: int, pair: Pair, size: int, pairs: int) -> list[float]:
        group = "different nodes" if pair == odd else shared(PLACES[pair[0]], PLACES[pair[1]])
        wobble = 1.0 + 0.01 * ((sum(pair) + launch) % 3 - 1)
        return [1e9 * (SECONDS[group] * wobble + 1e-10 * size) * (crowding if pairs > 1 else 1.0)]

    return make_pairs_run(
        ns, at_once or [[pair] for pair in PAIRS], PLACES, experiment="cores", sizes=(0, 1 << 20)
    )


def matrix(run: Run) -> Matrix:
    pair_matrix = matrix_of(run, estimate(run))
    assert pair_matrix is not None
    return pair_matrix


def test_groups_have_the_table_of_size_mean_deviation_and_ratio() -> None:
    pair_matrix = matrix(run_of())
    assert [(group.name, len(group.pairs)) for group in pair_matrix.by_places] == [
        ("same core", 4),
        ("same L3", 8),
        ("different nodes", 16),
    ]
    for group in pair_matrix.by_places:
        small, large = group.times
        assert (small.bytes, large.bytes) == (0, 1 << 20)
        assert small.mean_s == pytest.approx(SECONDS[group.name], rel=0.01)
        assert small.std_s is not None
        assert small.ratio == pytest.approx(small.std_s / small.mean_s)


def test_times_alone_group_the_pairs_alike() -> None:
    pair_matrix = matrix(run_of())
    assert [group.pairs for group in pair_matrix.by_times] == [
        group.pairs for group in pair_matrix.by_places
    ]
    assert pair_matrix.disagreeing == pair_matrix.not_separated == ()


def test_a_pair_that_is_timed_like_another_group_is_told() -> None:
    pair_matrix = matrix(run_of(odd=(0, 2)))
    assert pair_matrix.disagreeing == (((0, 2), "same L3", "different nodes"),)


def test_groups_that_the_times_do_not_tell_apart_are_named() -> None:
    places = [Place(rank=r, host="a", package=r // 2, l3=r // 2, pu=r, core=r) for r in range(4)]
    run = make_pairs_run(
        lambda *_: [500.0], [[p] for p in combinations(range(4), 2)], places, experiment="cores"
    )
    assert matrix(run).not_separated == (("same L3", "same node"),)


def sockets_run(large: Callable[[Pair], float]) -> Run:
    """Two sockets of three cores, alike for empty messages. large: how many times as long 64 KiB
    take."""
    places = [Place(rank=r, host="a", package=r // 3, l3=r // 3, pu=r, core=r) for r in range(6)]
    return make_pairs_run(
        lambda _, pair, size, __: [500.0 + (5000.0 * large(pair) if size else 0.0)],
        [[pair] for pair in combinations(range(6), 2)],
        places,
        experiment="cores",
        sizes=(0, 65536),
    )


def test_groups_that_differ_at_the_largest_size_alone_are_told_apart() -> None:
    analysis = Analysis(sockets_run(lambda pair: 3.0 if pair[0] // 3 != pair[1] // 3 else 1.0))
    assert analysis.matrix is not None
    assert [group.pairs for group in analysis.matrix.by_times] == [
        group.pairs for group in analysis.matrix.by_places
    ]
    assert analysis.matrix.not_separated == analysis.matrix.disagreeing == ()
    first, *_ = view_of(analysis).answer(analysis)
    assert first == (
        "fastest pair 0-1 500 ns, slowest pair 4-5 500 ns at 0 B; "
        "fastest pair 0-1 5.5 us, slowest pair 2-5 15.5 us at 64 KiB"
    )


def test_a_pair_that_is_slow_at_the_largest_size_alone_is_unlike_its_group() -> None:
    pair_matrix = matrix(sockets_run(lambda pair: 1.5 if pair == (1, 2) else 1.0))
    assert ((1, 2), "same L3", "cluster 1") in pair_matrix.disagreeing
    assert pair_matrix.clustered_sizes == (0, 65536)
    assert pair_matrix.differ_at_largest


def test_sizes_at_which_the_same_pairs_are_alike_have_one_line() -> None:
    analysis = Analysis(run_of())
    assert analysis.matrix is not None
    assert not analysis.matrix.differ_at_largest
    first, *_ = view_of(analysis).answer(analysis)
    assert ";" not in first


def test_the_matrix_is_symmetric_and_empty_on_its_diagonal() -> None:
    seconds = matrix(run_of()).seconds(0)
    assert np.isnan(np.diag(seconds)).all()
    assert np.allclose(seconds, seconds.T, equal_nan=True)
    assert seconds[0, 4] == pytest.approx(2e-6, rel=0.02)


def test_whether_pairs_at_once_disturb_each_other_is_told() -> None:
    """All pairs at once in rounds are compared with some pairs alone."""
    rounds = [[(0, 1), (2, 3), (4, 5), (6, 7)], [(0, 2), (1, 3), (4, 6), (5, 7)]]
    both = matrix(run_of(at_once=[*rounds, [(0, 1)]], crowding=1.2))
    assert both.parallel_ratio == pytest.approx(1.2)
    assert len(both.times[0]) == 8
    assert matrix(run_of(at_once=rounds)).parallel_ratio is None


@pytest.mark.long
def test_without_pairs_there_is_no_matrix() -> None:
    run = run_of()
    run.samples.clear()
    assert matrix_of(run, estimate(run)) is None


def test_a_pair_that_was_measured_at_one_size_alone_is_in_the_matrix() -> None:
    """A run that was cut has such pairs."""
    run = run_of()
    run.samples = [s for s in run.samples if s.bytes or 7 not in s.peers]
    pair_matrix = matrix(run)
    assert pair_matrix.ranks == tuple(range(8))
    assert np.isnan(pair_matrix.seconds(0)[7]).all()
    assert pair_matrix.seconds(1 << 20)[0, 7] > 0.0

from __future__ import annotations

import numpy as np
import pytest

from hockney.infer.analysis.variability import slow_ranks, variability
from hockney.infer.estimate import estimate
from hockney.records import Run
from samples import EVERY_ITERATION, Pair, make_pairs_run, one_a_node

BOTH_WAYS: list[Pair] = [(rank, (rank + 8) % 16) for rank in range(16)]


def run_of(slow: int | None = None) -> Run:
    """Each rank's own samples are 100 + rank ns, the last in ten three times that."""

    def ns(launch: int, pair: Pair, *_: int) -> list[float]:
        base = (100.0 + pair[0]) * (1.5 if pair[0] == slow else 1.0)
        return [base] * 9 + [3.0 * base + launch]

    return make_pairs_run(ns, [BOTH_WAYS], one_a_node(16), options=EVERY_ITERATION)


def test_all_ranks_together_are_what_numpy_says_of_all_samples() -> None:
    run = run_of()
    every = np.concatenate([samples.ns for samples in run.samples]) * 1e-9
    all_, *each = variability(run, estimate(run))
    assert all_.rank is None
    assert all_.samples == len(every) == 5 * 4 * 16 * 10
    assert all_.mean_s == pytest.approx(every.mean())
    assert all_.std_s == pytest.approx(every.std(ddof=1))
    assert (all_.min_s, all_.max_s) == (every.min(), every.max())
    assert all_.p99_s == pytest.approx(np.quantile(every, 0.99))
    assert [spread.rank for spread in each] == list(range(16))
    assert [spread.median_s for spread in each] == pytest.approx(
        [1e-9 * (100 + r) for r in range(16)]
    )


def test_a_rank_with_too_few_samples_for_a_quantile_has_none() -> None:
    run = run_of()
    all_, rank, *_ = variability(run, estimate(run))
    assert rank.samples == 200
    assert rank.p95_s is not None
    assert (rank.p99_s, all_.p99_s is None) == (None, False)


def test_a_batch_of_a_pair_is_of_both_its_ranks() -> None:
    run = make_pairs_run(lambda *_: [5.0, 7.0], [[(0, 3), (1, 2)]], one_a_node(4), rounds=1)
    spreads = variability(run, estimate(run))
    assert [(spread.rank, spread.samples) for spread in spreads] == [
        (None, 40),
        *((r, 10) for r in range(4)),
    ]


def test_a_rank_whose_mean_stands_apart_is_found() -> None:
    run = run_of(slow=5)
    (slow_rank,) = slow_ranks(variability(run, estimate(run)))
    assert slow_rank.rank == 5
    assert slow_rank.ratio == pytest.approx(1.5, rel=0.05)
    assert slow_rank.p is not None
    assert slow_rank.p < 0.01
    (exact,) = slow_ranks(variability(run, estimate(run)), is_simulated=True)
    assert (exact.rank, exact.p) == (5, None)
    assert slow_ranks(variability(run_of(), estimate(run_of()))) == []

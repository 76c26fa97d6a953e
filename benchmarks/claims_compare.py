"""What the pages state about the comparison of two runs: equal runs called different, and the
smallest difference that could have been shown.

Launches scatter by 2 % and runs by 2 %, or as named; seven tenths of each variance are common to
all points, as medians of one machine move together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from claim import Claim
from numpy.typing import NDArray

from hockney.infer.analysis.between import assumed, between
from hockney.infer.estimate.differences import Judged, benjamini_hochberg, judged, with_unseen
from hockney.infer.estimate.shifts import LEVEL, sample_shift

LAUNCHES, SCATTER, COMMON, TOLERANCE = 10, 0.02, 0.7, 0.03
Array = NDArray[np.float64]


def made_up_run(rng: np.random.Generator, points: int, runs: float = SCATTER) -> Array:
    """Logarithms of times, shape (launches, points). runs: standard deviation between runs."""

    def shared(rows: int) -> Array:
        common = np.sqrt(COMMON) * rng.standard_normal((rows, 1))
        return np.asarray(common + np.sqrt(1.0 - COMMON) * rng.standard_normal((rows, points)))

    return SCATTER * shared(LAUNCHES) + runs * shared(1)


def compared(first: Array, second: Array, past: list[Array]) -> list[Judged]:
    """Verdicts on points, as analysis.compare makes them."""
    found = []
    for place in range(first.shape[1]):
        launches = first[:, place], second[:, place]
        known = between([[one[:, place] for one in past]]) or assumed(launches)
        found.append((with_unseen(sample_shift(*launches), known.of_two), known.of_two))
    p = benjamini_hochberg(np.array([shift.p for shift, _ in found]))
    return [
        judged(shift, q, TOLERANCE, LEVEL, unseen)
        for (shift, unseen), q in zip(found, p, strict=True)
    ]


def any_different(
    points: int, others: int, runs: float = SCATTER
) -> Callable[[int, int], tuple[int, int]]:
    """Counts pairs of equal runs of which any point is called different."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        wrong = 0
        for _ in range(n):
            first, second, *past = (made_up_run(rng, points, runs) for _ in range(others + 2))
            each = compared(first, second, past)
            wrong += any(one.verdict in ("faster", "slower") for one in each)
        return wrong, n

    return run


def shown_below(fraction: float) -> Callable[[int, int], tuple[int, int]]:
    """Counts pairs of runs without history that are called different, where B is slower by this
    fraction of the smallest difference that is stated."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        shown = 0
        for _ in range(n):
            first, second = (made_up_run(rng, 1, 0.0) for _ in range(2))
            smallest = compared(first, second, [])[0].smallest_difference or 0.0
            slower = second + np.log1p(fraction * smallest)
            shown += compared(first, slower, [])[0].verdict == "slower"
        return shown, n

    return run


def _equal(points: int, others: int, n: int, runs: float = SCATTER) -> Claim:
    apart = "" if runs else ", runs that do not differ"
    return Claim(
        name=f"compare: any of {points} points, {others} other runs{apart}",
        where="docs/method.md, Comparison",
        stated="of equal runs any point is called different in at most 5 % of comparisons",
        at_most=0.05,
        at_least=None,
        run=any_different(points, others, runs),
        n=n,
    )


CLAIMS: list[Claim] = [
    *(_equal(points, others, n) for points, n in ((3, 5000), (30, 3000)) for others in (4, 5, 8)),
    _equal(30, 4, 3000, 0.0),
    Claim(
        name="compare: half the smallest difference",
        where="docs/method.md, Comparison",
        stated="a difference of half the smallest one is shown in at most 5 % of comparisons",
        at_most=0.05,
        at_least=None,
        run=shown_below(0.5),
        n=3000,
    ),
    Claim(
        name="compare: one and a half times the smallest difference",
        where="docs/method.md, Comparison",
        stated="a difference of 1.5 times the smallest one is shown in at least 95 %",
        at_most=None,
        at_least=0.95,
        run=shown_below(1.5),
        n=3000,
    ),
]

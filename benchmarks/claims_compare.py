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

from hockney.infer.estimate.differences import Judged, benjamini_hochberg, judged, with_unseen
from hockney.infer.estimate.shifts import LEVEL, sample_shift
from hockney.infer.memory.components import RunLevel, between_runs, evidence_of, level_of
from hockney.infer.memory.prior import log_prior

LAUNCHES, SCATTER, COMMON, TOLERANCE = 10, 0.02, 0.7, 0.03
Array = NDArray[np.float64]


def made_up_run(rng: np.random.Generator, points: int, runs: float = SCATTER) -> Array:
    """Logarithms of times, shape (launches, points). runs: standard deviation between runs."""

    def shared(rows: int) -> Array:
        common = np.sqrt(COMMON) * rng.standard_normal((rows, 1))
        return np.asarray(common + np.sqrt(1.0 - COMMON) * rng.standard_normal((rows, points)))

    return SCATTER * shared(LAUNCHES) + runs * shared(1)


def compared(
    first: Array, second: Array, past: list[Array], each_point: bool = True
) -> tuple[list[Judged], Judged]:
    """Verdicts on points and on the whole, as analysis.compare makes them."""
    points = range(first.shape[1])
    runs = [first, *past] if past else []
    levels = [[level_of(run[:, place]) for place in points] for run in runs]
    evidence = [evidence_of([[of_run[place] for of_run in levels]]) for place in points]
    means = first.mean(1), second.mean(1)
    scatter = np.sqrt(np.mean([level_of(mean).scatter ** 2 for mean in means]))
    wholes = [
        RunLevel(float(np.mean([level.centre for level in of_run])), float(scatter), LAUNCHES)
        for of_run in levels
    ]
    priors = [_prior(first[:, place], second[:, place]) for place in points]
    each = between_runs(evidence, priors, [(evidence_of([wholes]), _prior(*means))])
    pairs = [*((first[:, place], second[:, place]) for place in points), means]
    if not each_point:
        pairs, each = pairs[-1:], each[-1:]
    shifts = [
        with_unseen(sample_shift(*pair), known.of_two)
        for pair, known in zip(pairs, each, strict=True)
    ]
    p = np.array([shift.p for shift in shifts])
    corrected = [*benjamini_hochberg(p[:-1]), p[-1]]
    verdicts = [
        judged(shift, q, TOLERANCE, LEVEL, known.of_two)
        for shift, q, known in zip(shifts, corrected, each, strict=True)
    ]
    return verdicts[:-1], verdicts[-1]


def _prior(first: Array, second: Array) -> Array:
    return log_prior(float(np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2.0)))


def different(
    points: int, others: int, runs: float = SCATTER, factor: float = 1.0, whole: bool = False
) -> Callable[[int, int], tuple[int, int]]:
    """Counts pairs of runs of which any point, or the whole, is called different. factor: B's times
    over A's."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        called = 0
        for _ in range(n):
            first, second, *past = (made_up_run(rng, points, runs) for _ in range(others + 2))
            each, of_all = compared(first, second + np.log(factor), past, not whole)
            judgements = [of_all] if whole else each
            called += any(judgement.verdict in ("faster", "slower") for judgement in judgements)
        return called, n

    return run


def shown_below(fraction: float) -> Callable[[int, int], tuple[int, int]]:
    """Counts pairs of runs without history that are called different, where B is slower by this
    fraction of the smallest difference that is stated."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        shown = 0
        for _ in range(n):
            first, second = (made_up_run(rng, 1, 0.0) for _ in range(2))
            smallest = compared(first, second, [])[1].smallest_difference or 0.0
            slower = second + np.log1p(fraction * smallest)
            shown += compared(first, slower, [])[1].verdict == "slower"
        return shown, n

    return run


def _runs(others: int, runs: float) -> str:
    return f"{others} earlier runs, which differ by {100 * runs:g} %"


def _equal(points: int, others: int, runs: float, whole: bool) -> Claim:
    what = f"{points} points as a whole" if whole else f"any of {points} points"
    return Claim(
        name=f"compare: {what}, {_runs(others, runs)}",
        where="docs/method.md, Comparison",
        stated="equal runs are called different in at most 5 % of comparisons",
        at_most=0.05,
        at_least=None,
        run=different(points, others, runs, whole=whole),
        n=400 if points == 30 and not whole else 1000,
    )


def _power(points: int, others: int, change: float, at_least: float | None = None) -> Claim:
    return Claim(
        name=f"compare: {100 * change:g} % slower, {points} points, {_runs(others, 0.01)}",
        where="docs/method.md, Comparison",
        stated="it is shown as a whole" + (f" in at least {at_least:.0%}" if at_least else ""),
        at_most=None,
        at_least=at_least,
        run=different(points, others, 0.01, 1.0 + change, whole=True),
        n=1000,
    )


EARLIER = (0, 1, 2, 5, 20)
CLAIMS: list[Claim] = [
    *(
        _equal(points, others, runs, whole)
        for points in (3, 30)
        for whole in (False, True)
        for runs in (0.0, SCATTER)
        for others in EARLIER
        if points == 3 or runs
    ),
    *(
        _power(points, others, change, 0.8 if (points, others, change) == (30, 5, 0.05) else None)
        for points, change in ((3, 0.01), (3, 0.02), (3, 0.05), (30, 0.05))
        for others in EARLIER
    ),
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

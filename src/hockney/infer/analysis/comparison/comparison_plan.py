"""What a comparison of two runs would take to show a difference that is looked for."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hockney.infer.analysis.comparison.compare import RunComparison
from hockney.infer.analysis.comparison.judged_pairs import unseen_part
from hockney.infer.arrays import Array
from hockney.infer.estimate.blocks import OF_RATIOS
from hockney.infer.estimate.differences import MOST_NEEDED, POWER, Unseen
from hockney.infer.estimate.shifts import LEVEL, normal_quantile
from hockney.infer.memory.components import BetweenRuns, RunsEvidence, between_runs
from hockney.infer.memory.prior import log_prior
from hockney.plan.variants import LEAST_BLOCKS

EARLIER = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
"""Numbers of earlier runs that are tried."""
MOST_TIMES = 64
"""Most launches that are tried with more earlier runs, as a multiple of what the runs have."""
RANKS = math.sqrt(math.pi / 3.0)
"""How much wider an interval by ranks is than that of normal values (Hollander & Wolfe, 4.5)."""
LEAST_TESTED = {1: 6, 2: 5}
"""The fewest launches with an interval, of one run against exact times and of each of two runs."""
TAILS = 2.0 * (1.0 - POWER)


@dataclass(frozen=True)
class ComparisonPlan:
    """Ways to show a difference as a whole with POWER; None where a way cannot show it."""

    difference: float
    """Relative."""
    launches: int | None
    """Launches of each run, with as many earlier runs as are known; of the measured run alone where
    the other is exact (RunComparison.constant), as all launches here are."""
    least_by_launches: float
    """The difference that any number of launches would show."""
    earlier_runs: int | None
    """Earlier runs of the same question, with `their_launches` of each run."""
    their_launches: int | None
    least_by_runs: float
    """The difference that any number of earlier runs and launches would show."""
    blocks: int | None
    """Blocks of both in one run with --vary; None where one of them is simulated."""


def comparison_plan(comparison: RunComparison, difference: float) -> ComparisonPlan | None:
    """None where a run has too few launches to know how much they scatter."""
    sides = [means for side, means in enumerate(comparison.means) if side != comparison.constant]
    have = [len(values) for values in sides]
    if min(have) < 2:
        return None
    scatter = math.sqrt(float(np.mean([values.var(ddof=1) for values in sides])))
    unseen = unseen_part(comparison.between, comparison.constant)
    least = shown(scatter, math.inf, unseen, len(sides))
    launches = runs = their = None
    if least < difference:
        launches = _least_launches(scatter, unseen, difference, len(sides))
    least_by_runs = least
    if comparison.between is not None:
        deviation = comparison.between.deviation
        of_sides = Unseen.of(math.sqrt(len(sides)) * deviation)
        least_by_runs = shown(scatter, math.inf, of_sides, len(sides))
        if least_by_runs < difference:
            runs, their = _least_runs(scatter, deviation, max(have), difference, len(sides))
    blocks = _blocks(scatter, difference) if len(sides) == 2 else None
    return ComparisonPlan(difference, launches, least, runs, their, least_by_runs, blocks)


def shown(scatter: float, launches: float, unseen: Unseen | None, sides: int = 2) -> float:
    """The relative difference that is shown with POWER by two runs of so many launches, which
    scatter by this standard deviation, or by one such run and an exact one. Few launches of one run
    do not know how much they scatter: Student's quantile is wider than a normal one."""
    from scipy.special import stdtrit

    seen = np.array([RANKS * scatter * math.sqrt(sides / launches)])
    if sides == 1 and math.isfinite(launches):
        seen *= stdtrit(launches - 1, 1.0 - LEVEL / 2.0) / normal_quantile(LEVEL)
    part = unseen or Unseen.of(0.0)
    return math.expm1(float((part.distance(LEVEL, seen) + part.distance(TAILS, seen))[0]))


def _least_launches(
    scatter: float, unseen: Unseen | None, difference: float, sides: int
) -> int | None:
    tried = range(LEAST_TESTED[sides], MOST_NEEDED + 1)
    place = bisect_left(tried, True, key=lambda n: shown(scatter, n, unseen, sides) <= difference)
    return tried[place] if place < len(tried) else None


def _least_runs(
    scatter: float, deviation: float, have: int, difference: float, sides: int
) -> tuple[int | None, int | None]:
    """The fewest earlier runs, with the fewest launches of each run, if runs differ by this."""
    launches = have
    while launches <= MOST_TIMES * have:
        for runs in EARLIER:
            between = _expected(scatter, launches, deviation, runs, log_prior(scatter))
            unseen = between.of_two if sides == 2 else between.of_one
            if shown(scatter, launches, unseen, sides) <= difference:
                return runs, launches
        launches *= 2
    return None, None


def _expected(
    scatter: float, launches: int, deviation: float, runs: int, prior: Array
) -> BetweenRuns:
    explained = scatter**2 / launches
    evidence = RunsEvidence(runs * (deviation**2 + explained), runs, explained, runs + 1)
    return between_runs([evidence], [prior])[0]


def _blocks(scatter: float, difference: float) -> int | None:
    """Blocks whose ratios scatter as two launches do; half of the error rate of ratios is for the
    whole. Student's quantiles, as ten blocks do not know how much they scatter."""
    from scipy.special import stdtrit

    blocks = np.arange(LEAST_BLOCKS, MOST_NEEDED + 1)
    level = OF_RATIOS * LEVEL / 2.0
    quantiles = stdtrit(blocks - 1, 1.0 - level / 2.0) + stdtrit(blocks - 1, POWER)
    least = quantiles * RANKS * math.sqrt(2.0) * scatter / np.sqrt(blocks)
    is_enough = least <= math.log1p(difference)
    return int(blocks[is_enough.argmax()]) if is_enough.any() else None


def plans(
    comparisons: Sequence[RunComparison], difference: float | None
) -> list[ComparisonPlan | None]:
    """One for each comparison; None where none is asked for."""
    if difference is None:
        return [None] * len(comparisons)
    return [comparison_plan(comparison, difference) for comparison in comparisons]

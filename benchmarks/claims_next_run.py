"""What the pages state about the interval for another run's median: how often it holds.

Launches scatter by 2 %, in runs of 10; the points move together as in claims_compare.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from claim import Claim
from claims_compare import EARLIER, SCATTER, made_up_run

from hockney.infer.analysis.comparison.expected import predicted
from hockney.infer.memory.components import between_runs, evidence_of, level_of
from hockney.infer.memory.prior import log_prior

POINTS = 3
MEASURED = (0.4, 2.0)
"""Standard deviation between runs over that between launches, as hosts had it (prior.py)."""
TWICE = (2.0, 2.0)


def held(earlier: int, ratios: tuple[float, float]) -> Callable[[int, int], tuple[int, int]]:
    """Counts intervals that hold the median of the run after. ratios: limits between which the
    deviation between runs over that between launches is drawn, its logarithm uniformly."""

    def run(n: int, seed: int) -> tuple[int, int]:
        rng = np.random.default_rng(seed)
        inside = 0
        for _ in range(n):
            runs = SCATTER * float(np.exp(rng.uniform(*np.log(ratios))))
            following, *known = (made_up_run(rng, POINTS, runs) for _ in range(earlier + 2))
            levels = [[level_of(logs[:, place]) for logs in known] for place in range(POINTS)]
            priors = [log_prior(float(known[0][:, p].std(ddof=1))) for p in range(POINTS)]
            between = between_runs([evidence_of([of_point]) for of_point in levels], priors)
            expected = predicted(levels[0], between[0])
            inside += expected.interval.holds(float(np.exp(np.median(following[:, 0]))))
        return inside, n

    return run


def _claim(earlier: int, ratios: tuple[float, float], words: str, at_least: float) -> Claim:
    return Claim(
        name=f"next run: {earlier} earlier runs, which differ by {words} launches",
        where="docs/method.md, Over launches",
        stated=f"the 95 % interval holds another run's median in at least {at_least:.0%}",
        at_most=None,
        at_least=at_least,
        run=held(earlier, ratios),
        n=1000,
    )


CLAIMS: list[Claim] = [
    *(_claim(earlier, MEASURED, "0.4 to 2 times as much as", 0.93) for earlier in EARLIER),
    *(_claim(earlier, TWICE, "twice as much as", 0.85) for earlier in EARLIER),
]

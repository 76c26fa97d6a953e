"""How many launches would be enough, where not all that were made count."""

from __future__ import annotations

import math

from hockney.infer.estimate.quantiles import LEAST_LAUNCHES
from hockney.plan import plan_of
from hockney.records import Run


def launches_made(run: Run) -> int:
    """Launches of each case of the plan."""
    plan = plan_of(run.header.options)
    return len(run.launches) // (len(plan.cases) if plan else 1)


def launches_needed(run: Run, counted: int, enough: int = LEAST_LAUNCHES) -> int:
    """How many to give, so that about `enough` count. counted: those of the run that do, where the
    others were in another state of the machine or are incomplete; then one more than in
    proportion."""
    made = launches_made(run)
    if not 0 < counted < made:
        return enough
    return max(math.ceil(made * enough / counted) + 1, enough)

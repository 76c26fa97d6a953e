"""A number that a claim is about, with its interval, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hockney.infer.analysis import Analysis
from hockney.infer.estimate.quantiles import ENOUGH_LAUNCHES
from hockney.plan import plan_of


@dataclass(frozen=True)
class Remedy:
    """What would let a claim be judged that cannot be told."""

    why: str
    what: str


class CannotTellError(Exception):
    """A quantity cannot be taken from what was measured."""

    def __init__(self, why: str, what: str) -> None:
        super().__init__(why)
        self.remedy = Remedy(why, what)


@dataclass(frozen=True)
class Number:
    """A quantity with its interval, whose ends are the value where it is exact."""

    value: float
    low: float
    high: float
    launches: int
    """Fewest launches of what it was taken from."""
    is_exact: bool
    """True of simulated times."""


def check_launches(analysis: Analysis, launches: int) -> None:
    """Raises CannotTellError where so many launches of a run give no interval of 95 %."""
    if launches >= ENOUGH_LAUNCHES:
        return
    plan = plan_of(analysis.run.header.options)
    made = len(analysis.run.launches) // (len(plan.cases) if plan else 1)
    few = "1 launch gives" if launches == 1 else f"{launches} launches give"
    others, needed = "", ENOUGH_LAUNCHES
    if made >= ENOUGH_LAUNCHES and launches:
        others = f" (of {made}; the others were in another state of the machine or are incomplete)"
        needed = math.ceil(made * ENOUGH_LAUNCHES / launches) + 1
    raise CannotTellError(
        f"{few} no interval of 95 %{others}",
        f"{ENOUGH_LAUNCHES} do: -- --launches {needed}, and a --budget for all",
    )


def with_ends(analysis: Analysis, found: Any, what: str, launches: int) -> Number:
    """A number with `value`, `low` and `high`, from so many launches."""
    if found.value is None:
        raise CannotTellError(f"{what} is not known", "measure more sizes")
    value = float(found.value)
    if analysis.run.is_simulated:
        return Number(value, value, value, launches, True)
    check_launches(analysis, launches)
    if found.low is None or found.high is None:
        raise CannotTellError(f"{what} has no interval", "measure more launches or sizes")
    return Number(value, found.low, found.high, launches, False)

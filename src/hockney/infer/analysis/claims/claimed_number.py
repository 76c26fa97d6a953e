"""A number that a claim is about, with its interval, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.launches_needed import launches_made, launches_needed
from hockney.infer.estimate.interval import Interval, IntervalKind
from hockney.infer.estimate.quantiles import ENOUGH_LAUNCHES
from hockney.infer.fitting.fit import Parameter


@dataclass(frozen=True)
class Remedy:
    """Why a claim is undecided, and what would decide it."""

    why: str
    what: str


class CannotTellError(Exception):
    """A quantity cannot be taken from what was measured."""

    def __init__(self, why: str, what: str) -> None:
        super().__init__(why)
        self.remedy = Remedy(why, what)


@dataclass(frozen=True)
class Number:
    """A quantity with its interval, which is exact for simulated times."""

    value: float
    interval: Interval
    launches: int
    """Fewest launches of what it was taken from."""


def check_launches(analysis: Analysis, launches: int) -> None:
    """Raises CannotTellError if this many launches of a run are too few for a 95 % interval."""
    if launches >= ENOUGH_LAUNCHES:
        return
    made = launches_made(analysis.run)
    few = "1 launch gives" if launches == 1 else f"{launches} launches give"
    others = ""
    if 0 < launches < made:
        others = f" (of {made}; the others were in another state of the machine or are incomplete)"
    needed = launches_needed(analysis.run, launches, ENOUGH_LAUNCHES)
    raise CannotTellError(
        f"{few} no interval of 95 %{others}",
        f"{ENOUGH_LAUNCHES} do: -- --launches {needed}, and a --budget for all",
    )


def common_kind(numbers: Iterable[Number]) -> IntervalKind:
    """The kind of interval of a number that is computed from these."""
    return "exact" if all(number.interval.is_exact for number in numbers) else "confidence"


def number_of(analysis: Analysis, parameter: Parameter, what: str, launches: int) -> Number:
    """The estimated parameter as a number, from this many launches."""
    if parameter.value is None:
        raise CannotTellError(f"{what} is not known", "measure more sizes")
    value, interval = float(parameter.value), parameter.interval
    if analysis.run.is_simulated:
        return Number(value, Interval.exact(value), launches)
    check_launches(analysis, launches)
    if interval is None or not interval.is_bounded:
        raise CannotTellError(f"{what} has no interval", "measure more launches or sizes")
    return Number(value, interval, launches)

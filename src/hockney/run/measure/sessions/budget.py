"""Divides the wall time among the launches."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from msgspec.structs import replace

from hockney.plan import Plan, Sampling

FIRST_FRACTION = 1.0 / 3.0
"""The first launch gets this fraction of an equal part of the budget: the cost of a start is not
known yet."""
LONGEST_TO_START = 2.0
"""A launch measures for at most twice its start-up time: more launches show more than longer ones,
as long as starting does not take most of the time."""
SHORT_S = 0.05
"""The least for which a launch measures where variants are compared."""
LEAST_S = 0.03
"""A launch that could measure for less than this is not started."""


class Budget:
    """Decides how long the next launch may measure, so that the whole run ends in time."""

    def __init__(
        self,
        sampling: Sampling,
        cases: int = 1,
        earlier: int = 0,
        spent_before_s: float = 0.0,
        now: Callable[[], float] = time.monotonic,
        has_blocks: bool = False,
    ) -> None:
        """The budget of `cases` in turn, which share it; `earlier`: launches that a resumed run has
        made before, which took `spent_before_s`; `has_blocks`: variants are compared."""
        self._sampling = sampling
        self._has_blocks = has_blocks
        self._least_launches = cases * sampling.least_launches
        self._most_launches = cases * (sampling.most_launches or 0)
        """0 means no limit."""
        self._now = now
        self._spent_before_s = spent_before_s
        # Our own start is spent already, and showing the result will take about as long.
        self._started = now() - 2.0 * time.process_time()
        self._rested_s = 0.0
        self._earlier = earlier
        self._start_costs: list[float] = []

    def note(self, wall_s: float, measured_s: float) -> None:
        """Records a launch: its wall time, and the part of it in which it measured."""
        self._start_costs.append(max(wall_s - measured_s, 0.0))

    @property
    def spent_s(self) -> float:
        return self._spent_before_s + self._now() - self._started - self._rested_s

    @property
    def left_s(self) -> float:
        return self._sampling.budget_s - self.spent_s

    @property
    def total_s(self) -> float:
        """Wall time of the whole run: the time that the launches are spread over, or the budget."""
        return self._sampling.over_s or self._sampling.budget_s

    @property
    def to_come_s(self) -> float:
        """Upper limit of the wall time until the run ends."""
        if self._sampling.over_s is None:
            return max(self.left_s, 0.0)
        return max(self._sampling.over_s - (self._now() - self._started), 0.0)

    def rest_s(self) -> float:
        """Pause before the next launch when launches are spread over a time (`over_s`); 0 before
        the first. It keeps the elapsed fraction of that time equal to the spent fraction of the
        budget or of the launches."""
        over_s, made = self._sampling.over_s, len(self._start_costs)
        to_spend_s = self._sampling.budget_s - self._spent_before_s
        if over_s is None or not made:
            return 0.0
        fraction = 1.0 - self.left_s / to_spend_s if to_spend_s > 0.0 else 1.0
        if self._most_launches:
            fraction = max(fraction, made / max(self._most_launches - self._earlier, 1))
        return max(over_s * fraction - (self._now() - self._started), 0.0)

    def rested(self, seconds: float) -> None:
        """Excludes a pause from the time that was spent."""
        self._rested_s += seconds

    def next_seconds(self) -> float | None:
        """Seconds for which the next launch may measure; None when too little time is left."""
        done = self._earlier + len(self._start_costs)
        is_fixed = self._least_launches == self._most_launches
        if self._has_blocks and not is_fixed:
            return self._of_block()
        if done == 0:
            even = self._sampling.budget_s / self._least_launches
            if self._sampling.most_launches == 1:
                return even
            return max(even * FIRST_FRACTION, LEAST_S)
        start_s = max(self._start_costs, default=0.0)
        to_come = max(self._least_launches - done, 1)
        even = self.left_s / to_come - start_s
        if is_fixed and (even >= LEAST_S or not self._sampling.within_budget):
            return max(even, LEAST_S)  # the user fixed the number of launches
        if even < LEAST_S:
            # Fewer launches than wanted: one more gets the least time, if so much is left.
            return LEAST_S if self.left_s - start_s >= LEAST_S else None
        return min(even, max(LONGEST_TO_START * start_s, self._sampling.usual_launch_s))

    def _of_block(self) -> float | None:
        """Seconds for the next launch where variants are compared: blocks are the units, so that
        launches are short. They measure as long as they take to start, but no longer than is usual:
        where starting takes seconds, more blocks show more."""
        start_s = median(self._start_costs) if self._start_costs else 0.0
        seconds = min(max(start_s, SHORT_S), self._sampling.usual_launch_s)
        return seconds if self.left_s - start_s >= seconds else None


def of_one_launch(sampling: Sampling, budget_s: float, **changes: Any) -> Sampling:
    """The sampling of a step that has one launch of each case."""
    return replace(sampling, least_launches=1, most_launches=1, budget_s=budget_s, **changes)


class StepsClock:
    """What is left of the budget of a plan that is measured in steps."""

    def __init__(self, plan: Plan, now: Callable[[], float]) -> None:
        self._now, self._started = now, now()
        self.total_s = plan.sampling.budget_s
        self._is_simulated = plan.first.placement.platform is not None

    @property
    def left_s(self) -> float:
        return self.total_s - (self._now() - self._started)

    @staticmethod
    def budget_s(seconds: float) -> float:
        """The budget of a step that may take so long: a budget begins with the time that this
        process has computed, which the clock has counted already."""
        return seconds + 2.0 * time.process_time()

    def allows(self, seconds: float) -> bool:
        """True if more time is left; simulated time does not count."""
        return self._is_simulated or self.left_s > seconds

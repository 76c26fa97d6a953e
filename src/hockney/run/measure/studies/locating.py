"""The steps of `hockney fabric --locate`: each launch makes the rounds that separate the
explanations left by earlier ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from hockney.base.units import how_many
from hockney.infer.analysis.network.round_times import made_rounds, network_of, times_of
from hockney.infer.locate.odds import judge
from hockney.infer.locate.search import RoundSearch, most_rounds
from hockney.plan import Plan, single
from hockney.plan.workloads.fabric import Fabric
from hockney.run.measure.sessions.budget import StepsClock, of_one_launch
from hockney.run.measure.sessions.session import Session

LEAST_S = 0.1
"""No launch is started for less than this."""


@dataclass
class Locating:
    """Measures rounds until an explanation is far likelier than all others."""

    plan: Plan
    now: Callable[[], float] = time.monotonic
    ran_out: int | None = None
    """The number of rounds at which the budget ended, if it did before all was known."""
    clock: StepsClock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = StepsClock(self.plan, self.now)

    @property
    def workload(self) -> Fabric:
        workload = self.plan.first.workload
        assert isinstance(workload, Fabric)
        return workload

    def first(self) -> Plan:
        return self._launch(self._search([], 0).first())

    def next(self, session: Session) -> Plan | None:
        """The launch of the rounds that are to be made next; None at the end."""
        run, placement = session.run, self.plan.first.placement
        network = network_of(run)
        times = times_of(run, network)
        if times is None:
            return None
        steps = len({block.launch for block in run.pair_times})
        search = self._search(made_rounds(run, placement.ranks), steps)
        rounds = search.next(network, times, judge(times, list(network.parts)))
        if rounds and not self.clock.allows(LEAST_S):
            self.ran_out = len(search.made) - len(rounds)
            session.reason = "budget"
            return None
        return self._launch(rounds) if rounds else None

    def notes(self) -> list[str]:
        if self.ran_out is None:
            return []
        made = how_many(self.ran_out, "round")
        return [f"the budget was over after {made}, before all was known"]

    def _search(self, made: list[int], steps: int) -> RoundSearch:
        ranks = self.plan.first.placement.ranks
        return RoundSearch(ranks, self.workload.visits or most_rounds(ranks), made, steps)

    def _launch(self, rounds: list[int]) -> Plan:
        budget_s = self.clock.budget_s(max(self.clock.left_s, LEAST_S))
        sampling = of_one_launch(self.plan.sampling, budget_s, within_budget=False)
        workload = replace(self.workload, chosen=tuple(rounds))
        return single(workload, self.plan.first.placement, sampling)

"""A run being measured: its plan, the MPI, and all that was measured so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hockney import records
from hockney.base.result_file import ResultFile
from hockney.plan import Plan, stored
from hockney.records import End, LeftOutNode, Progress, Record, Run
from hockney.run.measure.machine.environment import new_header
from hockney.run.measure.preparation.setup import Setups
from hockney.run.measure.sessions.answer import Answer, Problem
from hockney.run.measure.sessions.blocks import Blocks
from hockney.run.measure.sessions.budget import Budget, StepsClock
from hockney.run.measure.sessions.race import Race
from hockney.run.measure.sessions.resume import spent_s, whole_launches
from hockney.run.measure.sessions.status import Disturbances, Status


class Steps(Protocol):
    """A measurement that decides step by step what to measure next."""

    def first(self) -> Plan: ...

    def next(self, session: Session) -> Plan | None:
        """The next plan, given everything measured so far; None at the end."""

    def notes(self) -> list[str]:
        """Remarks for the user about how the steps were decided."""


@dataclass
class Session:
    """A run whose cases are measured in turn, launch by launch."""

    plan: Plan
    """The plan being measured: the run's own, or a step of it."""
    setups: Setups
    file: ResultFile
    on_progress: Callable[[Status], None]
    run: Run
    steps: Steps | None = None
    left_out: list[LeftOutNode] = field(default_factory=list)
    """Nodes that the run goes on without."""
    bad_nodes: list[LeftOutNode] = field(default_factory=list)
    """Nodes that made the last launch fail or hang, found where the plan asks for it."""
    answers: list[Answer] = field(init=False)
    reason: str = "budget"
    disturbances: Disturbances = field(default_factory=Disturbances)
    blocks: Blocks | None = None
    """The order of launches where variants are compared; None otherwise."""
    race: Race | None = None
    """The race, which decides which cases have lost; None unless cases race."""
    budget: Budget = field(init=False)
    spent_before_s: float = field(init=False)
    """Seconds of its budget that a resumed run used before; each step has a budget of its own."""
    was_stopped: bool = False
    """True if we were asked to stop, even too late for this run: nothing may follow it."""
    was_finished: bool = False
    """True if the file held all that was asked for, so that nothing was measured."""
    failed_starts: int = 0
    """Number of starts at which the launcher failed by chance before any rank reported."""
    launches_wall_s: float = 0.0
    """Wall time of all launches; the rest of the run's wall time is our overhead."""

    def add(self, record: Record) -> None:
        """Adds a record to the run and to its file."""
        self.run.add(record)
        self.file.write(records.encode(record))

    def ends(self, number: int) -> list[End]:
        """The ends that the launch of that number has recorded."""
        return [end for end in self.run.ends if end.launch == number]

    def __post_init__(self) -> None:
        self.spent_before_s = spent_s(self.on_these_nodes)
        self.begin(self.plan)

    @property
    def on_these_nodes(self) -> Run:
        """The launches that were made on the nodes which are still measured."""
        run = self.run
        if all(launch.left_out == self.left_out for launch in run.launches):
            return run
        return run.of_launches(run.launches_without(self.left_out))

    def begin(self, plan: Plan) -> None:
        """Starts a plan."""
        self.plan = plan
        self.answers = [Answer(case, Run(self.run.header)) for case in plan.cases]
        for answer in self.answers:
            if error := self.setups.broken.get(answer.case.variant):
                answer.problem, answer.is_done = Problem.of(error), True
        earlier = len(whole_launches(self.on_these_nodes))
        varied = plan.comparison is not None
        cases = len(self.answers)
        self.budget = Budget(plan.sampling, cases, earlier, self.spent_before_s, has_blocks=varied)
        self.race = Race(plan.sampling.most_launches) if plan.race else None
        if plan.comparison is not None:
            self.blocks = Blocks(plan.comparison, self.run, plan.sampling.budget_s)

    def show(self, answer: Answer, number: int, progress: Progress | None = None) -> None:
        """Reports the progress of the run. It computes nothing: results are evaluated between
        launches only, and only as far as the rule for stopping needs."""
        known = [(a.case.name, a.least_known) for a in self.answers if a.least_known]
        # Each step has a budget of its own, of which a reader knows nothing.
        clock: StepsClock | None = getattr(self.steps, "clock", None)
        self.on_progress(
            Status(
                case=answer.case,
                launch=number,
                total_s=clock.total_s if clock else self.budget.total_s,
                left_s=max(clock.left_s, 0.0) if clock else self.budget.to_come_s,
                progress=progress,
                least_known=max(known, key=lambda pair: pair[1].precision, default=None),
                disturbances=self.disturbances,
            )
        )


def new_run(plan: Plan, label: str | None) -> Run:
    """A new run with its header."""
    return Run(new_header(plan.experiment, label, stored(plan)))

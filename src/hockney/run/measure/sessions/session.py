"""Measures a run: launch after launch, until it is precise enough or the budget is spent."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from hockney import records
from hockney.base.confidential import redacted
from hockney.base.errors import HockneyError, UsageError
from hockney.base.result_file import CutError, ResultFile
from hockney.infer.estimate import LeastKnown, least_known
from hockney.plan import Case, Plan, stored
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.records import End, Finish, LaunchRecord, LeftOutNode, Progress, Record, Run
from hockney.run.measure.launches.hang import locate, new_mark, sizes_passed
from hockney.run.measure.launches.launch import Interruption, NodeFinding, Outcome
from hockney.run.measure.launches.node_faults import find_faults
from hockney.run.measure.launches.start import StartCommand, start_of
from hockney.run.measure.machine.environment import new_header
from hockney.run.measure.preparation.failures import failure_of, mixed_up, reported
from hockney.run.measure.preparation.setup import Setups
from hockney.run.measure.sessions.blocks import Blocks
from hockney.run.measure.sessions.budget import Budget
from hockney.run.measure.sessions.passes import pass_arguments
from hockney.run.measure.sessions.race import FIRST_PART, Race
from hockney.run.measure.sessions.resume import (
    missing_ends,
    next_number,
    part_of,
    spent_s,
    whole_launches,
)
from hockney.run.measure.sessions.status import Disturbances, Status

ENGINE_ASKED_WRONGLY = 2
LAST_LINES = "the last lines of its output:"
"""Words between the problem of a launch and what it printed last."""
MEASUREMENTS = tuple(
    b'{"kind":"%b"' % kind for kind in (b"samples", b"pair_times", b"start", b"round", b"probe")
)


@dataclass
class Answer:
    """A case and its own part of the run."""

    case: Case
    run: Run
    launches: int = 0
    is_done: bool = False
    """No further launch is needed, or none would help."""
    least_known: LeastKnown | None = None
    """The least precise point after the last launch, if the rule for stopping evaluated it."""
    problem: str | None = None
    """The problem, for the user. The case is not measured again."""
    sizes_at_first: int = field(init=False)
    """Number of the case's sizes at first: a race, or a check, leaves some out."""

    def __post_init__(self) -> None:
        self.sizes_at_first = len(self.case.workload.sizes)

    @property
    def part(self) -> float:
        """The fraction of its sizes that are still measured."""
        return len(self.case.workload.sizes) / self.sizes_at_first if self.sizes_at_first else 1.0


class Steps(Protocol):
    """A measurement that decides step by step what to measure next."""

    def first(self) -> Plan: ...

    def next(self, session: Session) -> Plan | None:
        """The next plan, given everything measured so far; None at the end."""

    def notes(self) -> list[str]:
        """Remarks for the user about how the steps were decided."""


@dataclass
class Session:
    """A run being measured: its plan, the MPI, and all that was measured so far.

    Several cases are measured in turn, launch by launch."""

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
            answer.problem = self.setups.broken.get(answer.case.variant)
            answer.is_done = answer.problem is not None
        earlier = len(whole_launches(self.on_these_nodes))
        varied = plan.comparison is not None
        cases = len(self.answers)
        self.budget = Budget(plan.sampling, cases, earlier, self.spent_before_s, has_blocks=varied)
        self.race = Race(plan.sampling.most_launches) if plan.race else None
        if plan.comparison is not None:
            self.blocks = Blocks(plan.comparison, self.run, plan.sampling.budget_s)


def new_run(plan: Plan, label: str | None) -> Run:
    """A new run with its header."""
    return Run(new_header(plan.experiment, label, stored(plan)))


def answer(session: Session) -> None:
    """Measures the plan, then each step that follows from the results."""
    _begin(session)
    with Interruption().watched() as interruption:
        while _measure_all(session, interruption) and session.steps is not None:
            plan = session.steps.next(session)
            if plan is None:
                break
            session.begin(plan)
    session.was_stopped = bool(interruption)


def finish(session: Session, plan: Plan) -> None:
    """Records how a run ended; plan: the run's own. A budget is spent when the rest is too short
    for a launch."""
    spent_s = session.budget.spent_s
    if session.reason == "budget":
        spent_s = max(spent_s, plan.sampling.budget_s)
    sampling = msgspec.to_builtins(plan.sampling)
    finish = Finish(reason=session.reason, spent_s=spent_s, sampling=sampling)
    if session.blocks is not None:
        finish.looks, finish.look_blocks = session.blocks.looks, session.blocks.look_blocks
        finish.continued = session.blocks.continued
        if session.reason != "decided":
            finish.looks.append(1.0 if session.reason != "interrupted" else _fraction(session))
            if session.plan.comparison is not None and session.plan.comparison.narrows:
                finish.look_blocks.append(max(answer.launches for answer in session.answers))
    try:
        session.add(finish)
    except HockneyError as error:
        if session.reason != "failed":  # else it has been reported
            _fail(session, session.answers[-1], error)


def _begin(session: Session) -> None:
    """Writes the header. In a resumed file, writes missing end records and restores the launches
    that were measured already."""
    if not session.file.has_content:
        session.file.write(records.encode(session.run.header))
    for end in missing_ends(session.run):
        session.add(end)
    for answer in session.answers:
        answer.run = part_of(answer.case, session.on_these_nodes, session.plan)
        answer.launches = len(whole_launches(answer.run))
        if answer.launches > 0:
            answer.is_done = _is_done(session, answer)
    if session.race is not None:
        session.race.drop(session.answers)


def _measure_all(session: Session, interruption: Interruption) -> bool:
    """Launches the cases in turn until every point is precise enough, the budget is spent, the
    requested number of launches is reached, or something goes wrong. A case that fails is not
    measured again; the others are. Returns False if no further step may follow."""
    budget = session.budget
    for number in itertools.count(next_number(session.run)):
        answer = _next(session)
        if answer is None:
            session.reason = _reason(session)
            return session.reason != "failed"
        seconds = budget.next_seconds()
        if seconds is None:
            session.reason = "budget"
            return True
        budget.rested(interruption.rest(budget.rest_s()))
        if interruption:
            session.reason = "interrupted"
            return False
        _show(session, answer, number)
        try:
            outcome = _launch(
                session, answer, number, seconds * _part(session, answer), interruption
            )
        except HockneyError as error:
            _fail(session, answer, error)
            return False
        answer.problem = _problem(session, answer, number, outcome)
        if session.bad_nodes:
            session.reason = "failed"
            return False
        if answer.problem is not None and session.blocks is not None:
            budget.rested(outcome.wall_s)  # other variants do not pay for one that fails
        else:
            budget.note(outcome.wall_s, _measured_s(session, number) or 0.0)
        answer.is_done = _is_done(session, answer)
        if session.race is not None:
            session.race.drop(session.answers)
        session.disturbances.add(session.run, number)
        if outcome.interrupted:
            session.reason = "interrupted"
            return False
        if session.blocks is not None and _is_decided(session, session.blocks, answer):
            session.reason = "decided"
            return True
    return False


def _fail(session: Session, answer: Answer, error: HockneyError) -> None:
    """Records an error of the disk, which is full or gone: the results so far are still shown."""
    if isinstance(error, CutError):
        parts = session.run.records
        saved = session.file.save_elsewhere(lambda: map(records.encode, parts()))
        if saved is not None:
            error = HockneyError(f"{error.message}; all that was measured is in {saved}")
    answer.problem, session.reason = str(error), "failed"


def _part(session: Session, answer: Answer) -> float:
    """The fraction of a launch's time for the remaining sizes, and in a race for the first look."""
    is_first_look = session.race is not None and answer.launches == 0
    only = session.plan.sampling.most_launches == 1
    return answer.part * (FIRST_PART if is_first_look and not only else 1.0)


def _is_decided(session: Session, blocks: Blocks, answer: Answer) -> bool:
    """True if the launch that was just made ends a block, and the comparison is conclusive."""
    if answer.problem is None:
        blocks.add(answer)
    return blocks.is_decided(session.answers, _fraction(session))


def _fraction(session: Session) -> float:
    """The fraction that is spent of the budget, or of the requested launches."""
    most = session.plan.sampling.most_launches
    left = [answer for answer in session.answers if not answer.is_done] or session.answers
    least = min(answer.launches for answer in left)
    spent = session.budget.spent_s / session.plan.sampling.budget_s
    return min(max(spent, least / most if most else 0.0), 1.0)


def _is_done(session: Session, answer: Answer) -> bool:
    sampling = session.plan.sampling
    most = sampling.most_launches
    if answer.problem is not None or (most is not None and answer.launches >= most):
        return True
    if session.blocks is not None:
        return False  # all cases are decided together
    # Launches that are spread over a time must fill it, however precise the medians are.
    may_end = sampling.over_s is None and answer.launches >= sampling.least_launches
    if not may_end:
        return False
    sizes = {size.bytes for size in answer.case.workload.sizes} if session.race else None
    answer.least_known = least_known(answer.run, sizes)
    known = answer.least_known
    return known is not None and known.deciding_precision <= sampling.precision


def _show(session: Session, answer: Answer, number: int, progress: Progress | None = None) -> None:
    """Reports the progress of the run. It computes nothing: results are evaluated between launches
    only, and only as far as the rule for stopping needs."""
    known = [(a.case.name, a.least_known) for a in session.answers if a.least_known]
    session.on_progress(
        Status(
            case=answer.case,
            launch=number,
            total_s=session.budget.total_s,
            left_s=session.budget.to_come_s,
            progress=progress,
            least_known=max(known, key=lambda pair: pair[1].precision, default=None),
            disturbances=session.disturbances,
        )
    )


def _next(session: Session) -> Answer | None:
    """The unfinished case with the fewest launches."""
    if session.blocks is not None:
        return session.blocks.next(session.answers)
    left = [answer for answer in session.answers if not answer.is_done]
    return min(left, key=lambda answer: answer.launches, default=None)


def _reason(session: Session) -> str:
    """Why the session ends."""
    working = [answer for answer in session.answers if answer.problem is None]
    if not working or (session.blocks and not session.blocks.can_compare(working)):
        return "failed"
    most = session.plan.sampling.most_launches
    # Where a comparison narrows, cases that are decided have fewer.
    enough = any if session.blocks is not None else all
    every = most is not None and enough(answer.launches >= most for answer in working)
    return "launches" if every else "precision"


def _bad_nodes(findings: list[NodeFinding], number: int) -> list[LeftOutNode]:
    """The nodes that are the cause, each with all findings about it."""
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        if finding.host is not None:
            reasons.setdefault(finding.host, []).append(finding.text)
    return [
        LeftOutNode(host=host, why="; ".join(each), launch=number) for host, each in reasons.items()
    ]


def _launch(
    session: Session, answer: Answer, number: int, seconds: float, interruption: Interruption
) -> Outcome:
    setup, sampling = session.setups.of(answer.case), session.plan.sampling
    case = setup.files.placed(answer.case)
    arguments = engine_arguments(case, sampling, seconds, setup.files.list_file)
    arguments += launch_arguments(number) + case.workload.arguments_now()
    arguments += [*pass_arguments(case, answer.run), *setup.options]
    mark = new_mark()
    arguments += [f"--mark={mark}"] if case.placement.platform is None else []
    start = start_of(setup.mpi, setup.engine, case, arguments)
    measured: list[bytes] = []

    def keep(lines: list[bytes]) -> None:
        # Measurements go to the file unchanged and are decoded after the ranks have ended: decoding
        # would take a core from them on a small node. A line that a killed rank left incomplete is
        # dropped, whatever the launcher appended to it.
        if not lines and session.budget.left_s <= 0.0:
            _show(session, answer, number)
        kept = []
        for line in lines:
            if line.startswith(MEASUREMENTS) and line.endswith(b"}\n"):
                measured.append(line)
                kept.append(line)
            else:
                kept.append(_kept(session, answer, line, number, start))
        session.file.write(b"".join(kept))

    def look() -> list[NodeFinding]:
        here = [record for record in map(records.try_decode, measured) if record is not None]
        passed = sizes_passed([*answer.run.samples, *here])
        places = _hosts_of(session, number)
        return locate(setup.mpi, setup.engine, case, mark, passed, places, sampling.timeout_s)

    ended_well = False
    try:
        outcome = start.run(keep, sampling.timeout_s, interruption, on_silence=look)
        ended_well = outcome.exit_status == 0
    finally:
        if not ended_well:
            start.launcher.end_strays()
        for line in measured:
            record = records.try_decode(line)
            if record is not None:
                _add(session, answer, record)
    session.launches_wall_s += outcome.wall_s
    session.failed_starts += outcome.failed_starts
    answer.launches += 1
    return outcome


def _add(session: Session, answer: Answer, record: records.Record) -> None:
    session.run.add(record)
    answer.run.add(record)


def _kept(session: Session, answer: Answer, line: bytes, number: int, start: StartCommand) -> bytes:
    """Adds a line of the engine to the run, and returns what is written to the file."""
    record = records.try_decode(line)
    if isinstance(record, Progress):
        _show(session, answer, number, record)
        return b""
    if record is None:
        return b""
    if isinstance(record, LaunchRecord):
        record.command, record.env = redacted(start.command), start.env
        record.launcher = start.version
        record.simulated = answer.case.placement.platform is not None
        record.variant = answer.case.variant
        record.axes |= answer.case.workload.launch_axes
        record.block = answer.launches if answer.case.variant else None
        record.left_out = session.left_out
    _add(session, answer, record)
    return records.encode(record)


def _hosts_of(session: Session, number: int) -> dict[int, str]:
    """The host of each rank of a launch, where ranks have reported it."""
    launches = [launch for launch in session.run.launches if launch.launch == number]
    return {place.rank: place.host for launch in launches for place in launch.places if place.host}


def _ends(session: Session, number: int) -> list[End]:
    return [end for end in session.run.ends if end.launch == number]


def _measured_s(session: Session, number: int) -> float | None:
    return next((end.wall_s for end in _ends(session, number) if end.wall_s is not None), None)


def _problem(session: Session, answer: Answer, number: int, outcome: Outcome) -> str | None:
    """The problem of a launch, None if there was none. Writes an end record if the launch could
    not."""
    ends = _ends(session, number)
    failures = reported(outcome, ends)
    message = failure_of(number, outcome, failures, ends, session.file.can_resume)
    if message is None:
        return None
    setup = session.setups.of(answer.case)
    findings = outcome.findings
    if not (outcome.interrupted or findings) and answer.case.placement.platform is None:
        timeout_s = session.plan.sampling.timeout_s
        findings = find_faults(setup.mpi, setup.engine, answer.case.placement, timeout_s)
        message = "; ".join([message, *(finding.text for finding in findings)])
    mixed = None if session.run.is_measured else mixed_up(setup, answer.case, message)
    message = mixed or message
    if answer.case.placement.without_bad_nodes and not (outcome.interrupted or mixed):
        began = session.run.launches and session.run.launches[-1].launch == number
        is_explained = failures and (began or outcome.exit_status == ENGINE_ASKED_WRONGLY)
        session.bad_nodes = [] if is_explained else _bad_nodes(findings, number)
        if not (session.bad_nodes or is_explained):
            message += "; no node is surely the cause, so none is left out"
    if not ends:
        reason = "interrupted" if outcome.interrupted else "failed"
        end = End(launch=number, reason=reason, wall_s=outcome.wall_s, message=message)
        _add(session, answer, end)
        session.file.write(records.encode(end))
    if not (outcome.interrupted or failures or mixed) and outcome.last_lines:
        lines = "\n".join(f"    {line}" for line in outcome.last_lines)
        message = f"{message}; {LAST_LINES}\n{lines}"
    is_first = not session.run.is_measured and answer.case.variant is None  # other variants go on
    if failures and outcome.exit_status == ENGINE_ASKED_WRONGLY and is_first:
        raise UsageError(message)
    return message

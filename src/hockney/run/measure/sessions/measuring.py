"""Measures a run: launch after launch, until it is precise enough or the budget is spent."""

from __future__ import annotations

import itertools

import msgspec

from hockney import records
from hockney.base.errors import HockneyError
from hockney.base.result_file import CutError
from hockney.infer.estimate import least_known
from hockney.plan import Plan
from hockney.records import Finish
from hockney.run.measure.launches.launch import Interruption
from hockney.run.measure.sessions.answer import Answer, Problem
from hockney.run.measure.sessions.blocks import Blocks
from hockney.run.measure.sessions.failures import problem_of
from hockney.run.measure.sessions.launching import launch_case
from hockney.run.measure.sessions.race import FIRST_PART
from hockney.run.measure.sessions.resume import (
    missing_ends,
    next_number,
    part_of,
    whole_launches,
)
from hockney.run.measure.sessions.session import Session


def measure_steps(session: Session) -> None:
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
        session.show(answer, number)
        seconds *= _part(session, answer)
        try:
            outcome = launch_case(session, answer, number, seconds, interruption)
        except HockneyError as error:
            _fail(session, answer, error)
            return False
        answer.problem = problem_of(session, answer, number, outcome)
        if session.bad_nodes:
            session.reason = "failed"
            return False
        if answer.problem is not None and session.blocks is not None:
            budget.rested(outcome.wall_s)  # other variants do not pay for one that fails
        else:
            walls_s = (end.wall_s for end in session.ends(number) if end.wall_s is not None)
            budget.note(outcome.wall_s, next(walls_s, 0.0))
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
    answer.problem, session.reason = Problem.of(error), "failed"


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

"""Carries out a run, from its plan to its result file: MPI, nodes, files, then the launches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError
from hockney.base.result_file import ResultFile, opened_first
from hockney.plan import Plan
from hockney.records import LeftOutNode, Run, read
from hockney.run.measure.launches.nodes import FaultyNodesError
from hockney.run.measure.preparation.parameter_files import held_for
from hockney.run.measure.preparation.setup import setups_of
from hockney.run.measure.sessions.answer import Problem
from hockney.run.measure.sessions.measuring import finish, measure_steps
from hockney.run.measure.sessions.resume import is_finished, run_to_resume
from hockney.run.measure.sessions.session import Session, new_run
from hockney.run.measure.sessions.status import Status
from hockney.run.measure.studies.fewer_nodes import without_nodes
from hockney.run.measure.studies.steps import steps_of

MOST_NUMBERED = 1000
"""The most files of one name, which numbers distinguish."""
OnProgress = Callable[[Status], None]
OnLeftOut = Callable[[LeftOutNode], None]


@dataclass(frozen=True)
class Target:
    """The file that a run is written to."""

    output: Path
    label: str | None = None
    force: bool = False
    resume: bool | None = False
    """Whether to continue the file; None if this command cannot."""
    is_chosen: bool = True
    """False for a default name, which gets a number where it is taken."""

    def names(self) -> Iterator[Path]:
        yield self.output
        for number in range(2, 1 if self.is_chosen else MOST_NUMBERED):
            yield self.output.with_stem(f"{self.output.stem}-{number}")

    def opened(self, keep: bool = False) -> ResultFile:
        """Opens the first name that is free; `keep`: see ResultFile."""
        return opened_first(self.names(), self.force, self.resume, keep)


def measure(plan: Plan, target: Target, on_progress: OnProgress, on_left_out: OnLeftOut) -> Session:
    """Measures a plan into a file; the session holds what was measured and how it ended. Where the
    plan asks for it, the run goes on without nodes that make a launch fail or hang."""
    without = _left_out_before(plan, target)
    while True:
        try:
            with _prepared(plan, target, on_progress, without) as session:
                if session.was_finished:
                    return session
                measure_steps(session)
                if not _goes_on(session, plan):
                    finish(session, plan)
                    return session
            bad_nodes = session.bad_nodes
            target = Target(session.file.path, target.label, resume=True)
        except FaultyNodesError as error:
            if not plan.first.placement.without_bad_nodes:
                raise
            named = [finding for finding in error.findings if finding.host is not None]
            if not named:
                raise
            bad_nodes = [
                LeftOutNode(host=finding.host or "", why=finding.text) for finding in named
            ]
            without_nodes(plan, [*without, *bad_nodes])
        without = [*without, *bad_nodes]
        for node in bad_nodes:
            on_left_out(node)


def _left_out_before(plan: Plan, target: Target) -> list[LeftOutNode]:
    """The nodes that the run to be continued has left out."""
    if not plan.first.placement.without_bad_nodes or not target.resume:
        return []
    if not target.output.is_file() or not target.output.stat().st_size:
        return []
    launches = read(target.output).launches
    return list(launches[-1].left_out) if launches else []


def _goes_on(session: Session, plan: Plan) -> bool:
    """Whether the run goes on without the nodes that the session found to be bad; if the others
    are too few, the problems of its answers become that."""
    if not session.bad_nodes:
        return False
    try:
        without_nodes(plan, [*session.left_out, *session.bad_nodes])
    except HockneyError as error:
        for answer in session.answers:
            if answer.problem is not None:
                answer.problem = Problem.of(error)
        return False
    return True


@contextmanager
def _prepared(
    full_plan: Plan, target: Target, on_progress: OnProgress, without: list[LeftOutNode]
) -> Iterator[Session]:
    """A session that is ready to measure what was asked for, without these nodes. At the end its
    file is closed and temporary files are removed."""
    plan = without_nodes(full_plan, without)
    with setups_of(plan, target.output.parent) as setups:
        file = target.opened()
        run: Run | None = None

        def remove_unused() -> None:
            """Removes a file that has only a header, over which the next try would stumble."""
            if not file.has_content and (run is None or not run.launches):
                file.remove()

        at_end = AtEnd(remove_unused)
        try:
            if file.has_content:
                run = run_to_resume(file.path, full_plan, setups.engines)
            else:
                run = new_run(full_plan, target.label)
                if held := held_for(full_plan):
                    run.header.environment |= held.recorded
            run.path = file.path
            steps = steps_of(plan)
            first = steps.first() if steps else plan
            session = Session(first, setups, file, on_progress, run, steps, without)
            if run.finish is not None and is_finished(run, full_plan):
                session.was_finished, session.reason = True, run.finish.reason
            yield session
        finally:
            at_end.now()
            file.close()

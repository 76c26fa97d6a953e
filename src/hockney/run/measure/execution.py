"""Carries out a run, from its plan to its result file: MPI, nodes, files, then the launches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hockney.base.endings import AtEnd
from hockney.base.result_file import ResultFile, opened_first
from hockney.plan import Plan
from hockney.records import Run
from hockney.run.measure.resume import is_finished, run_to_resume
from hockney.run.measure.session import Session, answer, finish, new_run
from hockney.run.measure.setup import setups_of
from hockney.run.measure.status import Status
from hockney.run.measure.steps import steps_of

MOST_NUMBERED = 1000
"""The most files of one name, which numbers distinguish."""
OnProgress = Callable[[Status], None]


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


def measure(plan: Plan, target: Target, on_progress: OnProgress) -> Session:
    """Measures a plan into a file; the session holds what was measured and how it ended."""
    with _prepared(plan, target, on_progress) as session:
        if session.was_finished:
            return session
        answer(session)
        finish(session, plan)
    return session


@contextmanager
def _prepared(plan: Plan, target: Target, on_progress: OnProgress) -> Iterator[Session]:
    """A session that is ready to measure. At the end its file is closed and temporary files are
    removed."""
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
                run = run_to_resume(file.path, plan, setups.engines)
            else:
                run = new_run(plan, target.label)
            run.path = file.path
            steps = steps_of(plan)
            first = steps.first() if steps else plan
            session = Session(first, setups, file, on_progress, run, steps)
            if run.finish is not None and is_finished(run, plan):
                session.was_finished, session.reason = True, run.finish.reason
            yield session
        finally:
            at_end.now()
            file.close()

"""Everything that a run needs before its first launch: nodes, platform, file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hockney.measure.build import Engine
from hockney.measure.mpi import Mpi
from hockney.measure.nodes import check_hosts, engine_on_nodes
from hockney.measure.platforms import platform_file
from hockney.measure.question import Question
from hockney.measure.resume import run_to_resume
from hockney.measure.session import Session, new_run
from hockney.records import Progress
from hockney.result_file import ResultFile


@dataclass(frozen=True)
class Asked:
    """Questions that share a file and their launches' budget, and the MPI that is asked."""

    questions: Sequence[Question]
    mpi: Mpi
    engine: Engine
    left_out: Sequence[str] = ()
    """What is not asked, and why."""
    follow_up: Callable[[Session], Question | None] | None = None


@dataclass(frozen=True)
class Target:
    """The file that the answers go to."""

    output: Path
    label: str | None = None
    force: bool = False
    resume: bool = False


@contextmanager
def prepared(
    asked: Asked, target: Target, on_progress: Callable[[str | None, int, Progress | None], None]
) -> Iterator[Session]:
    """A session that is ready to be measured; its file is closed and its temporary files are
    removed at the end."""
    first, mpi, engine = asked.questions[0], asked.mpi, asked.engine
    check_hosts(mpi, first)
    with platform_file(first) as placed, engine_on_nodes(mpi, first, engine) as sent:
        file = ResultFile(target.output, target.force, target.resume)
        try:
            if file.has_content:
                run = run_to_resume(target.output, asked.questions, engine)
            else:
                run = new_run(asked.questions, target.label, asked.left_out)
            run.path = target.output
            questions = [
                replace(question, platform=placed.platform, hostfile=placed.hostfile)
                for question in asked.questions
            ]
            session = Session(questions, mpi, sent, file, on_progress, run)
            session.follow_up = asked.follow_up
            yield session
        finally:
            file.close()

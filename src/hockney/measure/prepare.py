"""Everything that a run needs before its first launch: MPI, engine, nodes, platform, file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hockney.measure.build import build_engine
from hockney.measure.mpi import find_mpi
from hockney.measure.nodes import check_hosts, engine_on_nodes
from hockney.measure.platforms import platform_file
from hockney.measure.question import Question
from hockney.measure.result_file import ResultFile
from hockney.measure.resume import run_to_resume
from hockney.measure.session import Session, new_run
from hockney.records import Progress


@dataclass(frozen=True)
class Wish:
    """How a question is to be measured, beside what it asks."""

    output: Path
    mpicc: str | None = None
    label: str | None = None
    force: bool = False
    resume: bool = False


@contextmanager
def prepared(
    question: Question, wish: Wish, on_progress: Callable[[int, Progress | None], None]
) -> Iterator[Session]:
    """A session that is ready to be measured; its file is closed and its temporary files are
    removed at the end."""
    mpi = find_mpi(wish.mpicc, simulated=question.platform is not None)
    engine = build_engine(mpi)
    check_hosts(mpi, question)
    with platform_file(question) as placed, engine_on_nodes(mpi, question, engine) as sent:
        file = ResultFile(wish.output, wish.force, wish.resume)
        try:
            if file.has_content:
                run = run_to_resume(wish.output, question, engine)
            else:
                run = new_run(question, wish.label)
            run.path = wish.output
            yield Session(placed, mpi, sent, file, on_progress, run)
        finally:
            file.close()

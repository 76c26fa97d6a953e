"""What all measuring verbs share: find the MPI, build, measure into a file, show."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from hockney.estimate import estimate
from hockney.measure.build import Engine, build_engine
from hockney.measure.mpi import Mpi, find_mpi
from hockney.measure.question import Question
from hockney.measure.session import Session, measure, new_run, raise_problems, unanswered
from hockney.records import ResultFile
from hockney.units import format_seconds
from hockney.views.progress import ProgressLine

ENDINGS = {
    "precision": "every median is inside the asked precision",
    "budget": "the budget is spent",
    "launches": "the asked number of launches was made",
    "interrupted": "interrupted",
    "failed": "a launch failed",
}


def default_output(experiment: str) -> Path:
    """EXPERIMENT-HOST-TIME.jsonl in the current directory, numbered where that is taken."""
    stem = f"{experiment}-{platform.node()}-{datetime.now():%Y%m%d-%H%M%S}"
    names = (f"{stem}{suffix}.jsonl" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in map(Path, names) if not path.exists())


def measure_and_show(
    question: Question,
    options: dict[str, Any],
    layout: str | None = None,
    follow_up: Callable[[Session], Question | None] | None = None,
) -> None:
    """Measures one question; `options` are those of cli/_options.py."""
    mpi = find_mpi(options["mpicc"], simulated=question.platform is not None)
    engine = build_engine(mpi)
    measure_cycle_and_show((question,), mpi, engine, options, layout, follow_up=follow_up)


def measure_cycle_and_show(
    questions: Sequence[Question],
    mpi: Mpi,
    engine: Engine,
    options: dict[str, Any],
    layout: str | None = None,
    left_out: Sequence[str] = (),
    follow_up: Callable[[Session], Question | None] | None = None,
) -> None:
    """Measures, keeping every sample in a file; what was measured is shown even if it ended badly.
    Questions that share their launches' budget are asked in turn."""
    first, quiet = questions[0], options["quiet"]
    output = options["output"] or default_output(first.experiment)
    file = ResultFile(output, options["force"])
    progress = ProgressLine(quiet, first.precision)
    run = new_run(questions, options["label"], left_out)
    session = Session(questions, mpi, engine, file, progress, run)
    session.follow_up = follow_up
    try:
        measure(session)
    finally:
        progress.clear()
        file.close()
    session.run.path = output
    if session.run.samples:
        _show(session, options, layout)
    if not quiet:
        for note in (*engine.notes, *unanswered(session)):
            click.echo(f"note: {note}", err=True)
        count = len(session.run.launches)
        click.echo(
            f"{count} launch{'' if count == 1 else 'es'} in "
            f"{format_seconds(session.launches_wall_s, 3)}: {ENDINGS[session.reason]}; "
            f"samples are in {output}",
            err=True,
        )
        if session.reason == "interrupted":
            click.echo(f"launch {count} is incomplete: its rounds up to then are kept", err=True)
    raise_problems(session)
    if session.reason == "interrupted":
        raise click.exceptions.Exit(130)
    if options.get("gate"):
        from hockney.cli._present import gate

        gate(session.run, estimate(session.run))


def _show(session: Session, options: dict[str, Any], layout: str | None) -> None:
    from hockney.cli._present import show_json, show_run

    estimates = estimate(session.run)
    if options["as_json"]:
        show_json(session.run, estimates)
    else:
        show_run(session.run, estimates, layout, quiet=options["quiet"])

"""What all measuring verbs share: find the MPI, build, measure into a file, show."""

from __future__ import annotations

import platform
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from hockney.cli._asked import Asked
from hockney.estimate import estimate
from hockney.measure.prepare import Wish, prepared
from hockney.measure.question import Question
from hockney.measure.session import Session, measure, raise_problems
from hockney.records import Run
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
    question: Question, options: dict[str, Any], layout: str | None = None
) -> None:
    """Measures, keeping every sample in a file; what was measured is shown even if it ended badly.
    `options` are those of cli/_options.py."""
    asked = click.get_current_context().find_object(Asked)
    if asked is not None:
        asked.question, asked.options = question, options
        return
    quiet = options["quiet"]
    if options["resume"] and options["output"] is None:
        raise click.UsageError("--resume: which file? Name it with -o")
    progress = ProgressLine(quiet, question.precision)
    with prepared(question, wish_of(question, options), progress) as session:
        try:
            measure(session)
        finally:
            progress.clear()
    if session.run.samples:
        show_measured(session.run, options, layout)
    if not quiet:
        _say_how_it_ended(session)
    raise_problems(session)
    if session.reason == "interrupted":
        raise click.exceptions.Exit(130)
    if options.get("gate"):
        from hockney.cli._present import gate

        gate(session.run, estimate(session.run))


def wish_of(question: Question, options: dict[str, Any]) -> Wish:
    return Wish(
        output=options["output"] or default_output(question.experiment),
        mpicc=options["mpicc"],
        label=options["label"],
        force=options["force"],
        resume=options["resume"],
    )


def _say_how_it_ended(session: Session) -> None:
    for note in session.engine.notes:
        click.echo(f"note: {note}", err=True)
    count = len(session.run.launches)
    click.echo(
        f"{count} launch{'' if count == 1 else 'es'} in "
        f"{format_seconds(session.launches_wall_s, 3)}: {ENDINGS[session.reason]}; "
        f"samples are in {session.file.path}",
        err=True,
    )
    if session.reason == "interrupted":
        click.echo(f"launch {count} is incomplete: its rounds up to then are kept", err=True)


def show_measured(run: Run, options: dict[str, Any], layout: str | None = None) -> None:
    """The result as the options of a measuring verb want it."""
    from hockney.cli._present import show_json, show_run

    estimates = estimate(run)
    if options["as_json"]:
        show_json(run, estimates)
    else:
        show_run(run, estimates, layout, quiet=options["quiet"])

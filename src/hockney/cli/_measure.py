"""What all measuring verbs share: find the MPI, build, measure into a file, show."""

from __future__ import annotations

import platform
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from hockney.cli._instead import Instead
from hockney.estimate import estimate
from hockney.measure.build import build_engine
from hockney.measure.checks import check_allocation
from hockney.measure.mpi import find_mpi
from hockney.measure.prepare import Asked, Target, prepared
from hockney.measure.question import Question
from hockney.measure.session import Session, measure, raise_problems, unanswered
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
    question: Question,
    options: dict[str, Any],
    layout: str | None = None,
    follow_up: Callable[[Session], Question | None] | None = None,
) -> None:
    """Measures one question; `options` are those of cli/_options.py."""
    mpi = find_mpi(options["mpicc"], simulated=question.platform is not None)
    asked = Asked((question,), mpi, build_engine(mpi), follow_up=follow_up)
    measure_cycle_and_show(asked, options, layout)


def measure_cycle_and_show(
    asked: Asked, options: dict[str, Any], layout: str | None = None
) -> None:
    """Measures, keeping every sample in a file; what was measured is shown even if it ended badly.
    Questions that share their launches' budget are asked in turn."""
    instead = click.get_current_context().find_object(Instead)
    if instead is not None:
        instead.asked, instead.options = asked, options
        return
    for question in asked.questions:
        check_allocation(question)
    quiet = options["quiet"]
    if options["resume"] and options["output"] is None:
        raise click.UsageError("--resume: which file? Name it with -o")
    progress = ProgressLine(quiet, asked.questions[0].precision)
    with prepared(asked, _target(asked, options), progress) as session:
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


def _target(asked: Asked, options: dict[str, Any]) -> Target:
    output = options["output"] or default_output(asked.questions[0].experiment)
    return Target(output, options["label"], options["force"], options["resume"])


def _say_how_it_ended(session: Session) -> None:
    for note in (*session.engine.notes, *unanswered(session)):
        click.echo(f"note: {note}", err=True)
    count = len(session.run.launches)
    click.echo(
        f"{count} launch{'' if count == 1 else 'es'} in "
        f"{format_seconds(session.launches_wall_s, 3)}: {ENDINGS[session.reason]}; "
        f"samples are in {session.file.path}",
        err=True,
    )
    if session.reason == "interrupted" and session.run.ends[-1].reason == "interrupted":
        click.echo(f"launch {count} is incomplete: its rounds up to then are kept", err=True)


def show_measured(run: Run, options: dict[str, Any], layout: str | None = None) -> None:
    """The result as the options of a measuring verb want it."""
    from hockney.cli._present import show_json, show_run

    estimates = estimate(run)
    if options["as_json"]:
        show_json(run, estimates)
    else:
        show_run(run, estimates, layout, quiet=options["quiet"])

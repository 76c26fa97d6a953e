"""hockney job: a batch script for a measurement; submitted, waited for and brought home."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.cli._parameters import SECONDS
from hockney.measure.jobs import scheduler_names

if TYPE_CHECKING:
    from hockney.measure.jobs import Job, Scheduler
    from hockney.measure.question import Question

POLL_S = 1.0
LAST_LINES = 12
"""Of the scheduler's log, shown when a job fails."""


@click.command()
@click.argument("scheduler", type=click.Choice(scheduler_names()))
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- VERB ...")
@click.option("--account", help="What the job is charged to.")
@click.option("--partition", help="Partition or queue.")
@click.option("--time", "time_s", type=SECONDS, help="Time limit.  [default: by the budget]")
@click.option("--exclusive/--no-exclusive", default=True, help="Whole nodes.  [default: yes]")
@click.option("--module", "modules", multiple=True, help="A module that the job loads.")
@click.option("--submit", is_flag=True, help="Submit it, wait, and show the result.")
def command(scheduler: str, words: tuple[str, ...], submit: bool, **options: Any) -> None:
    """Print a batch script that measures without Python on the nodes.

    hockney job slurm --account abc -- pingpong --nodes 2 --ranks-per-node 1 -o run.jsonl
    """
    from hockney.cli._asked import ask
    from hockney.cli._measure import default_output
    from hockney.measure.jobs import scheduler_named

    question, asked = ask(words, nodes=1)
    result = asked["output"] or default_output(question.experiment)
    job = _job(question, options)
    text = _script(scheduler_named(scheduler), job, question, asked, result)
    if not submit:
        click.echo(text, nl=False)
        return
    _submit(scheduler_named(scheduler), job, text, question, asked, result)


def _job(question: Question, options: dict[str, Any]) -> Job:
    from hockney.measure.jobs import Job, minutes_for

    time_s = options.pop("time_s")
    assert question.per_node is not None
    return Job(
        name=f"hockney-{question.experiment}",
        nodes=question.node_count or 1,
        per_node=question.per_node,
        minutes=minutes_for(question) if time_s is None else max(round(time_s / 60.0), 1),
        **options,
    )


def _script(
    scheduler: Scheduler, job: Job, question: Question, asked: dict[str, Any], result: Path
) -> str:
    from hockney import records
    from hockney.errors import AskedWronglyError
    from hockney.measure.build import build_engine
    from hockney.measure.jobs.script import job_script
    from hockney.measure.mpi import find_mpi
    from hockney.measure.session import new_run

    for option in ("platform", "hosts", "launcher"):
        if getattr(question, option):
            raise AskedWronglyError(f"--{option} is not for a job: the scheduler chooses")
    if asked["resume"] or asked["force"]:
        raise AskedWronglyError("a job begins a new file: leave out --resume and --force")
    mpi = find_mpi(asked["mpicc"])
    header = records.encode(new_run(question, asked["label"]).header)
    return job_script(scheduler, job, mpi, build_engine(mpi), question, header, result)


def _submit(
    scheduler: Scheduler,
    job: Job,
    text: str,
    question: Question,
    asked: dict[str, Any],
    result: Path,
) -> None:
    """Submits, waits, shows; an interrupted wait takes the job back and keeps what it has."""
    from hockney import records
    from hockney.cli._measure import show_measured
    from hockney.errors import AskedWronglyError, HockneyError
    from hockney.measure.jobs import submit, tell
    from hockney.views.progress import StatusLine

    if result.exists():
        raise AskedWronglyError(f"{result} exists", "name another file with -o")
    number = submit(scheduler, text)
    status = StatusLine(asked["quiet"])
    try:
        while not (state := scheduler.state(number)).ended:
            status(f"job {number}: {state.word.lower()}, {_progress(result, question)}")
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        tell([*scheduler.CANCEL, number])
        raise HockneyError(f"job {number} was taken back; its rounds are in {result}") from None
    finally:
        status.clear()
    if result.exists():
        show_measured(records.read(result), asked)
    if not state.well or not result.exists():
        raise HockneyError(
            f"job {number} ended as {state.word.lower()}", _last_words(scheduler.log(number, job))
        )
    if not asked["quiet"]:
        click.echo(f"job {number} is done; samples are in {result}", err=True)


def _progress(result: Path, question: Question) -> str:
    try:
        done = result.read_bytes().count(b'{"kind":"end"')
    except OSError:
        done = 0
    return f"{done} of {question.least_launches} launches"


def _last_words(log: Path) -> str | None:
    try:
        lines = log.read_text(errors="replace").splitlines()[-LAST_LINES:]
    except OSError:
        return None
    return f"the last lines of {log}:\n" + "\n".join(f"    {line}" for line in lines)

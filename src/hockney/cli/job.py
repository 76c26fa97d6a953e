"""hockney job: a batch script for a measurement; submitted, waited for and brought home."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.cli._parameters import SECONDS
from hockney.measure.jobs import scheduler_names

if TYPE_CHECKING:
    from hockney.cli._options import Output
    from hockney.measure.jobs import Job, Scheduler, State
    from hockney.measure.jobs.script import Measurement
    from hockney.spec import Plan
    from hockney.views.progress import StatusLine

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
    from hockney.cli._measure import default_output
    from hockney.cli._verb import ask
    from hockney.measure.jobs import scheduler_named
    from hockney.measure.jobs.script import Measurement
    from hockney.measure.run import mpi_of

    asked = ask(words, nodes=1)
    plan, output = asked.plan, asked.output
    _check(plan, output)
    result = output.path or default_output(plan.experiment)
    measurement = Measurement(plan, *mpi_of(plan.first.placement), result)
    job = _job(plan, options)
    text = _script(scheduler_named(scheduler), job, measurement, output.label)
    if submit:
        _submit(scheduler_named(scheduler), job, text, measurement, output)
    else:
        click.echo(text, nl=False)


def _check(plan: Plan, output: Output) -> None:
    from hockney.errors import AskedWronglyError
    from hockney.measure.steps import has_steps

    for option in ("platform", "hosts", "launcher"):
        if getattr(plan.first.placement, option):
            raise AskedWronglyError(f"--{option} is not for a job: the scheduler chooses")
    if output.resume or output.force:
        raise AskedWronglyError("a job begins a new file: leave out --resume and --force")
    if has_steps(plan):
        raise AskedWronglyError(
            "a script cannot decide from what was measured what to measure next",
            "let the job run hockney itself, or leave out --refine",
        )


def _job(plan: Plan, options: dict[str, Any]) -> Job:
    from hockney.measure.jobs import Job, minutes_for

    time_s = options.pop("time_s")
    most = max((case.placement for case in plan.cases), key=lambda placement: placement.ranks)
    return Job(
        name=f"hockney-{plan.experiment}",
        nodes=most.node_count or 1,
        per_node=most.per_node or most.ranks,
        minutes=minutes_for(plan) if time_s is None else max(round(time_s / 60.0), 1),
        **options,
    )


def _script(scheduler: Scheduler, job: Job, measurement: Measurement, label: str | None) -> str:
    from hockney import records
    from hockney.measure.jobs.script import job_script
    from hockney.measure.session import new_run

    header = records.encode(new_run(measurement.plan, label).header)
    return job_script(scheduler, job, measurement, header)


def _submit(
    scheduler: Scheduler,
    job: Job,
    text: str,
    measurement: Measurement,
    output: Output,
) -> None:
    """Submits, waits, shows; an interrupted wait takes the job back and keeps what it has."""
    from hockney import records
    from hockney.analysis import Analysis
    from hockney.cli._measure import show_measured
    from hockney.errors import AskedWronglyError, HockneyError
    from hockney.measure.jobs import launches_of, submit
    from hockney.measure.resume import whole_launches
    from hockney.views.progress import StatusLine

    result = measurement.result
    if result.exists():
        raise AskedWronglyError(f"{result} exists", "name another file with -o")
    number, most = submit(scheduler, text), launches_of(measurement.plan)
    state = _await_end(scheduler, number, most, result, StatusLine(output.quiet))
    run = records.read(result) if result.exists() else None
    if run is not None and run.samples:
        show_measured(Analysis(run), output)
    whole = len(whole_launches(run)) if run is not None else 0
    # A job that was deleted may have ended well all the same, as PBS tells it.
    if not state.well or whole < most:
        raise HockneyError(
            f"job {number} ended as {state.word.lower()} after {whole} of {most} launches",
            _last_words(scheduler.log(number, job)),
        )
    if not output.quiet:
        click.echo(f"job {number} is done; samples are in {result}", err=True)


def _await_end(
    scheduler: Scheduler, number: str, launches: int, result: Path, status: StatusLine
) -> State:
    from hockney.errors import HockneyError
    from hockney.measure.jobs import tell

    try:
        while not (state := scheduler.state(number)).ended:
            done = f"{_launches_in(result)} of {launches} launches"
            status(f"job {number}: {state.word.lower()}, {done}")
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        tell([*scheduler.CANCEL, number])
        kept = f"; its rounds are in {result}" if result.exists() else ""
        raise HockneyError(f"job {number} was taken back{kept}") from None
    finally:
        status.clear()
    return state


def _launches_in(result: Path) -> int:
    try:
        return result.read_bytes().count(b'{"kind":"end"')
    except OSError:
        return 0


def _last_words(log: Path) -> str | None:
    try:
        lines = log.read_text(errors="replace").splitlines()[-LAST_LINES:]
    except OSError:
        return None
    said = "\n".join(f"    {line}" for line in lines)
    return f"the last lines of {log}:\n{said}" if said else None

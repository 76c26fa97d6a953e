"""Measures a plan into a result file and shows what was measured."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.base.outputs import here_and_now
from hockney.base.units import format_seconds, how_many
from hockney.cli._option_groups import Output
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.gate import Gate
from hockney.plan import Plan
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import LeftOutNode
from hockney.run.measure.execution import Target, measure
from hockney.run.measure.machine.placements import check_allocation
from hockney.run.measure.sessions.problems import raise_problems, unanswered
from hockney.run.measure.sessions.session import Session
from hockney.show.progress import ProgressView

ENDINGS = {
    "precision": "every median is within the requested precision",
    "budget": "the budget is spent",
    "launches": "the number of launches is reached",
    "steps": "nothing is left to look for",
    "decided": "the comparison is conclusive",
    "interrupted": "interrupted",
    "failed": "a launch failed",
}


def default_output(experiment: str) -> Path:
    """EXPERIMENT-HOST-TIME.jsonl in the current directory, numbered where that is taken."""
    path = Path(f"{here_and_now(experiment)}.jsonl")
    return next(name for name in Target(path, is_chosen=False).names() if not name.exists())


def target_of(output: Path | None, experiment: str, force: bool) -> Target:
    """The target of a verb that continues no file."""
    path = output or default_output(experiment)
    return Target(path, force=force, resume=None, is_chosen=output is not None)


def measure_and_show(plan: Plan, output: Output) -> None:
    """Measures, keeping every sample in a file; what was measured is shown even if it ended
    badly."""
    from hockney.cli._present import check_blocks, end_by

    if output.resume and output.path is None:
        raise click.UsageError("--resume: which file? Name it with -o")
    if len(plan.cases) > 1 and not output.quiet:
        budget = format_seconds(plan.sampling.budget_s)
        click.echo(f"{len(plan.cases)} combinations share {budget} (--budget)", err=True)
    path = output.path or default_output(plan.experiment)
    is_chosen = output.path is not None
    target = Target(path, output.label, output.force, output.resume, is_chosen)
    session = measured(plan, target, output.quiet)
    analysis = Analysis(session.run)
    verdict = show_measured(analysis, output) if session.run.is_measured else None
    if not output.quiet:
        _report_end(session)
    elif session.reason == "interrupted":
        click.echo(f"hockney: interrupted; {_kept(session)}", err=True)
    raise_problems(session)
    if session.reason == "interrupted":
        raise click.exceptions.Exit(130)
    check_blocks(analysis)
    end_by(verdict if session.run.is_measured else analysis.gate(output.gate))


def measured(plan: Plan, target: Target, quiet: bool, before: str = "") -> Session:
    """Measures and shows the progress, after the text `before`."""
    for case in plan.cases:
        check_allocation(case.placement)
    progress = ProgressView(quiet, plan.sampling.precision, before, plan.comparison)

    def say(node: LeftOutNode) -> None:  # whoever wants no notes must know this all the same
        progress.clear()
        click.echo(f"hockney: goes on without {node.host}: {node.why}", err=True)

    try:
        return measure(plan, target, progress, say)
    finally:
        progress.clear()


def whole(plan: Plan, target: Target, quiet: bool, before: str = "") -> Analysis:
    """Measures what a verb goes on from: it ends where a run failed or was stopped."""
    session = measured(plan, target, quiet, before)
    raise_problems(session)
    if session.was_stopped:
        raise KeyboardInterrupt
    return Analysis(session.run)


def _report_end(session: Session) -> None:
    if session.was_finished:
        click.echo(
            f"nothing was measured: {session.file.path} was finished before "
            f"({ENDINGS[session.reason]}); a larger --budget or more --launches continue it",
            err=True,
        )
        return
    steps = session.steps
    lost = steps.notes() if steps else []
    lost = lost + (session.race.lost if session.race else [])
    if session.failed_starts:
        lost.append(
            f"the MPI's launcher failed {how_many(session.failed_starts, 'time')} before any rank "
            "reported, and was started again"
        )
    for note in (*session.setups.notes, *unanswered(session), *lost):
        click.echo(f"note: {note}", err=True)
    count = len(session.run.launches)
    if not count:
        click.echo(f"nothing was measured: {session.file.path} is not kept", err=True)
        return
    click.echo(
        f"{how_many(count, 'launch')} in "
        f"{format_seconds(session.launches_wall_s, 3)}: {ENDINGS[session.reason]}; "
        f"{_kept(session)}",
        err=True,
    )
    was_cut = session.reason == "interrupted" and session.run.ends[-1].reason == "interrupted"
    if was_cut and session.run.is_measured:
        click.echo(f"launch {count} is incomplete: its rounds up to then are kept", err=True)


def _kept(session: Session) -> str:
    path = session.file.path
    if session.run.is_measured:
        return f"samples are in {path}"
    records = (
        f"{path} records the launches alone" if session.run.launches else f"{path} is not kept"
    )
    return f"nothing was measured; {records}"


def show_measured(analysis: Analysis, output: Output) -> Gate | None:
    """Shows the result as the options of a measuring verb want it, and returns its gate."""
    from hockney.cli._present import show_json, show_run

    gate = analysis.gate(output.gate)
    if output.as_json:
        show_json(analysis, gate=gate)
    else:
        usual = _layout_of(analysis.plan) if analysis.plan else None
        show_run(analysis, output.layout or usual, quiet=output.quiet, gate=gate)
    return gate


def _layout_of(plan: Plan) -> str | None:
    """The table of the classic program that a plan repeats."""
    workload = plan.first.workload
    return workload.preset if isinstance(workload, Pingpong) else None

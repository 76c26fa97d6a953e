"""hockney suite: a plan of many runs, which can be interrupted and resumed."""

from __future__ import annotations

import platform
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney.base.errors import HockneyError, UsageError
from hockney.cli import _options
from hockney.cli._asked import OUTLIERS
from hockney.cli._help import option, verb
from hockney.plan import Plan

if TYPE_CHECKING:
    from hockney.cli._verb import Request
    from hockney.infer.analysis.gate import Gate
    from hockney.run.measure.journal import Journal
    from hockney.run.measure.suite import PlannedRun, Suite

OURS = ("output", "force", "resume", "quiet", "json", "format", "label")
"""Options of measuring verbs that the suite sets itself."""


@verb(
    "hockney suite acceptance",
    "hockney suite acceptance -- --nodes 2 --ranks-per-node 1",
    "hockney suite plan.toml -o results --resume",
)
@click.argument("plan_name", metavar="PLAN")
@click.argument("more", nargs=-1, type=click.UNPROCESSED, metavar="[-- OPTIONS]")
@_options.output("Directory for the results.", show_default="PLAN-HOST-TIME", metavar="DIRECTORY")
@option("--resume", is_flag=True, help="Continue in that directory.")
@_options.QUIET
def command(
    plan_name: str, more: tuple[str, ...], output: Path | None, resume: bool, quiet: bool
) -> None:
    """Measure all runs of PLAN: a TOML file, or one that comes with hockney such as acceptance.

    Each run is measured once, even when the suite is interrupted and resumed. OPTIONS are added to
    every run; --gate judges all runs together.
    """
    from hockney.cli._present import end_by, show_gate
    from hockney.run.measure.journal import Journal
    from hockney.run.measure.suite import read_suite

    suite = read_suite(plan_name)
    asked = [_asked(plan_name, run, more) for run in suite.runs]
    plans = [one.plan for one in asked]
    if resume and output is None:
        raise click.UsageError("--resume needs the directory to continue in: give it with -o")
    directory = output or Path(
        f"{suite.file_name}-{platform.node()}-{datetime.now():%Y%m%d-%H%M%S}"
    )
    with closing(Journal(directory, resume)) as journal:
        failed = _measure_all(suite, plans, journal, quiet)
        verdict = _gate(suite, asked, journal)
        show_gate(verdict)
        _show_end(suite, journal, quiet)
    if failed:
        raise click.exceptions.Exit(1)
    end_by(verdict)


def _gate(suite: Suite, asked: list[Request], journal: Journal) -> Gate | None:
    """The gate of all runs together: of their plans' gates, and with --gate of outliers where a run
    has several pairs. None if nothing is gated."""
    from hockney import records
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.gate import not_judged, together

    if not any(one.output.gate or one.plan.has_gate for one in asked):
        return None
    gates: list[Gate | None] = []
    for number, (run, one) in enumerate(zip(suite.runs, asked, strict=True), 1):
        path = journal.directory / run.file_name(number)
        if path in journal.files():
            analysis = Analysis(records.read(path))
            gates.append(analysis.gate(one.output.gate and analysis.compares_pairs))
    if not any(gates) and any(one.output.gate for one in asked):
        return not_judged("no run measured several pairs", "add one of pairs, cores or fabric")
    return together(gates)


def _asked(where: str, run: PlannedRun, more: tuple[str, ...]) -> Request:
    """The plan and output of one run; all are checked before any is measured."""
    from hockney.cli._verb import ask, measuring_verb
    from hockney.run.measure.checks import check_allocation
    from hockney.run.measure.setup import mpi_of
    from hockney.run.measure.suite import check_keys

    params = measuring_verb(run.verb).params
    options = {
        name.lstrip("-"): param
        for param in params
        for name in (*param.opts, *param.secondary_opts)
        if not any(opt.lstrip("-") in OURS for opt in param.opts)
    }
    check_keys(f"{where}, {run.label}", dict(run.options), options)
    ends = [i + 1 == len(more) or more[i + 1].startswith("-") for i in range(len(more))]
    words = [run.verb, *(_closed(w) if end else w for w, end in zip(more, ends, strict=True))]
    for name, value in run.options:
        words += _words(options[name], name, value)
    try:
        asked = ask(words)
        for case in asked.plan.cases:
            check_allocation(case.placement)
        mpi_of(asked.plan.first.placement)
    except (UsageError, click.UsageError) as error:
        message = error.message if isinstance(error, click.UsageError) else str(error)
        raise UsageError(f"{where}, {run.label}: {message}") from error
    return asked


def _words(param: click.Parameter, name: str, value: Any) -> list[str]:
    if isinstance(param, click.Argument):
        return [str(value)]
    option = f"--{name}" if len(name) > 1 else f"-{name}"
    if isinstance(value, bool):
        return [_closed(option)] if value else []
    values = value if isinstance(value, list) else [value]
    return [word for each in values for word in (option, str(each))]


def _closed(option: str) -> str:
    """The option in one word: --gate would take the next word for its value."""
    return f"{option}={OUTLIERS}" if option == "--gate" else option


def _measure_all(suite: Suite, plans: list[Plan], journal: Journal, quiet: bool) -> list[str]:
    """Measures every run that is not done yet, even after one has failed; returns the failed."""
    from hockney.cli._measure import measured
    from hockney.run.measure.execution import Target
    from hockney.run.measure.problems import problems_of

    failed = []
    for number, (run, plan) in enumerate(zip(suite.runs, plans, strict=True), 1):
        name = run.file_name(number)
        if journal.is_done(name, plan):
            continue
        target = Target(journal.directory / name, run.label, resume=True)
        before = f"{number} of {len(suite.runs)}, {run.label}: "
        try:
            session = measured(plan, target, quiet, before)
            reason, problems = session.reason, problems_of(session)
            was_stopped = session.was_stopped
        except HockneyError as error:
            reason, problems, was_stopped = "failed", [str(error)], False
        journal.note(name, run.label, plan, reason)
        if was_stopped:
            click.echo(f"interrupted; continue with --resume -o {journal.directory}", err=True)
            raise click.exceptions.Exit(130)
        if problems:
            failed.append(name)
            click.echo(f"hockney: {before}{'; '.join(problems)}", err=True)
    return failed


def _show_end(suite: Suite, journal: Journal, quiet: bool) -> None:
    """Lists the files and how each run ended, and writes a report of all of them."""
    from hockney.cli import report
    from hockney.show.table import aligned

    rows = [["run", "ended by", "file"]]
    rows += [[entry.label, entry.reason, str(journal.directory / entry.file)] for entry in journal]
    click.echo(aligned(rows))
    files, page = journal.files(), journal.directory / "report.html"
    if files:
        invoke = click.get_current_context().invoke
        invoke(report.command, paths=files, output=page, title=suite.name, force=True)
    if not quiet:
        click.echo(f"results are in {journal.directory}", err=True)

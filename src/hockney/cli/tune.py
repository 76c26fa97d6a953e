"""hockney tune: decision rules for the user's MPI, from what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hockney.cli import _options
from hockney.cli._help import COMMON, option, verb
from hockney.cli._parameters import LAUNCHES, SECONDS, Named
from hockney.lazy import lazy_imports
from hockney.mpis import format_names
from hockney.spec import Placement, Plan, Sampling, plan_of

with lazy_imports():
    from hockney.analysis import Analysis
    from hockney.cli import _measure
    from hockney.cli._files import load
    from hockney.measure.problems import raise_problems
    from hockney.measure.run import Target
    from hockney.measure.setup import mpi_of
    from hockney.mpis import RulesFormat, format_for, format_named
    from hockney.records import Run
    from hockney.tuning.check import cases_of, check_of
    from hockney.tuning.measured import Measured, measured
    from hockney.tuning.rules import Reduction, reduce_to_rules
    from hockney.tuning.trial import try_written, write_tried
    from hockney.views.as_json import dumps
    from hockney.views.rules import (
        checked_json,
        checked_lines,
        environment_lines,
        rule_lines,
        rules_json,
    )


CHECK = "With --check"


@verb(
    "hockney tune bcast.jsonl allreduce.jsonl              # show the rules",
    "hockney tune bcast.jsonl -o rules.conf                # write them",
    "hockney tune --check bcast.jsonl rules.conf           # measure with and without them",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@_options.output("File for the rules; with --check the result file.", metavar="FILE")
@option(
    "--format",
    "form",
    type=Named(format_names),
    show_default="what the measured library reads",
    help="Format of the rules.",
)
@option(
    "--check",
    is_flag=True,
    help="Measure with and without the rules: the last of FILES is the rules.",
)
@option(
    "--launches",
    type=LAUNCHES,
    default="5..",
    heading=CHECK,
    help="Starts of the MPI program with the rules, and as many without.",
)
@option(
    "--budget",
    type=SECONDS,
    default="60s",
    heading=CHECK,
    help="Wall time for all launches together.",
)
@_options.mpicc("that was measured", COMMON)
@_options.force("the output")
@_options.MOST_INPUT
@_options.QUIET
@_options.JSON
def command(files: tuple[Path, ...], check: bool, **options: Any) -> None:
    """Write decision rules for the measured MPI, for cases where another algorithm is
    significantly faster than the library's choice.

    As few rules as give 99 % of the gain. The library is started with the rules before they are
    written; without -o they are only shown.
    """
    results = files[:-1] if check else files
    if not results:
        raise click.UsageError("--check needs result files, then the file of rules")
    analyses = [load(file) for file in results]
    found = measured(analyses)
    form = format_named(options["form"] or format_for(found.mpi.library, found.mpi.version))
    found, others = found.only(form.collectives)
    if others and not options["quiet"]:
        click.echo(f"note: no rules can be written for {', '.join(others)}", err=True)
    reduction = reduce_to_rules(found.cells, found.settings_of)
    if check:
        _check(files[-1], analyses[0].run, found, reduction, form, options)
    else:
        _tune(found, reduction, form, options)


def _tune(
    found: Measured, reduction: Reduction, form: RulesFormat, options: dict[str, Any]
) -> None:
    output = options["output"]
    if output is not None and not output.name:
        raise click.UsageError(f"{output} is a directory: name a file in it with -o")
    if output is not None and not options["force"]:
        for file in (output.with_name(output.name + suffix) for suffix in form.suffixes):
            if file.exists():
                raise click.UsageError(f"{file} exists: name another, or overwrite with --force")
    environment: dict[str, str] = {}
    proved = None
    if output is not None and reduction.rules:
        environment, proved = _write(reduction, found, form, output, options["mpicc"])
    if options["as_json"]:
        click.echo(dumps(rules_json(reduction, environment, proved)))
    else:
        click.echo("\n".join(rule_lines(reduction)))
        if environment:
            click.echo("\n" + "\n".join(environment_lines(environment)))
    if not reduction.rules:
        click.echo("no rule is needed: nothing was written", err=True)


def _write(
    reduction: Reduction, found: Measured, form: RulesFormat, output: Path, mpicc: str | None
) -> tuple[dict[str, str], bool | None]:
    """The environment in which the library reads the rules, and whether that is proved."""
    mpi, engine = mpi_of(Placement(mpicc=mpicc))
    proved = write_tried(form, reduction.rules, output, found.mpi, mpi, engine)
    reads = "and reads all of it" if proved else "but does not report whether it reads it"
    click.echo(f"wrote {output}: the library starts with it {reads}", err=True)
    return form.environment(output), proved


def _check(
    rules: Path,
    measured_run: Run,
    found: Measured,
    reduction: Reduction,
    form: RulesFormat,
    options: dict[str, Any],
) -> None:
    """Ends with status 1 where the rules make a cell significantly slower."""
    placement = _placement(measured_run, options["mpicc"])
    try_written(form, rules, found.mpi, *mpi_of(placement))
    cells = [cell for cell in found.cells if cell.default is not None]
    least, most = options["launches"]
    sampling = Sampling(least_launches=least, most_launches=most, budget_s=options["budget"])
    run = _measured(Plan(cases=cases_of(cells, placement, form, rules), sampling=sampling), options)
    checked = check_of(Analysis(run), reduction.rules)
    if options["as_json"]:
        click.echo(dumps(checked_json(checked)))
    else:
        click.echo("\n".join(checked_lines(checked)))
    if checked.slower:
        raise click.exceptions.Exit(1)


def _placement(run: Run, mpicc: str | None) -> Placement:
    """The placement of the file: the best algorithm depends on it."""
    plan = plan_of(run.header.options)
    if plan is None:
        return Placement(mpicc=mpicc)
    before = plan.first.placement
    return Placement(mpicc=mpicc, place=before.place, cpus=before.cpus)


def _measured(plan: Plan, options: dict[str, Any]) -> Run:
    output = options["output"] or _measure.default_output("tune-check")
    session = _measure.measured(
        plan, Target(output, force=options["force"], resume=None), options["quiet"]
    )
    raise_problems(session)
    if not options["quiet"]:
        click.echo(f"{len(session.run.launches)} launches; samples are in {output}", err=True)
    return session.run

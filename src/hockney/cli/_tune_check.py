"""hockney tune --check: measures with and without a file of rules, by any program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from hockney.base.units import format_seconds, how_many
from hockney.cli import _measure
from hockney.cli._present import end_by
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.gate import Gate, not_judged
from hockney.plan import Placement, Plan, plan_of
from hockney.records import Run
from hockney.run.measure.launches.trial import launch_s
from hockney.run.measure.sessions.problems import raise_problems
from hockney.show.tables.as_json import dumps
from hockney.show.tuning.rules import checked_json, checked_lines
from hockney.tuning.check import (
    cases_of,
    check_of,
    sampling_of,
    targets_of,
    unjudged,
)
from hockney.tuning.measured import library_of, points_of
from hockney.tuning.rule_files import check_is_for, format_in, held_in, other_library
from hockney.tuning.rules_trial import measured_mpi, try_written


def check_rules(rules: Path, analyses: Sequence[Analysis], options: dict[str, Any]) -> None:
    """Checks rules, and exits with status 1 where they make a cell significantly slower, with 3
    where nothing could be judged."""
    library, points = library_of(analyses), points_of(analyses)
    form = check_is_for(options["form"] or format_in(rules), rules, library)
    placement = _placement(analyses[0].run, options["mpicc"])
    mpi, engine = measured_mpi(library, analyses[0].run, placement)
    held, own = held_in(form, rules, mpi, engine), form.own(engine)
    proved = try_written(form, rules, mpi, engine)
    targets = targets_of(points, held)
    if not options["quiet"]:
        _say(rules, proved, len(held))
        if words := other_library(form, rules, library):
            click.echo(f"note: {words}", err=True)
    cases, comparison = cases_of(targets, placement, form, rules)
    limits = (options["launches"], options["budget"])
    sampling = sampling_of(targets, *limits, lambda: launch_s(mpi, engine))
    plan = Plan(cases=cases, sampling=sampling, comparison=comparison)
    run = _measured(plan, options)
    study = Analysis(run).variants
    if study is None or not study.ratios:
        end_unjudged(not_judged("no block of launches is complete", "give a larger --budget"))
        return
    checked = check_of(study, run, targets, held, own)
    if options["as_json"]:
        click.echo(dumps(checked_json(checked)))
    else:
        click.echo("\n".join(checked_lines(checked, study)))
    end_unjudged(unjudged(checked))
    if checked.slower:
        raise click.exceptions.Exit(1)


def end_unjudged(gate: Gate | None) -> None:
    """Ends with the status of what judged nothing, and says why: it must not look like a check that
    found nothing, nor like one that found something slower."""
    if gate is not None:
        click.echo(f"not judged: {gate.why}", err=True)
        end_by(gate)


def _say(rules: Path, proved: bool | None, count: int) -> None:
    reads = "reads all of it" if proved else "does not report whether it reads it"
    rule_count = how_many(count, "rule")
    click.echo(f"{rules}: {rule_count}; the library starts with this file and {reads}", err=True)


def _placement(run: Run, mpicc: str | None) -> Placement:
    """The placement of the file, on which the best algorithm depends."""
    plan = plan_of(run.header.options)
    if plan is None:
        return Placement(mpicc=mpicc)
    return replace(plan.first.placement, mpicc=mpicc, env={}, controls={}, cfg=())


def _measured(plan: Plan, options: dict[str, Any]) -> Run:
    if not options["quiet"]:
        seconds = format_seconds(plan.sampling.budget_s)
        blocks = plan.sampling.most_launches
        limit = "" if blocks is None else f", up to {how_many(blocks, 'launch')} each"
        click.echo(
            f"{how_many(len(plan.cases), 'combination')} in {seconds} at most (--budget){limit}",
            err=True,
        )
    target = _measure.target_of(options["output"], "tune-check", options["force"])
    session = _measure.measured(plan, target, options["quiet"])
    raise_problems(session)
    if not options["quiet"]:
        click.echo(
            f"{how_many(len(session.run.launches), 'launch')}: {_measure.ENDINGS[session.reason]}; "
            f"samples are in {session.file.path}",
            err=True,
        )
    if session.was_stopped:
        raise KeyboardInterrupt
    return session.run

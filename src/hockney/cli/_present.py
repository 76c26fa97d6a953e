"""A run as every verb shows it."""

from __future__ import annotations

from dataclasses import asdict

import click

from hockney.analysis.published import Beside
from hockney.estimate.points import Estimates
from hockney.records import Run
from hockney.views.as_json import dumps, run_json
from hockney.views.experiments import view_of
from hockney.views.layouts import render
from hockney.views.warnings import warnings


def show_run(
    run: Run,
    estimates: Estimates,
    layout: str | None = None,
    all_states: bool = False,
    quiet: bool = False,
) -> None:
    """What the experiment's view says and the warnings; or a classic program's layout alone."""
    if layout:
        click.echo(render(layout, run, estimates))
    else:
        click.echo("\n\n".join(view_of(run).parts(run, estimates, all_states)))
    if not quiet:
        for warning in warnings(run, estimates):
            click.echo(f"warning: {warning}", err=True)


def gate(run: Run, estimates: Estimates) -> None:
    """For checks of nodes: ends with status 1 where somebody stands apart."""
    from hockney.analysis.outliers import find_outliers

    if find_outliers(run, estimates):
        raise click.exceptions.Exit(1)


def show_diagnosis(run: Run) -> None:
    from hockney.analysis.diagnose import diagnose
    from hockney.views.diagnosis import diagnosis_lines

    click.echo("\n" + "\n".join(diagnosis_lines(diagnose(run))))


def show_beside(found: Beside) -> None:
    from hockney.views.normal import beside_lines

    lines = beside_lines(found)
    if lines:
        heading = "\nis it normal? (definitions and sources: --json)"
        click.echo("\n".join([heading, *(f"  {line}" for line in lines)]))


def show_predicted(run: Run, estimates: Estimates, messages: Run, as_json: bool) -> None:
    """Collectives beside what is predicted from the messages of another run."""
    from hockney.views.collective_model import beside_model, predicted_json, predicted_lines

    parameters, found = beside_model(run, estimates, messages)
    if as_json:
        click.echo(dumps({"predicted": predicted_json(found)}))
    else:
        click.echo("\n".join(predicted_lines(found, parameters)))


def _diagnosis_json(run: Run) -> dict[str, object]:
    from hockney.analysis.diagnose import diagnose

    return {"diagnosis": [asdict(finding) for finding in diagnose(run)]}


def show_json(
    run: Run,
    estimates: Estimates,
    all_states: bool = False,
    diagnose: bool = False,
    beside: Beside | None = None,
) -> None:
    """{"run", ..., "warnings"} and, when asked, "diagnosis" and "beside", as docs/cli.md says."""
    click.echo(
        dumps(
            {
                "run": run_json(run, estimates),
                **view_of(run).fields(run, estimates, all_states),
                "warnings": warnings(run, estimates),
                **(_diagnosis_json(run) if diagnose else {}),
                **({"beside": asdict(beside)} if beside else {}),
            }
        )
    )

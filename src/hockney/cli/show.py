"""hockney show: a result file as a table or as JSON."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.views.layouts import layout_names


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--all-states", is_flag=True, help="Every state of the machine, not the headline's.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(layout_names()),
    help="Print in the layout of a classic program.",
)
@click.option(
    "--diagnose",
    is_flag=True,
    help="Look for cold start, modes, drift, period and autocorrelation.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    file: Path, all_states: bool, layout: str | None, diagnose: bool, as_json: bool
) -> None:
    """Show what a result file holds."""
    from hockney import records
    from hockney.cli._present import show_diagnosis, show_json, show_run
    from hockney.estimate import estimate

    run = records.read(file)
    estimates = estimate(run)
    if as_json:
        show_json(run, estimates, all_states, diagnose)
    else:
        show_run(run, estimates, layout, all_states)
        if diagnose:
            show_diagnosis(run)

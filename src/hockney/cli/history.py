"""hockney history: many runs of one system over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.cli._files import result_files
from hockney.cli._parameters import SHARE

if TYPE_CHECKING:
    from datetime import datetime

    from hockney.analysis.history import History


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=SHARE,
    default="5%",
    show_default=True,
    help="Ignore smaller changes.",
)
@click.option("--since", type=click.DateTime(), help="Only runs started then or later, UTC.")
@click.option("--together", is_flag=True, help="All files are of one system, whatever they say.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--openmetrics", is_flag=True, help="As text for Prometheus' file collector.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Draw it into FILE.png, .svg or .pdf."
)
@click.option("--force", is_flag=True, help="Overwrite that figure.")
def command(
    paths: tuple[Path, ...],
    tolerance: float,
    since: datetime | None,
    together: bool,
    as_json: bool,
    openmetrics: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Show the runs in PATHS, files or directories, in the order of their start.

    Runs of one experiment, MPI library and hosts (or one label) are one system. Exit status 1 when
    the last runs of one are worse than the tolerance allows.
    """
    if as_json and openmetrics:
        raise click.UsageError("--json or --openmetrics, not both")
    if output is not None:
        from hockney.views.drawing.files import check_output

        check_output(output, force)
    found = load_histories(paths, tolerance, since, together)
    if output is not None:
        from hockney.views.drawing.files import save
        from hockney.views.history_figure import describe_history

        save(describe_history(found), output, force)
    _show(found, tolerance, as_json, openmetrics)
    if any(history.worse for history in found):
        raise click.exceptions.Exit(1)


def load_histories(
    paths: tuple[Path, ...],
    tolerance: float = 0.05,
    since: datetime | None = None,
    together: bool = False,
) -> list[History]:
    """One a system. Files that are no results, or hold nothing, are named and left out."""
    from datetime import timezone

    from hockney import records
    from hockney.analysis import Analysis
    from hockney.analysis.history import histories
    from hockney.errors import AskedWronglyError

    runs = []
    for path in result_files(paths):
        try:
            run = records.read(path)
        except AskedWronglyError as error:
            click.echo(f"left out: {error.message}", err=True)
            continue
        facts = Analysis(run).facts
        if facts is None:
            click.echo(f"left out: {path}: nothing was measured, or its date is missing", err=True)
        elif since is None or facts.started >= since.replace(tzinfo=timezone.utc):
            runs.append(facts)
    if not runs:
        raise AskedWronglyError("no run to show", "name result files, or a directory of them")
    return histories(runs, tolerance, together)


def histories_with(paths: tuple[Path, ...], past: tuple[Path, ...]) -> list[History]:
    """Of earlier runs and these; none where no earlier ones were named."""
    return load_histories((*past, *paths)) if past else []


def _show(found: list[History], tolerance: float, as_json: bool, openmetrics: bool) -> None:
    from hockney.views import history as view
    from hockney.views.as_json import dumps

    if as_json:
        click.echo(dumps(view.history_json(found, tolerance)))
    elif openmetrics:
        click.echo(view.openmetrics(found), nl=False)
    else:
        for history in found:
            click.echo("\n".join(view.history_lines(history)) + "\n")
        click.echo(view.rule_line(tolerance))

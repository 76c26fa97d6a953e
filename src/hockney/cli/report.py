"""hockney report: result files as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.cli._files import result_files, write_text

if TYPE_CHECKING:
    from hockney.estimate.history import History
    from hockney.estimate.normal import Beside
    from hockney.views.report.reported import Reported


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), default="report.html",
              show_default=True, help="The page.")
@click.option("--title", help="Heading of the page.")
@click.option("--history", "past", multiple=True, type=click.Path(path_type=Path),
              help="Earlier runs to set these beside: files or directories. Repeatable.")
@click.option("--force", is_flag=True, help="Overwrite the page.")
def command(
    paths: tuple[Path, ...], output: Path, title: str | None, past: tuple[Path, ...], force: bool
) -> None:
    """Write result files as one page that needs nothing else: summary, figures, tables, data."""
    from hockney.errors import AskedWronglyError
    from hockney.views.report import render
    from hockney.views.report.reported import report_on

    if output.exists() and not force:
        raise AskedWronglyError(
            f"{output} exists", "name another file with -o, or overwrite it with --force"
        )
    systems = [report_on(path) for path in result_files(paths)]
    histories = _histories(past, paths)
    write_text(output, render(systems, [_beside(s, histories) for s in systems], title), force)


def _histories(past: tuple[Path, ...], paths: tuple[Path, ...]) -> list[History]:
    if not past:
        return []
    from hockney.cli.history import load_histories

    return load_histories((*past, *paths))


def _beside(system: Reported, histories: list[History]) -> Beside:
    from hockney.estimate.normal import beside

    line = next((fit for fit in system.fits if fit.model == "hockney"), None)
    return beside(system.run, system.estimates, line, histories)

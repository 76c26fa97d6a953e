"""hockney report: result files as one page."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._files import result_files, write_text
from hockney.cli._help import option, verb


@verb(
    "hockney report run.jsonl",
    "hockney report mpich.jsonl openmpi.jsonl -o two-mpis.html --title 'Two MPIs'",
    "hockney report today/ --history runs/",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_options.output("HTML page to write.", default="report.html", metavar="FILE")
@option("--title", metavar="TEXT", help="Heading of the page.")
@_options.HISTORY
@_options.force("the page")
def command(
    paths: tuple[Path, ...], output: Path, title: str | None, past: tuple[Path, ...], force: bool
) -> None:
    """Write one HTML page with a summary, figures, tables and the data of all result files.

    The page needs no network and no other file.
    """
    from hockney.cli.history import histories_with
    from hockney.errors import AskedWronglyError
    from hockney.views.report import render
    from hockney.views.report.reported import report_on

    if output.exists() and not force:
        raise AskedWronglyError(
            f"{output} exists", "name another file with -o, or overwrite it with --force"
        )
    systems = [report_on(path) for path in result_files(paths)]
    histories = histories_with(paths, past)
    besides = [system.analysis.positions(histories) for system in systems]
    write_text(output, render(systems, besides, title), force)

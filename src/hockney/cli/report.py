"""hockney report: result files as one page."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli._files import result_files, write_text


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="report.html",
    show_default=True,
    help="The page.",
)
@click.option("--title", help="Heading of the page.")
@click.option(
    "--history",
    "past",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Earlier runs to compare these with: files or directories. Repeatable.",
)
@click.option("--force", is_flag=True, help="Overwrite the page.")
def command(
    paths: tuple[Path, ...], output: Path, title: str | None, past: tuple[Path, ...], force: bool
) -> None:
    """Write result files as one page that needs nothing else: for each experiment the answer, its
    figures and tables, and what repeats each run."""
    from hockney.cli.history import histories_with
    from hockney.errors import AskedWronglyError
    from hockney.views.labels import analyses_of
    from hockney.views.report import render

    if output.exists() and not force:
        raise AskedWronglyError(
            f"{output} exists", "name another file with -o, or overwrite it with --force"
        )
    analyses = analyses_of(result_files(paths))
    histories = histories_with(paths, past)
    positions = [one.positions(histories) for one in analyses]
    write_text(output, render(analyses, positions, title), force)

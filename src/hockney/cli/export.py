"""hockney export: a result file in another format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hockney.exchange import format_names


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "format_name",
    type=click.Choice(format_names()),
    required=True,
    help="The format; those with samples in their name have a row a sample.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="[default: stdout]")
@click.option("--force", is_flag=True, help="Overwrite the file.")
def command(file: Path, format_name: str, output: Path | None, force: bool) -> None:
    """Write what a result file holds for other programs."""  # fmt: skip
    from hockney import exchange, load
    from hockney.result_file import ResultFile

    content = exchange.write(load(file), format_name)
    if output is None:
        sys.stdout.buffer.write(content)
        return
    written = ResultFile(output, force)
    try:
        written.write(content)
    finally:
        written.close()
    click.echo(f"wrote {output}", err=True)

"""hockney export: a result file in another format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._parameters import Named
from hockney.lazy import lazy_imports
from hockney.programs import writer_names

with lazy_imports():
    from hockney.cli._files import load, others_beside
    from hockney.exchange.writing import write
    from hockney.result_file import ResultFile


@verb(
    "hockney export run.jsonl --to csv -o run.csv",
    "hockney export run.jsonl --to osu",
    "hockney export overheads.jsonl --to simgrid -o machine.xml",
    "hockney export run.jsonl --to reframe-references --history runs/ -o references.py",
)
@click.argument("file", type=click.Path(path_type=Path))
@option(
    "--to",
    "format_name",
    type=Named(writer_names),
    required=True,
    help="Format to write. csv-samples and parquet-samples have one row per sample.",
)
@_options.HISTORY
@_options.MOST_INPUT
@_options.output("File to write.", show_default="stdout", metavar="FILE")
@_options.force("the file")
def command(
    file: Path, format_name: str, past: tuple[Path, ...], output: Path | None, force: bool
) -> None:
    """Write a result file in a format of another program."""
    analysis = load(file)
    if past:
        analysis.others = others_beside((file,), past)
    content = write(analysis, format_name)
    if output is None:
        sys.stdout.buffer.write(content)
        return
    written = ResultFile(output, force)
    try:
        written.write(content)
    finally:
        written.close()
    click.echo(f"wrote {output}", err=True)

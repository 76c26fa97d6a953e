"""hockney export: a result file in another format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._help import check_used, option, verb
from hockney.cli._parameters import Named, Words
from hockney.foreign.programs import order_writer_names, writer_names


def _names() -> list[str]:
    return sorted({*writer_names(), *order_writer_names()})


@verb(
    "hockney export run.jsonl --to csv -o run.csv",
    "hockney export run.jsonl --to csv --columns bytes,median_s",
    "hockney export run.jsonl --to osu",
    "hockney export overheads.jsonl --to simgrid -o machine.xml",
    "hockney export profile.jsonl --to goal -o program.goal",
    "hockney export run.jsonl --to reframe-references --history runs/ -o references.py",
)
@click.argument("file", type=click.Path(path_type=Path))
@option(
    "--to",
    "format_name",
    type=Named(_names),
    required=True,
    help="Format to write. csv-samples and parquet-samples have one row per sample; goal and "
    "simgrid-trace are for profiles with the order of calls (hockney profile --trace).",
)
@option(
    "--all-columns",
    is_flag=True,
    help="Write the columns of a CSV that have no value, too, so that all files have the same.",
)
@option(
    "--columns",
    type=Words("NAME,...", lambda text: text.split(",")),
    help="Write these columns of a CSV, in this order.",
)
@_options.HISTORY
@_options.host_memory(None)
@_options.MOST_INPUT
@_options.output("File to write.", show_default="stdout", metavar="FILE")
@_options.force("the file")
def command(
    file: Path,
    format_name: str,
    all_columns: bool,
    columns: list[str] | None,
    past: tuple[Path, ...],
    memory: Path | None,
    output: Path | None,
    force: bool,
) -> None:
    """Write a result file or the order of a profile in a format of another program."""
    from hockney.cli._files import load, warn_of_sources, write_and_say
    from hockney.cli._memory import earlier_runs
    from hockney.foreign.exchange.writing import write

    if format_name in order_writer_names():
        check_used(f"with --to {format_name}", "format_name", "output", "force")
        _export_order(file, format_name, output, force)
        return
    if all_columns and columns:
        raise click.UsageError("--columns and --all-columns are two choices: give one of them")
    analysis = load(file)
    warn_of_sources([analysis.run])
    if past or memory is not None:
        analysis.earlier = earlier_runs((file,), past, memory, [analysis])
        for note in analysis.expected.notes if analysis.expected else ():
            click.echo(f"note: {note}", err=True)
    content = write(analysis, format_name, all_columns, columns or ())
    if output is None:
        sys.stdout.buffer.write(content)
        return
    write_and_say([(output, content)], force)


def _export_order(file: Path, format_name: str, output: Path | None, force: bool) -> None:
    """Writes the order of a profile; some formats have a file for each rank besides the named
    one."""
    from hockney.base.outputs import write_outputs
    from hockney.cli._files import warn
    from hockney.cli._profiles import load_profile
    from hockney.foreign.exchange.writing import order_files
    from hockney.profiling.order import order_of

    if output is None:
        raise click.UsageError(f"--to {format_name}: name a file with -o")
    profile = load_profile(file)
    order = order_of(profile)
    if profile.first_alone:
        warn([profile.first_alone])
    if order.is_cut:
        warn(["the order ends before the program (--trace-calls)"])
    if order.uneven:
        many = "1 collective has" if order.uneven == 1 else f"{order.uneven} collectives have"
        warn([f"{many} blocks of different sizes, written as their mean"])
    files = order_files(order, format_name, output.name)
    write_outputs(((output.with_name(name), content) for name, content in files), force)
    click.echo(f"wrote {output}", err=True)

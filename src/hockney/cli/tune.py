"""hockney tune: decision rules for the user's MPI, from what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.tuning import FORMATS

if TYPE_CHECKING:
    from hockney.tuning.measured import Measured
    from hockney.tuning.rules import Reduction


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file of rules.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Of the file.  [default: what the measured library reads]",
)
@click.option("--mpicc", help="Compiler wrapper of the measured MPI.  [default: $MPICC, mpicc]")
@click.option("--force", is_flag=True, help="Overwrite the file of rules.")
@click.option("--json", "as_json", is_flag=True, help="The rules as JSON, to stdout.")
def command(
    files: tuple[Path, ...],
    output: Path | None,
    form: str | None,
    mpicc: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write decision rules for the MPI that was measured: where another algorithm is faster than
    the library's own decision beyond noise, and as few as carry 99 % of that gain.

    The library is started with the rules before they are written. Without -o they are only shown.
    """
    from hockney import records
    from hockney.tuning import format_for
    from hockney.tuning.measured import measured
    from hockney.tuning.rules import reduce_to_rules
    from hockney.views.as_json import dumps
    from hockney.views.rules import environment_lines, rule_lines, rules_json

    if output is not None and output.exists() and not force:
        raise click.UsageError(f"{output} exists: name another file, or overwrite with --force")
    found = measured([records.read(file) for file in files])
    reduction = reduce_to_rules(found.cells, found.settings_of)
    environment: dict[str, str] = {}
    proved = None
    if output is not None and reduction.rules:
        environment, proved = _write(reduction, found, form or format_for(found.mpi), output, mpicc)
    if as_json:
        click.echo(dumps(rules_json(reduction, found.cells, environment, proved)))
    else:
        click.echo("\n".join(rule_lines(reduction, found.cells)))
        if environment:
            click.echo("\n" + "\n".join(environment_lines(environment)))
    if not reduction.rules:
        click.echo("no rule is needed: nothing was written", err=True)


def _write(
    reduction: Reduction, found: Measured, form: str, output: Path, mpicc: str | None
) -> tuple[dict[str, str], bool | None]:
    """What makes the library read the rules, and whether that is proved."""
    from hockney.measure.build import build_engine
    from hockney.measure.mpi import find_mpi
    from hockney.tuning import format_named
    from hockney.tuning.trial import write_tried

    mpi = find_mpi(mpicc)
    writer = format_named(form)
    proved = write_tried(writer, reduction.rules, output, found.mpi, mpi, build_engine(mpi))
    told = "and was seen to read all of it" if proved else "but tells nobody whether it reads it"
    click.echo(f"wrote {output}: the library starts with it {told}", err=True)
    return writer.environment(output), proved

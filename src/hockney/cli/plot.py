"""hockney plot: result files as a figure."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli._parameters import SIZE
from hockney.views.figures import FIGURES, OVERLAID, Options, System, curves_of, draw, labels_of

OF_ONE_NUMBER_OF_RANKS = ("collective-sizes", "collective-model")
NOT_OF_ONE_SIZE = (
    "time", "bandwidth", "models", "multi-mode", "collective-best", *OF_ONE_NUMBER_OF_RANKS
)  # fmt: skip


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="FILE.png, .svg or .pdf."
)
@click.option(
    "--what",
    type=click.Choice(FIGURES),
    default="time",
    show_default=True,
    help="Time or bandwidth over size, the samples of one size, models with their residuals; of "
    "pairs contention, variability and multi-mode, of cores the matrix; of collectives time over "
    "sizes or ranks, the best algorithm of each cell, or measured over predicted "
    "(collective-model).",
)
@click.option(
    "--extremes",
    is_flag=True,
    help="Of time: mean with standard deviation, minimum and maximum as outliers.",
)
@click.option("--fit/--no-fit", "with_fit", default=True, help="Draw the fitted line.")
@click.option(
    "--bytes", "size", type=SIZE, help="Of which size.  [default: the smallest; contention: all]"
)
@click.option("--collective", help="Of which collective.  [default: the only one]")
@click.option(
    "--ranks",
    type=click.IntRange(min=1),
    help="Of collectives over sizes: of how many processes.  [default: the most]",
)
@click.option("--force", is_flag=True, help="Overwrite the figure.")
def command(
    files: tuple[Path, ...],
    output: Path,
    what: str,
    extremes: bool,
    with_fit: bool,
    size: int | None,
    collective: str | None,
    ranks: int | None,
    force: bool,
) -> None:
    """Draw one or more result files; several are overlaid as several systems."""
    if extremes and what != "time":
        raise click.UsageError("--extremes is a way to draw --what time")
    if size is not None and what in NOT_OF_ONE_SIZE:
        raise click.UsageError("--bytes chooses what --what samples and its like draw")
    if collective is not None and not what.startswith("collective-"):
        raise click.UsageError("--collective chooses what --what collective-... draws")
    if ranks is not None and what not in OF_ONE_NUMBER_OF_RANKS:
        raise click.UsageError("--ranks chooses what --what collective-sizes or -model draws")

    from hockney import records
    from hockney.estimate import estimate
    from hockney.views.figures._style import check_output, save

    check_output(output, force)
    runs = [records.read(file) for file in files]
    systems = [
        System(run, estimate(run), label) for run, label in zip(runs, labels_of(runs), strict=True)
    ]
    if what in OVERLAID:
        systems = [curve for system in systems for curve in curves_of(system)]
    options = Options(extremes, with_fit, size, collective, ranks)
    save(draw(what, systems, options), output, force)
    click.echo(f"wrote {output}", err=True)

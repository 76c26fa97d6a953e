"""hockney plot: result files as a figure."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli._parameters import SIZE, Named
from hockney.views.curves import Options
from hockney.views.figures import FIGURES, describe

NEEDS = {"extremes": "--extremes", "bytes": "--bytes", "operation": "--operation",
         "ranks": "--ranks"}  # fmt: skip
"""Options of which some figures have no use."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="FILE.png, .svg or .pdf."
)
@click.option(
    "--what",
    type=Named(FIGURES.names),
    default="time",
    show_default=True,
    help="Time or bandwidth by message size, the samples of one size, models with their residuals; "
    "for pairs contention, variability and multi-mode, for cores the matrix, for overheads the "
    "parts of a message; for collectives time by size or number of processes, the best algorithms, "
    "or measured over predicted time (collective-model).",
)
@click.option(
    "--extremes",
    is_flag=True,
    help="With time: mean with standard deviation, minimum and maximum as crosses.",
)
@click.option("--fit/--no-fit", "with_fit", default=True, help="Draw the fitted line.")
@click.option(
    "--bytes",
    "size",
    type=SIZE,
    help="The message size of a figure that shows one.  [default: the smallest; contention: all]",
)
@click.option(
    "--operation",
    "--collective",
    "operation",
    help="The operation to draw, where files hold several.  [default: the only one]",
)
@click.option(
    "--ranks",
    type=click.IntRange(min=1),
    help="The number of processes to draw.  [default: all; collective-sizes, -model: the most]",
)
@click.option("--force", is_flag=True, help="Overwrite the figure.")
def command(
    files: tuple[Path, ...],
    output: Path,
    what: str,
    extremes: bool,
    with_fit: bool,
    size: int | None,
    operation: str | None,
    ranks: int | None,
    force: bool,
) -> None:
    """Draw one or more result files; several are overlaid as several systems."""
    takes = FIGURES.find(what).TAKES
    options = Options(extremes, with_fit, size, operation, ranks)
    for name, option in NEEDS.items():
        if getattr(options, name) not in (None, False) and name not in takes:
            drawn = ", ".join(n for n, figure in FIGURES.all().items() if name in figure.TAKES)
            raise click.UsageError(f"--what {what} has no use for {option}; those that do: {drawn}")

    from hockney.views.drawing.files import check_output, save
    from hockney.views.labels import analyses_of

    check_output(output, force)
    save(describe(what, analyses_of(files), options), output, force)
    click.echo(f"wrote {output}", err=True)

"""hockney plot: result files as a figure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from hockney.cli._parameters import SIZE
from hockney.views.figures import FIGURES, Options, System, draw


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
    help="Time or bandwidth over size, or the samples of one size.",
)
@click.option(
    "--extremes",
    is_flag=True,
    help="Mean with standard deviation, minimum and maximum as outliers.",
)
@click.option("--fit/--no-fit", "with_fit", default=True, help="Draw the fitted line.")
@click.option("--bytes", "size", type=SIZE, help="The size whose samples are drawn.")
@click.option("--force", is_flag=True, help="Overwrite the figure.")
def command(
    files: tuple[Path, ...],
    output: Path,
    what: str,
    extremes: bool,
    with_fit: bool,
    size: int | None,
    force: bool,
) -> None:
    """Draw one or more result files; several are overlaid as several systems."""
    from hockney import records
    from hockney.estimate import estimate
    from hockney.views.figures._style import save

    runs = [records.read(file) for file in files]
    labels = Counter(run.label for run in runs)
    systems = [
        System(run, estimate(run), run.label if labels[run.label] == 1 else f"{run.label} ({file})")
        for run, file in zip(runs, files, strict=True)
    ]
    save(draw(what, systems, Options(extremes, with_fit, size)), output, force)
    click.echo(f"wrote {output}", err=True)

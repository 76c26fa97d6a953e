"""hockney compare: whether runs differ."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli._parameters import SHARE


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("others", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=SHARE,
    default="3%",
    show_default=True,
    help="Treat smaller differences as equal.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Draw the ratio over size into FILE.png, .svg or .pdf.",
)
@click.option("--force", is_flag=True, help="Overwrite that figure.")
def command(
    base: Path,
    others: tuple[Path, ...],
    tolerance: float,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Compare each of OTHERS with BASE, point by point and as a whole.

    Launches are the units. Exit status 1 when one of OTHERS is slower than the tolerance allows.
    """
    from hockney import load
    from hockney.analysis.compare import compare
    from hockney.views.as_json import comparison_json, dumps
    from hockney.views.comparison import show_comparison

    first = load(base)
    comparisons = [compare(first, load(other), tolerance) for other in others]
    if output is not None:
        from hockney.views.comparison_figure import describe_ratio
        from hockney.views.drawing.files import save

        save(describe_ratio(comparisons, tolerance), output, force)
    if as_json:
        click.echo(dumps(comparison_json(comparisons)))
    else:
        for comparison in comparisons:
            show_comparison(comparison, tolerance)
    if any(comparison.is_slower(tolerance) for comparison in comparisons):
        raise click.exceptions.Exit(1)

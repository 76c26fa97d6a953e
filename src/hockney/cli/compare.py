"""hockney compare: whether runs differ."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._parameters import FRACTION
from hockney.lazy import lazy_imports

with lazy_imports():
    from hockney.analysis.compare import compare
    from hockney.cli._files import load, others_beside
    from hockney.views.as_json import comparison_json, dumps
    from hockney.views.comparison import show_comparison
    from hockney.views.comparison_figure import describe_ratio
    from hockney.views.drawing.files import save


@verb(
    "hockney compare before.jsonl after.jsonl",
    "hockney compare mpich.jsonl openmpi.jsonl intel.jsonl -o ratio.png",
    "hockney compare before.jsonl after.jsonl --tolerance 10% --json",
)
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("others", nargs=-1, required=True, type=click.Path(path_type=Path))
@option("--tolerance", type=FRACTION, default="3%", help="Treat smaller differences as equal.")
@_options.HISTORY
@_options.MOST_INPUT
@_options.output("Draw the ratio over message size: FILE.png, .svg or .pdf.", metavar="FILE")
@_options.force("the figure")
@_options.JSON
def command(
    base: Path,
    others: tuple[Path, ...],
    tolerance: float,
    past: tuple[Path, ...],
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Test whether each of OTHERS differs from BASE, at each point and as a whole.

    Launches are the independent units of the test. By how much equal runs differ is part of it: as
    other runs of the same question in their directory or in --history show, else by a cautious
    assumption. Exit status 1 when one of OTHERS is slower by more than the tolerance.
    """
    first = load(base)
    runs = others_beside((base, *others), past)
    comparisons = [compare(first, load(other), tolerance, runs) for other in others]
    if output is not None:
        save(describe_ratio(comparisons, tolerance), output, force)
    if as_json:
        click.echo(dumps(comparison_json(comparisons)))
    else:
        for comparison in comparisons:
            show_comparison(comparison, tolerance)
    if any(comparison.is_slower(tolerance) for comparison in comparisons):
        raise click.exceptions.Exit(1)

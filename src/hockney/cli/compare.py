"""hockney compare: whether runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._parameters import FRACTION

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis


@verb(
    "hockney compare before.jsonl after.jsonl",
    "hockney compare mpich.jsonl openmpi.jsonl intel.jsonl -o ratio.png",
    "hockney compare before.jsonl after.jsonl --tolerance 10% --json",
    "hockney compare varied.jsonl                  # variants of one run, by blocks",
)
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("others", nargs=-1, type=click.Path(path_type=Path))
@option("--tolerance", type=FRACTION, default="3%", help="Treat smaller differences as equal.")
@_options.HISTORY
@_options.EXPLAIN
@_options.MOST_INPUT
@_options.output("Draw the ratio over message size: FILE.png, .svg or .pdf.", metavar="FILE")
@_options.force("the figure")
@_options.JSON
def command(
    base: Path,
    others: tuple[Path, ...],
    tolerance: float,
    past: tuple[Path, ...],
    explain: bool,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Test whether each of OTHERS differs from BASE, at each point and as a whole.

    Launches are the independent units of the test. By how much equal runs differ is part of it: as
    other runs of the same question in their directory or in --history show, else by a cautious
    assumption. A single file that was measured with --vary is judged by its blocks of launches,
    each variant against the first. Exit status 1 when one of OTHERS, or a variant, is slower by
    more than the tolerance.
    """
    from hockney.cli._files import load, others_beside
    from hockney.infer.analysis.compare import compare
    from hockney.show.as_json import dumps
    from hockney.show.comparison import comparison_json, rule_of_comparisons, show_comparison
    from hockney.show.comparison_figure import describe_ratio
    from hockney.show.drawing.files import save

    first: Analysis = load(base)
    if not others:
        _compare_variants(first, tolerance, output, force, as_json, explain)
        return
    one, runs = _reduced(first), others_beside((base, *others), past)
    del first  # its samples go before those of the next come
    comparisons = [compare(one, _reduced(load(other)), tolerance, runs) for other in others]
    if output is not None:
        save(describe_ratio(comparisons, tolerance), output, force)
    if as_json:
        click.echo(dumps(comparison_json(comparisons)))
    else:
        for comparison in comparisons:
            show_comparison(comparison, tolerance)
        if explain:
            click.echo(rule_of_comparisons())
    if any(comparison.is_slower(tolerance) for comparison in comparisons):
        raise click.exceptions.Exit(1)


def _reduced(analysis: Analysis) -> Analysis:
    """The analysis without its samples: those of several large files would exceed the memory."""
    from hockney.infer.analysis.reduced import Reduced

    assert analysis.run.path is not None
    return Reduced.of(analysis).analysis(analysis.run.path)


def _compare_variants(
    analysis: Analysis,
    gate: float,
    output: Path | None,
    force: bool,
    as_json: bool,
    explain: bool,
) -> None:
    from hockney.cli._present import check_blocks, show_run
    from hockney.show.as_json import dumps
    from hockney.show.curves import Options
    from hockney.show.drawing.files import save
    from hockney.show.figures import describe
    from hockney.show.variant_table import variants_json

    study = analysis.variants
    if study is None:
        raise click.UsageError(
            f"{analysis.run.path} compares no variants: name another file to compare it with"
        )
    if output is not None and study.ratios:
        save(describe("variants", [analysis], Options()), output, force)
    if as_json:
        click.echo(dumps({"variants": variants_json(study)}))
    else:
        show_run(analysis, explain=explain)
    check_blocks(analysis)
    if study.slower(gate):
        raise click.exceptions.Exit(1)

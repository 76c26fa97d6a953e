"""hockney plot: result files as a figure."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._files import warn_of_cut
from hockney.cli._help import option, verb
from hockney.cli._parameters import SIZE, Named
from hockney.lazy import lazy_imports
from hockney.views.curves import Options
from hockney.views.figures import FIGURES, describe

with lazy_imports():
    from hockney.views.drawing.files import check_output, save
    from hockney.views.drawing.terminal import drawn
    from hockney.views.labels import analyses_of

NEEDS = ("extremes", "bytes", "operation", "ranks")
"""Options that only some figures take."""


@verb(
    "hockney plot mpich.jsonl",
    "hockney plot mpich.jsonl openmpi.jsonl -o time.svg",
    "hockney plot --what samples --bytes 8 run.jsonl -o samples.png",
    "hockney plot --what matrix cores.jsonl -o map.png",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@_options.MOST_INPUT
@_options.output("FILE.png, .svg or .pdf.", show_default="draw in the terminal", metavar="FILE")
@option(
    "--what",
    type=Named(FIGURES.names),
    default="time",
    help="Time or bandwidth by message size; samples of one size; models with residuals. For "
    "pairs: contention, variability, multi-mode. For cores: matrix. For networks: fabric. For "
    "overheads: parts of a message. For rma: one-sided over two-sided. For startup: its steps. For "
    "congestion: factors. For collectives: time by size or number of ranks, the best algorithms "
    "(also by arrival), measured over predicted (collective-model).",
)
@option(
    "--bytes",
    "size",
    type=SIZE,
    show_default="the smallest; all for contention",
    help="Message size, for figures of one size.",
)
@option(
    "--operation",
    "--collective",
    "operation",
    metavar="NAME",
    show_default="the only one",
    help="Operation, where files hold several.",
)
@option(
    "--ranks",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="all; the most for collective-sizes and -model",
    help="Number of ranks, for figures of collectives.",
)
@option(
    "--extremes",
    is_flag=True,
    help="Draw mean, standard deviation, minimum and maximum (--what time).",
)
@option("--fit/--no-fit", "with_fit", default=True, show_default=True, help="Draw Hockney's line.")
@_options.force("the figure")
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
    """Draw result files; several are overlaid as several systems."""
    takes = FIGURES.find(what).TAKES
    options = Options(extremes, with_fit, size, operation, ranks)
    for name in NEEDS:
        if getattr(options, name) not in (None, False) and name not in takes:
            takers = ", ".join(n for n, figure in FIGURES.all().items() if name in figure.TAKES)
            raise click.UsageError(f"--what {what} does not take --{name}; these do: {takers}")

    if output is not None:
        check_output(output, force)
    analyses = analyses_of(files)
    for analysis in analyses:
        warn_of_cut(Path(analysis.run.path or ""), analysis.run.cut)
    figure = describe(what, analyses, options)
    if output is None:
        click.echo(drawn(figure))
        return
    save(figure, output, force)
    click.echo(f"wrote {output}", err=True)

"""hockney plot: result files as a figure."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._parameters import SIZE
from hockney.views.figures import FIGURES, OVERLAID, Options, System, curves_of, draw, labels_of

OF_ONE_NUMBER_OF_RANKS = ("collective-sizes", "collective-model")
NOT_OF_ONE_SIZE = (
    "time", "bandwidth", "models", "multi-mode", "collective-best", *OF_ONE_NUMBER_OF_RANKS
)  # fmt: skip


@verb(
    "hockney plot mpich.jsonl openmpi.jsonl -o time.svg",
    "hockney plot --what samples --bytes 8 run.jsonl -o samples.png",
    "hockney plot --what matrix cores.jsonl -o map.png",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@_options.output("FILE.png, .svg or .pdf.", required=True, metavar="FILE")
@option(
    "--what",
    type=click.Choice(FIGURES),
    default="time",
    help="Time or bandwidth over size; samples of one size; models with residuals. For pairs: "
    "contention, variability, multi-mode. For cores: matrix. For collectives: time over sizes or "
    "ranks, the best algorithms, measured over predicted (collective-model).",
)
@option(
    "--bytes",
    "size",
    type=SIZE,
    show_default="the smallest; all for contention",
    help="Message size, for figures of one size.",
)
@option(
    "--collective",
    metavar="NAME",
    show_default="the only one",
    help="Collective, for figures of collectives.",
)
@option(
    "--ranks",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="the most",
    help="Number of ranks, for figures of collectives over size.",
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
    collective: str | None,
    ranks: int | None,
    force: bool,
) -> None:
    """Draw result files; several are overlaid as several systems."""
    if extremes and what != "time":
        raise click.UsageError("--extremes needs --what time")
    if size is not None and what in NOT_OF_ONE_SIZE:
        raise click.UsageError(f"--bytes cannot be used with --what {what}, which shows all sizes")
    if collective is not None and not what.startswith("collective-"):
        raise click.UsageError("--collective needs --what collective-...")
    if ranks is not None and what not in OF_ONE_NUMBER_OF_RANKS:
        raise click.UsageError("--ranks needs --what collective-sizes or collective-model")

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

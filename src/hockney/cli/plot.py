"""hockney plot: result files as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.cli import _options
from hockney.cli._files import warn_of_cut
from hockney.cli._help import check_used, option, verb
from hockney.cli._parameters import SIZE, Named, count_of
from hockney.show.curves.curves import Options
from hockney.show.figures import FIGURES, described, main_figure, noted
from hockney.show.profiles.figures import PROFILE_FIGURES, describe_profile

if TYPE_CHECKING:
    from hockney.show.drawing.description import Figure


def _names() -> list[str]:
    return [*FIGURES.names(), *PROFILE_FIGURES.names()]


@verb(
    "hockney plot mpich.jsonl",
    "hockney plot mpich.jsonl openmpi.jsonl -o time.svg",
    "hockney plot --what samples --bytes 8 run.jsonl -o samples.png",
    "hockney plot --what matrix cores.jsonl -o map.png",
    "hockney plot --what traffic profile.jsonl -o traffic.pdf",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@_options.MOST_INPUT
@_options.output("FILE.png, .svg or .pdf.", show_default="draw in the terminal", metavar="FILE")
@option(
    "--what",
    type=Named(_names),
    show_default="what answers the run's question",
    help="Time or bandwidth by message size; samples of one size; models with residuals. For "
    "pairs: contention, variability, multi-mode. For cores: matrix. For networks: fabric. For "
    "overheads: parts of a message. For rma: one-sided over two-sided. For startup: its steps. For "
    "congestion: factors. For collectives: time by size or number of ranks, the best algorithms "
    "(also by arrival), measured over predicted (collective-model). For profiles: reasons, "
    "calls, sizes, partners, traffic, waits.",
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
    type=count_of("ranks"),
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
    output: Path | None,
    what: str | None,
    extremes: bool,
    with_fit: bool,
    size: int | None,
    operation: str | None,
    ranks: int | None,
    force: bool,
) -> None:
    """Draw result files or a profile; several results are overlaid as several systems."""
    from hockney.profiling.kinds import is_profile
    from hockney.show.drawing.saving import check_output, save
    from hockney.show.drawing.terminal import drawn

    if output is not None:
        check_output(output, force)
    if what in PROFILE_FIGURES.names() or (what is None and is_profile(files[0])):
        check_used("on a profile", "what", "output", "force")
        figure = _of_profile(what or "reasons", files)
    else:
        options = Options(extremes, with_fit, size, operation, ranks)
        figure = _of_runs(what, files, options)
    if output is None:
        click.echo(drawn(figure))
        return
    save(figure, output, force)
    click.echo(f"wrote {output}", err=True)


def _of_profile(what: str, files: tuple[Path, ...]) -> Figure:
    from hockney.cli._profiles import load_profile
    from hockney.profiling.summary import ProfileSummary

    if len(files) > 1:
        raise click.UsageError(f"--what {what} draws one profile")
    return describe_profile(what, ProfileSummary(load_profile(files[0])))


def _of_runs(what: str | None, files: tuple[Path, ...], options: Options) -> Figure:
    from hockney.cli._memory import earlier_runs
    from hockney.infer.analysis.algorithms.collectives import collectives_of
    from hockney.show.curves.labels import analyses_of

    analyses = analyses_of(files)
    if len(files) > 1 and collectives_of(analyses):
        # How much runs differ decides which of two algorithms is the faster one.
        known = earlier_runs(files, (), None, ())
        for analysis in analyses:
            analysis.earlier = known
    for analysis in analyses:
        warn_of_cut(Path(analysis.run.path or ""), analysis.run.cut)
    drawn = described(what, analyses, options) if what else main_figure(analyses, options)
    return noted(drawn, analyses)

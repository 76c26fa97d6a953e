"""hockney report: result files as one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.errors import UsageError
from hockney.cli import _options
from hockney.cli._files import followed, result_files, write_and_say
from hockney.cli._help import option, verb

if TYPE_CHECKING:
    from hockney.infer.analysis.findings import DecidingFinding


@verb(
    "hockney report run.jsonl",
    "hockney report mpich.jsonl openmpi.jsonl -o two-mpis.html --title 'Two MPIs'",
    "hockney report today/ --history runs/",
    "hockney report profile.jsonl messages.jsonl",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_options.output("HTML page to write.", default="report.html", metavar="FILE")
@option("--title", metavar="TEXT", help="Heading of the page.")
@_options.MOST_INPUT
@_options.HISTORY
@_options.force("the page")
def command(
    paths: tuple[Path, ...],
    output: Path,
    title: str | None,
    past: tuple[Path, ...],
    force: bool,
    against: Sequence[DecidingFinding] = (),
    left_out: Sequence[str] = (),
) -> None:
    """Write one HTML page: for each experiment or profile the answer, its figures and tables, and
    the data.

    The page needs no network and no other file. It describes and draws the first 20 files of an
    experiment; the others are rows of its table. The verdict is about all of them.
    """
    from hockney.cli._histories import histories_with
    from hockney.cli._memory import earlier_runs
    from hockney.cli._profiles import profiled
    from hockney.cli._systems import systems
    from hockney.infer.analysis.decision import decision_of
    from hockney.profiling.kinds import is_profile
    from hockney.show.curves.labels import labelled_by_experiment
    from hockney.show.report import render

    if output.exists() and not force:
        raise UsageError(
            f"{output} exists", "name another file with -o, or overwrite it with --force"
        )
    files = result_files(paths, is_profile)
    profiles = [profiled(file) for file in files if is_profile(file)]
    runs = [file for file in files if not is_profile(file)]
    analyses = labelled_by_experiment(systems(runs))
    histories = histories_with(tuple(runs), past) if runs else []
    whole = [analysis for analysis in analyses if not analysis.is_reduced]
    known = earlier_runs(runs, past, None, ())
    for analysis in whole:
        analysis.earlier = known
    positions = {
        analysis: analysis.positions(histories) for analysis in followed(whole, "runs compared")
    }
    decision = decision_of(analyses, histories, against)
    if decision is not None:
        decision = replace(decision, left_out=tuple(left_out))
    page = render(analyses, positions, title, followed, profiles, decision)
    write_and_say([(output, page)], force)

"""hockney fit: models through result files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hockney.base.errors import UsageError
from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._parameters import Named
from hockney.infer.models import MODELS

if TYPE_CHECKING:
    from hockney.infer.analysis.fits import Fits, NamedCurve
    from hockney.infer.fitting.fit import Fit
    from hockney.infer.predict.ranking import Ranking
    from hockney.records import Run

AUTO = "auto"
Result = TypeVar("Result")


@verb(
    "hockney fit run.jsonl",
    "hockney fit --model auto run.jsonl",
    "hockney fit --model multi-mode multi.jsonl --json",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@option(
    "--model",
    type=Named(lambda: [*MODELS.names(), AUTO]),
    default="hockney",
    help="Model to fit; auto: all that the data allow, the best first.",
)
@option(
    "--ordinary",
    is_flag=True,
    help="Ordinary least squares, in which the largest sizes weigh most.",
)
@option(
    "--statistic",
    type=click.Choice(("min", "mean", "median")),
    default="median",
    help="What to fit of the tables of an imported log: of each size the least time of all tables, "
    "their mean, or their median.",
)
@_options.MOST_INPUT
@_options.JSON
def command(
    files: tuple[Path, ...], model: str, ordinary: bool, statistic: str, as_json: bool
) -> None:
    """Fit a model to each file, with confidence intervals by a bootstrap over launches.

    hockney is T(b) = alpha + beta b; segmented is one such line for each protocol's sizes.
    """
    from hockney.infer.fitting.fit import curve_of
    from hockney.infer.models.hockney import fit

    if ordinary and model != "hockney":
        raise click.UsageError("--ordinary needs --model hockney")
    curves = [curve for file in files for curve in _curves(file)]
    measured = [curve.run for curve in curves if curve.run.samples]
    if measured and statistic != "median":
        raise UsageError(
            f"--statistic {statistic}: {measured[0].path} has samples, whose launches are "
            "represented by their medians",
            "leave --statistic out; it is for the tables of imported logs",
        )

    if model == AUTO:
        _show_rankings(
            _each(curves, lambda row: row.fits.ranking(row.curve.points, statistic)), as_json
        )
    elif ordinary:
        _show_fits(
            _each(
                curves,
                lambda row: fit(
                    replace(curve_of(row.curve.points), over_launches=statistic), ordinary
                ),
            ),
            as_json,
        )
    else:
        _show_fits(
            _each(curves, lambda row: row.fits.fit(model, row.curve.points, statistic)), as_json
        )


@dataclass(frozen=True)
class RunCurve:
    """One curve of a run."""

    run: Run
    fits: Fits
    curve: NamedCurve

    @property
    def title(self) -> str:
        which = f": {self.curve.name}" if self.curve.name else ""
        return f"{self.run.label} ({self.run.path}){which}"


def _curves(file: Path) -> list[RunCurve]:
    from hockney.cli._files import load, warn_gravest, warn_of_modes
    from hockney.infer.analysis.fits import NamedCurve

    analysis = load(file)
    warn_of_modes([analysis])
    warn_gravest(analysis)
    curves = analysis.curves or [NamedCurve("", ())]
    return [RunCurve(analysis.run, analysis.fits, curve) for curve in curves]


def _each(
    curves: list[RunCurve], work: Callable[[RunCurve], Result]
) -> list[tuple[RunCurve, Result]]:
    """Fits each curve; where a run has several, those that cannot be fitted are reported."""
    done: list[tuple[RunCurve, Result]] = []
    failed: list[UsageError] = []
    for curve in curves:
        try:
            done.append((curve, work(curve)))
        except UsageError as error:
            if not curve.curve.name:
                raise
            failed.append(error)
            click.echo(f"{curve.title}: {error.message}", err=True)
    if not done:
        raise failed[0]
    return done


def _named(curve: RunCurve) -> dict[str, Any]:
    from hockney.show.tables.as_json import axes_json

    first = curve.curve.points[0]
    return {
        "label": curve.run.label,
        "file": str(curve.run.path),
        **axes_json(first, "bytes", "pairs", "train"),
        "statistic": first.statistic,
        "warnings": _doubts(curve),
    }


def _doubts(curve: RunCurve) -> list[str]:
    """Notes on what was wrong with the log that the numbers are from."""
    from hockney.infer.analysis.warnings import source_notes

    return [note.text for note in source_notes(curve.run)]


def _show_fits(fits: list[tuple[RunCurve, Fit]], as_json: bool) -> None:
    from hockney.cli._files import warn_of_sources
    from hockney.show.one_run.fits import model_lines
    from hockney.show.tables.as_json import dumps, fit_json

    if as_json:
        click.echo(dumps({"fits": [{**_named(curve), **fit_json(fit)} for curve, fit in fits]}))
        return
    for curve, fit in fits:
        click.echo("\n".join([curve.title, *model_lines(fit)]))
    warn_of_sources(curve.run for curve, _ in fits)


def _show_rankings(rankings: list[tuple[RunCurve, Ranking]], as_json: bool) -> None:
    from hockney.cli._files import warn_of_sources
    from hockney.show.one_run.fits import ranking_json, ranking_lines
    from hockney.show.tables.as_json import dumps

    if as_json:
        parts = [ranking_json(ranking, _named(curve)) for curve, ranking in rankings]
        click.echo(dumps({key: [row for part in parts for row in part[key]] for key in parts[0]}))
        return
    for curve, ranking in rankings:
        click.echo("\n".join([curve.title, *ranking_lines(ranking)]))
    warn_of_sources(curve.run for curve, _ in rankings)

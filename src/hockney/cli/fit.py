"""hockney fit: models through result files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockney import records
from hockney.models import model_names

if TYPE_CHECKING:  # numbers are loaded when there is something to fit
    from hockney.estimate.points import PointEstimate
    from hockney.models._ranking import Ranking
    from hockney.models.fit import Fit
    from hockney.records import Run

AUTO = "auto"


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--model",
    type=click.Choice([*model_names(), AUTO]),
    default="hockney",
    show_default=True,
    help="What to fit; auto: all that the data can carry, ranked.",
)
@click.option(
    "--ordinary",
    is_flag=True,
    help="Plain least squares, as in the exercise: the largest sizes decide.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(files: tuple[Path, ...], model: str, ordinary: bool, as_json: bool) -> None:
    """Fit a model to each file, with intervals by resampling launches.

    hockney is T(b) = alpha + beta b; segmented is such a line in each protocol's range of sizes.
    """
    if ordinary and model != "hockney":
        raise click.UsageError("--ordinary is a way to fit --model hockney")
    runs = [records.read(file) for file in files]
    if model == AUTO:
        _show_rankings([(run, _ranking(run)) for run in runs], as_json)
    else:
        _show_fits([(run, _fit(run, model, ordinary)) for run in runs], as_json)


def _fit(run: Run, model: str, ordinary: bool) -> Fit:
    from hockney.models import fit_model
    from hockney.models.fit import curve_of
    from hockney.models.hockney import fit

    points = _points(run)
    return fit(curve_of(points), ordinary) if ordinary else fit_model(model, points)


def _ranking(run: Run) -> Ranking:
    from hockney.models._ranking import rank

    return rank(_points(run))


def _points(run: Run) -> list[PointEstimate]:
    """Of pairs at once the slowest of each visit; else every point of the experiment."""
    from hockney.estimate import estimate
    from hockney.estimate.contention import at_once

    estimates = estimate(run)
    if run.header.experiment == "pairs":
        return at_once(run, estimates)
    return [p for p in estimates.headline if not p.is_floor]


def _named(run: Run) -> dict[str, Any]:
    return {"label": run.label, "file": str(run.path)}


def _show_fits(fits: list[tuple[Run, Fit]], as_json: bool) -> None:
    from hockney.views.as_json import dumps, fit_json
    from hockney.views.fits import model_lines

    if as_json:
        click.echo(dumps({"fits": [{**_named(run), **fit_json(fit)} for run, fit in fits]}))
        return
    for run, fit in fits:
        click.echo("\n".join([f"{run.label} ({run.path})", *model_lines(fit)]))


def _show_rankings(rankings: list[tuple[Run, Ranking]], as_json: bool) -> None:
    from hockney.views.as_json import dumps
    from hockney.views.fits import ranking_json, ranking_lines

    if as_json:
        parts = [ranking_json(ranking, _named(run)) for run, ranking in rankings]
        click.echo(dumps({key: [one for part in parts for one in part[key]] for key in parts[0]}))
        return
    for run, ranking in rankings:
        click.echo("\n".join([f"{run.label} ({run.path})", *ranking_lines(ranking)]))

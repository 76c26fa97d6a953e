"""hockney fit: alpha and beta of result files."""

from __future__ import annotations

from pathlib import Path

import click

from hockney import records


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--ordinary", is_flag=True,
              help="Plain least squares, as in the exercise: the largest sizes decide.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(files: tuple[Path, ...], ordinary: bool, as_json: bool) -> None:
    """Fit T(b) = alpha + beta b to each file, with intervals by resampling launches."""
    runs = [records.read(file) for file in files]
    from hockney.estimate import estimate
    from hockney.models.fit import curve_of
    from hockney.models.hockney import fit
    from hockney.views.as_json import dumps, fit_json
    from hockney.views.table import fit_lines

    fits = []
    for run in runs:
        points = [p for p in estimate(run).headline if p.operation == run.header.experiment]
        fits.append(fit(curve_of(points), ordinary))
    if as_json:
        click.echo(dumps({"fits": [{"label": run.label, "file": str(run.path), **fit_json(line)}
                                   for run, line in zip(runs, fits, strict=True)]}))
        return
    for run, line in zip(runs, fits, strict=True):
        click.echo(f"{run.label} ({run.path})")
        click.echo("\n".join(fit_lines(line)))

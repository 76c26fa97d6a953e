"""A run as every verb shows it."""

from __future__ import annotations

import click

from hockney.errors import HockneyError
from hockney.estimate.floor import floor_ratios
from hockney.estimate.points import Estimates
from hockney.models.fit import Fit, curve_of
from hockney.models.hockney import fit as fit_hockney
from hockney.records import Run
from hockney.views import table
from hockney.views.as_json import dumps, fit_json, point_json, run_json
from hockney.views.layouts import render
from hockney.views.warnings import warnings


def show_run(
    run: Run,
    estimates: Estimates,
    layout: str | None = None,
    all_states: bool = False,
    quiet: bool = False,
) -> None:
    """Table, states, fit and warnings; or a classic program's layout alone."""
    if layout:
        click.echo(render(layout, run, estimates))
    else:
        _show_tables(run, estimates, all_states)
        shown = range(len(estimates.states.states)) if all_states else range(1)
        for state in shown:
            line = fit_state(estimates, state)
            if line:
                name = f"state {state}: " if len(shown) > 1 else ""
                click.echo("\n" + name + "\n".join(table.fit_lines(line)))
    if not quiet:
        for warning in warnings(run, estimates):
            click.echo(f"warning: {warning}", err=True)


def _show_tables(run: Run, estimates: Estimates, all_states: bool) -> None:
    click.echo("\n".join(table.heading(run, estimates)) + "\n")
    floor = floor_ratios(estimates)
    shown = range(len(estimates.states.states)) if all_states else range(1)
    for state in shown:
        if all_states and len(estimates.states.states) > 1:
            click.echo(f"state {state}")
        points = [p for p in estimates.in_state(state) if not p.is_floor]
        click.echo(table.point_table(points, floor if state == 0 else {}))
    lines = table.state_lines(estimates)
    if lines:
        click.echo("\n" + "\n".join(lines))


def fit_state(estimates: Estimates, state: int) -> Fit | None:
    """Hockney's line through the points of one state; None where they do not carry one."""
    points = [p for p in estimates.in_state(state) if not p.is_floor]
    try:
        return fit_hockney(curve_of(points))
    except HockneyError:
        return None


def show_diagnosis(run: Run) -> None:
    from hockney.estimate.diagnose import diagnose
    from hockney.views.diagnosis import diagnosis_lines

    click.echo("\n" + "\n".join(diagnosis_lines(diagnose(run))))


def _diagnosis_json(run: Run) -> dict[str, object]:
    from dataclasses import asdict

    from hockney.estimate.diagnose import diagnose

    return {"diagnosis": [asdict(finding) for finding in diagnose(run)]}


def show_json(
    run: Run, estimates: Estimates, all_states: bool = False, diagnose: bool = False
) -> None:
    """{"run", "points", "fits", "warnings"} and, when asked, "diagnosis", as docs/cli.md says."""
    floor = floor_ratios(estimates)
    points = estimates.points if all_states else estimates.headline
    states = range(len(estimates.states.states)) if all_states else range(1)
    lines = {state: fit_state(estimates, state) for state in states}
    click.echo(
        dumps(
            {
                "run": run_json(run, estimates),
                "points": [
                    point_json(
                        point,
                        None if point.is_floor else floor.get(point.bytes),
                    )
                    for point in points
                ],
                "fits": [{"state": s, **fit_json(line)} for s, line in lines.items() if line],
                "warnings": warnings(run, estimates),
                **(_diagnosis_json(run) if diagnose else {}),
            }
        )
    )

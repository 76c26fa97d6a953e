"""hockney show: a result file as a table or as JSON."""

from __future__ import annotations

from pathlib import Path

import click

from hockney.views.layouts import layout_names


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--all-states", is_flag=True, help="Every state of the machine, not the headline's.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(layout_names()),
    help="Print in the layout of a classic program.",
)
@click.option(
    "--diagnose",
    is_flag=True,
    help="Look for cold start, modes, drift, period and autocorrelation.",
)
@click.option("--gate", is_flag=True, help="Exit status 1 if a pair, place or node is an outlier.")
@click.option(
    "--history",
    "past",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Earlier runs to compare this one with: files or directories. Repeatable.",
)
@click.option(
    "--model-from",
    "messages",
    type=click.Path(path_type=Path),
    help="Ping-pong times (pingpong, cores) to predict collectives from: measured over predicted.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    file: Path,
    all_states: bool,
    layout: str | None,
    diagnose: bool,
    gate: bool,
    past: tuple[Path, ...],
    messages: Path | None,
    as_json: bool,
) -> None:
    """Show what a result file holds."""
    from hockney import load
    from hockney.cli import _present
    from hockney.cli.history import histories_with

    analysis = load(file)
    if messages is not None:
        _present.show_predicted(analysis, load(messages), as_json)
        return
    histories = histories_with((file,), past)
    if as_json:
        _present.show_json(analysis, all_states, diagnose, histories)
    else:
        _present.show_run(analysis, layout, all_states)
        if diagnose:
            _present.show_diagnosis(analysis)
        if not layout:
            _present.show_positions(analysis, histories)
    if gate:
        _present.gate(analysis)

"""Shows an analysis, as verbs do."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from click import unstyle

from hockney.base.errors import HockneyError, UsageError
from hockney.base.terminal import styled
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.gate import Gate
from hockney.show.experiments import answer_of, marks_of, parts_of, shown_json
from hockney.show.tables.as_json import dumps, encoded

if TYPE_CHECKING:
    from hockney.infer.analysis.history.histories import History
    from hockney.run.measure.preparation.awareness import Proof
    from hockney.run.measure.preparation.tried_memories import CollectiveProofs


def show_run(
    analysis: Analysis,
    layout: str | None = None,
    all_states: bool = False,
    quiet: bool = False,
    gate: Gate | None = None,
    explain: bool = False,
) -> None:
    """The gate's line, the tables of the experiment's view, definitions where they are asked for,
    and the warnings; or a classic program's layout alone below the gate."""
    show_gate(gate)
    if layout:
        from hockney.foreign.exchange.writing import render

        marks = [f"# {mark}" for mark in marks_of(analysis)]
        click.echo("\n".join([*marks, render(layout, analysis)]))
    else:
        answer = "\n".join(styled(line, "bold") for line in answer_of(analysis))
        text = "\n\n".join(filter(None, [answer, *parts_of(analysis, all_states)]))
        click.echo(text)
        if explain:
            from hockney.show.explained import explained

            click.echo("\n" + "\n".join(explained(analysis, unstyle(text))))
    if not quiet:
        show_warnings(analysis)


def show_warnings(analysis: Analysis) -> None:
    """Prints a sentence for each warning, and where there is more to read."""
    lines = [warning.text for warning in analysis.warnings]
    for line in lines:
        click.echo(f"{styled('warning:', 'yellow', stream=sys.stderr)} {line}", err=True)
    if lines and analysis.run.is_measured:
        path = shlex.quote(str(analysis.run.path))
        click.echo(f"more: hockney show {path} --diagnose", err=True)


def show_gate(gate: Gate | None) -> None:
    """Prints the gate's line, which is the first of the output."""
    if gate is not None:
        click.echo(styled(gate.line, "bold"))


def end_by(gate: Gate | None) -> None:
    """Ends with the status of a gate that did not pass."""
    if gate is not None and gate.exit_status:
        raise click.exceptions.Exit(gate.exit_status)


def check_blocks(analysis: Analysis) -> None:
    """Raises HockneyError where variants were measured, but no block of them is complete."""
    study = analysis.variants
    if study is None or study.ratios:
        return
    missing = f" ({', '.join(study.left_out)}: not measured)" if study.left_out else ""
    path = analysis.run.path
    raise HockneyError(
        f"{path}: no block is complete, nothing was compared{missing}",
        f"continue it: the same command with a larger --budget and --resume -o {path}",
    )


def show_diagnosis(analysis: Analysis) -> None:
    from hockney.show.conditions.diagnosis import diagnosis_lines

    click.echo("\n" + "\n".join(diagnosis_lines(analysis.diagnosis)))


MOST_FIGURES = 2
"""Most figures of a run in a terminal, the most important first."""


def show_figures(analysis: Analysis) -> None:
    """The first figures that a report has of the experiment, as text."""
    from hockney.show.curves.curves import Options
    from hockney.show.drawing.terminal import drawn
    from hockney.show.figures import describe
    from hockney.show.report.sections import figures_of

    shown = 0
    for name in figures_of(analysis.run.header.experiment):
        with suppress(UsageError):
            click.echo("\n" + drawn(describe(name, [analysis], Options())))
            shown += 1
        if shown == MOST_FIGURES:
            return


def show_positions(analysis: Analysis, histories: Sequence[History], explain: bool = False) -> None:
    """The run among published systems: in a line, or with explain as a table."""
    from hockney.show.claims.published_lines import position_lines, position_summary

    positions = analysis.positions(histories)
    if not explain:
        for line in position_summary(positions):
            click.echo(line)
    elif lines := position_lines(positions):
        heading = "\ncompared with published systems (definitions and sources: --json)"
        click.echo("\n".join([heading, *(f"  {line}" for line in lines)]))


def show_predicted(analysis: Analysis, messages: Analysis, as_json: bool) -> None:
    """Shows collectives, measured and as predicted from the messages of another run."""
    from hockney.show.algorithms.collective_model import predicted_json, predicted_lines

    predictions = analysis.predicted(messages.message_costs)
    if as_json:
        click.echo(dumps({"predicted": predicted_json(predictions)}))
    else:
        click.echo("\n".join(predicted_lines(predictions, messages.message_costs)))


def show_json(
    analysis: Analysis,
    all_states: bool = False,
    diagnose: bool = False,
    histories: Sequence[History] | None = None,
    gate: Gate | None = None,
) -> None:
    """Prints shown_json with the gate, if there is one, and when asked "diagnosis" and
    "positions"."""
    from hockney.show.claims.published_lines import published_json

    shown = shown_json(analysis, all_states)
    if gate is not None:
        shown["gate"] = asdict(gate)
    if diagnose:
        why_not = analysis.diagnosis.not_possible
        findings = [asdict(finding) for finding in analysis.diagnosis.findings]
        shown |= {"diagnosis": None if why_not else findings, "diagnosis_not_possible": why_not}
    if histories is not None:
        positions = analysis.positions(histories)
        shown["published"] = published_json(positions)
        shown["positions"] = asdict(positions)
    click.echo(encoded(shown))  # of many launches, larger than the run


def end_tried(tried: Sequence[Proof] | Sequence[CollectiveProofs], as_json: bool) -> None:
    """Prints for each memory what the MPI can do with it; ends with status 1 if not all."""
    if as_json:
        click.echo(dumps({"memories": [asdict(proof) for proof in tried]}))
    for proof in [] if as_json else tried:
        click.echo(proof.sentence)
    if any(proof.has_failed for proof in tried):
        raise click.exceptions.Exit(1)

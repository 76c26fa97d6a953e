"""What a section shows of each system: its answer, its models, how it was measured, and what
disturbed it. The lines are those of `hockney show` and `hockney fit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.views.curves import samples_text, time_label
from hockney.views.diagnosis import diagnosis_lines
from hockney.views.experiments import view_of
from hockney.views.fits import model_lines
from hockney.views.report.reported import Reported
from hockney.views.table import heading, state_lines

NOT_SEARCHED = (
    "There are too many visits to search for cold start, modes, drift and periods here: use "
    "`hockney show --diagnose`."
)


@dataclass(frozen=True)
class Card:
    title: str
    lines: Sequence[str]
    is_table: bool = False
    """Its columns are aligned."""


def cards(system: Reported) -> list[Card]:
    analysis = system.analysis
    found = [
        Card("Result", view_of(analysis).answer(analysis)),
        Card("Measurement", _measurement(system)),
        Card("Models", [line for fit in system.fits for line in model_lines(fit)], is_table=True),
        Card("Disturbances", _disturbances(system)),
    ]
    return [card for card in found if card.lines]


def _measurement(system: Reported) -> list[str]:
    """Describes where the ranks ran, and what a sample and an interval are."""
    analyses = [system.analysis]
    if system.run.header.source is not None:
        return [samples_text(analyses)]
    return heading(system.analysis, time_label(analyses))[1:]


def _disturbances(system: Reported) -> list[str]:
    lines = [*system.warnings, *state_lines(system.analysis.estimates)]
    if not system.analysis.estimates.own():
        return lines
    if system.findings is None:
        return [*lines, NOT_SEARCHED]
    return lines + diagnosis_lines(system.findings)

"""Makes the cards of a system in a section: its answer, its models, how it was measured, and what
disturbed it. The lines are those of `hockney show` and `hockney fit`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from hockney.base.errors import HockneyError
from hockney.infer.analysis import Analysis
from hockney.infer.fitting.fit import Fit
from hockney.show.conditions.diagnosis import diagnosis_lines
from hockney.show.curves.curves import samples_text, time_label
from hockney.show.experiments import answer_of
from hockney.show.one_run.fits import model_lines
from hockney.show.one_run.run_lines import definitions, states_shown

NOT_SEARCHED = (
    "There are too many visits to search for cold start, modes, drift and periods here: use "
    "`hockney show --diagnose`."
)


@dataclass(frozen=True)
class Card:
    title: str
    lines: Sequence[str]
    is_table: bool = False
    """True if the lines are columns that must stay aligned."""


MODELS = ("hockney", "segmented")
"""The models that a report fits to one curve, in this order."""
MOST_DIAGNOSED = 50_000
"""Most visits in which periods are searched: more would take longer than the rest of the report."""


def fits_of(analysis: Analysis) -> list[Fit]:
    """The fits of MODELS that the data allow; empty where there are several curves."""
    fits = []
    for name in MODELS:
        with suppress(HockneyError):
            fits.append(analysis.fit(name))
    return fits


def cards(analysis: Analysis, is_alone: bool) -> list[Card]:
    """The cards of a system; is_alone: its section has no other system, and opens with its
    result."""
    models = [line for fit in fits_of(analysis) for line in model_lines(fit)]
    all_cards = [
        Card("Result", [] if is_alone else answer_of(analysis)),
        Card("Measurement", _measurement(analysis)),
        Card("Models", models, is_table=True),
        Card("Disturbances", _disturbances(analysis)),
    ]
    return [card for card in all_cards if card.lines]


def _measurement(analysis: Analysis) -> list[str]:
    """Describes where the ranks ran, and what a sample and an interval are."""
    if analysis.run.header.source is not None:
        return [samples_text([analysis])]
    return definitions(analysis, time_label([analysis]))


def _disturbances(analysis: Analysis) -> list[str]:
    lines = [*(warning.text for warning in analysis.warnings), *states_shown(analysis)]
    if not analysis.estimates.own():
        return lines
    if len(analysis.run.samples) > MOST_DIAGNOSED:
        return [*lines, NOT_SEARCHED]
    return lines + diagnosis_lines(analysis.diagnosis)

"""How the results of each experiment are shown: one file an experiment, found by its name.

A view has four functions: `answer(analysis, operation)`, a line or two about one operation or all
of them; `parts(analysis, all_states)`, what a terminal shows, as pieces of text with an empty line
between those that are not empty; `definitions(analysis)`, lines for `show --explain` on how a
sample is made and what rules were applied; and `fields(analysis, all_states)`, what the JSON holds
besides "run", "points" and "warnings". An experiment without a file is shown as pingpong is.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Protocol

from hockney.base.registry import Registry
from hockney.infer.analysis import Analysis
from hockney.records import Run
from hockney.show.one_run.memory_lines import memory_answer, memory_json, memory_parts
from hockney.show.tables.as_json import next_run_json, points_json, run_json

USUAL = "pingpong"


class View(Protocol):
    def answer(self, analysis: Analysis, operation: str | None = None) -> list[str]: ...

    def parts(self, analysis: Analysis, all_states: bool) -> list[str]: ...

    def definitions(self, analysis: Analysis) -> list[str]: ...

    def fields(self, analysis: Analysis, all_states: bool) -> dict[str, Any]: ...


VIEWS = Registry(__name__, "view of an experiment", View)


def view_of(analysis: Analysis) -> View:
    """The view of the run's experiment; imported runs have one view, and so have runs that compare
    variants."""
    if analysis.run.header.source is not None:
        return VIEWS.find("imported")
    if analysis.variants is not None:
        return VIEWS.find("variants")
    return measured_view(analysis.run)


def answer_of(analysis: Analysis) -> list[str]:
    """The view's answer, marked where ranks shared CPUs."""
    lines = view_of(analysis).answer(analysis)
    return [*marks_of(analysis), *lines, *memory_answer(analysis)]


def parts_of(analysis: Analysis, all_states: bool) -> list[str]:
    """What a terminal shows: the view's pieces of text, and those of memories."""
    return [*view_of(analysis).parts(analysis, all_states), *memory_parts(analysis)]


def marks_of(analysis: Analysis) -> list[str]:
    """Warnings before the answer: ranks took turns on CPUs, or nodes were left out."""
    marks = (analysis.oversubscribed, analysis.without_nodes)
    return [mark.fact for mark in marks if mark is not None]


def measured_view(run: Run) -> View:
    """The view of the experiment, whether or not it compares variants."""
    name = run.header.experiment
    return VIEWS.find(name if name in VIEWS.names() else USUAL)


def shown_json(analysis: Analysis, all_states: bool = False) -> dict[str, Any]:
    """{"run", ..., "warnings"}: the output of `hockney show --json` (docs/json.md)."""
    gate = analysis.gate(analysis.compares_pairs)
    return {
        "run": run_json(analysis),
        "gate": None if gate is None else asdict(gate),
        "points": points_json(analysis, all_states),
        **view_of(analysis).fields(analysis, all_states),
        **memory_json(analysis),
        "next_run": next_run_json(analysis),
        "next_run_notes": list(analysis.expected.notes) if analysis.expected else [],
        "warnings": [warning.text for warning in analysis.warnings],
    }

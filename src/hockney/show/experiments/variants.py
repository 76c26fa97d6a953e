"""Shows runs that compare variants: each against the first, the ratio at each point, with
caveats."""

from __future__ import annotations

from typing import Any

from hockney.infer.analysis import Analysis
from hockney.show.comparison.variant_table import (
    doubt_lines,
    heading_lines,
    rule_of,
    variant_answer,
    variant_table,
    variants_json,
)
from hockney.show.experiments import measured_view
from hockney.show.one_run import run_lines


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:  # noqa: ARG001
    assert analysis.variants is not None
    return variant_answer(analysis.variants)


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    study = analysis.variants
    assert study is not None
    doubts = [f"note: {line}" for line in doubt_lines(study, study.name)]
    states = run_lines.states_shown(analysis)
    heading = "\n".join(heading_lines(analysis.run, study))
    pieces = [heading, variant_table(study)]
    return pieces + ["\n".join(lines) for lines in (states, doubts) if lines]


def definitions(analysis: Analysis) -> list[str]:
    assert analysis.variants is not None
    return [*measured_view(analysis.run).definitions(analysis), rule_of(analysis.variants)]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """The fields of the experiment, and "variants"."""
    assert analysis.variants is not None
    usual = measured_view(analysis.run).fields(analysis, all_states)
    return {**usual, "variants": variants_json(analysis.variants)}

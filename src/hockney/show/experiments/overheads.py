"""Shows what each size costs sender, receiver and wire, and LogGP's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hockney.base.units import format_seconds
from hockney.infer.analysis import Analysis
from hockney.infer.fitting.fit import Parameter
from hockney.infer.models.loggp import SizeOverheads
from hockney.show.one_run import run_lines
from hockney.show.one_run.fits import model_lines
from hockney.show.tables.as_json import fit_json
from hockney.show.tables.table import TableColumn, between, estimate_json, microseconds, table_text


def _cost(
    heading: str, value: Callable[[SizeOverheads], Parameter]
) -> list[TableColumn[SizeOverheads]]:
    return [
        TableColumn(heading, lambda row: value(row).value, microseconds),
        TableColumn("95 %", lambda row: between(value(row).interval)),
    ]


COLUMNS: list[TableColumn[SizeOverheads]] = [
    TableColumn("bytes", lambda row: row.bytes),
    *_cost("one way", lambda row: row.one_way_s),
    *_cost("o_s", lambda row: row.o_send_s),
    *_cost("o_r", lambda row: row.o_receive_s),
    *_cost("gap", lambda row: row.gap_s),
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:  # noqa: ARG001
    """LogGP's times."""
    known = analysis.loggp()
    if known is None:
        return []
    times = {n.removesuffix("_s"): p for n, p in known.fit.parameters.items() if n.endswith("_s")}
    return [
        ", ".join(f"{name} {format_seconds(parameter.value)}" for name, parameter in times.items())
    ]


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    pieces = ["\n".join(run_lines.heading(analysis, "times"))]
    for state in analysis.estimates.numbers(all_states):
        known = analysis.loggp(state)
        if known is not None:
            pieces += [table_text(COLUMNS, known.overheads), "\n".join(model_lines(known.fit))]
        else:
            pieces.append(f"state {state}: too few trains were measured for LogGP")
    return [*pieces, "\n".join(run_lines.states_shown(analysis))]


definitions = run_lines.definitions


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"overheads", "fits"}."""
    states = analysis.estimates.numbers(all_states)
    known = [(state, loggp) for state in states if (loggp := analysis.loggp(state)) is not None]
    return {
        "overheads": [
            {"state": state, **estimate_json(overhead)}
            for state, loggp in known
            for overhead in loggp.overheads
        ],
        "fits": [{"state": state, **fit_json(loggp.fit)} for state, loggp in known],
    }

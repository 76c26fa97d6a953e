"""Shows one row a size, with the floor where it was measured, and Hockney's line."""

from __future__ import annotations

from typing import Any

from hockney.infer.analysis import Analysis
from hockney.plan.axes import point_of
from hockney.show.one_run import run_lines
from hockney.show.one_run.answer import latency_and_bandwidth
from hockney.show.one_run.fits import fit_sentence
from hockney.show.one_run.point_table import point_table
from hockney.show.one_run.side_by_side import side_by_side_json, side_by_side_text
from hockney.show.one_run.switches import switch_lines, switches_json
from hockney.show.one_run.tails import tails_json, tails_text
from hockney.show.tables.as_json import fit_json, point_json

answer, definitions = latency_and_bandwidth, run_lines.definitions


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    shown = analysis.estimates.numbers(all_states)
    pieces = ["\n".join([*run_lines.heading(analysis), _tables(analysis, shown)])]
    pieces.append(side_by_side_text(analysis.side_by_side))
    pieces.append(tails_text(analysis))
    pieces.append("\n".join(run_lines.states_shown(analysis)))
    return [*pieces, "\n".join(switch_lines(analysis.run.switches))]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"points", "fits"}, "switches" where they were looked for, and "tails" with --tails."""
    lines = {state: analysis.line(state) for state in analysis.estimates.numbers(all_states)}
    return {
        "points": [
            point_json(point, None if point.state else analysis.floor.get(point_of(point)))
            for point in analysis.estimates.shown(all_states)
        ],
        "fits": [{"state": s, **fit_json(line)} for s, line in lines.items() if line],
        **side_by_side_json(analysis.side_by_side),
        **switches_json(analysis.run.switches),
        **tails_json(analysis.tails),
    }


def _tables(analysis: Analysis, shown: range) -> str:
    """A table for each state that has points."""
    lines = []
    for state in shown:
        floor = analysis.floor if state == 0 else {}
        expected = analysis.expected if state == 0 else None
        if points := analysis.estimates.own(state):
            lines += [f"state {state}"] * (len(shown) > 1)
            lines.append(point_table(points, floor, expected))
            lines += run_lines.next_run_lines(expected)
            line = analysis.line(state)
            lines += [fit_sentence(line)] if line else []
    return "\n".join(lines)

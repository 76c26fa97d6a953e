"""One row a size, with the floor where it was measured, and Hockney's line."""

from __future__ import annotations

from typing import Any

from hockney.analysis.floor import floor_ratios
from hockney.errors import HockneyError
from hockney.estimate.points import Estimates, by_curve
from hockney.models.fit import Fit, curve_of
from hockney.models.hockney import fit as fit_hockney
from hockney.records import Run
from hockney.views import table
from hockney.views.as_json import fit_json, point_json
from hockney.views.switches import switch_lines, switches_json


def parts(run: Run, estimates: Estimates, all_states: bool) -> list[str]:
    shown = _shown(estimates, all_states)
    found = ["\n".join(table.heading(run, estimates)), _tables(estimates, shown)]
    states = table.state_lines(estimates)
    if states:
        found.append("\n".join(states))
    for state in shown:
        line = line_of(estimates, state)
        if line:
            name = f"state {state}: " if len(shown) > 1 else ""
            found.append(name + "\n".join(table.fit_lines(line)))
    if run.switches:
        found.append("\n".join(switch_lines(run.switches)))
    return found


def fields(run: Run, estimates: Estimates, all_states: bool) -> dict[str, Any]:
    """{"points", "fits"}, and "switches" where they were looked for."""
    floor = floor_ratios(estimates)
    points = estimates.points if all_states else estimates.headline
    lines = {state: line_of(estimates, state) for state in _shown(estimates, all_states)}
    return {
        "points": [
            point_json(point, None if point.is_beside else floor.get(point.bytes))
            for point in points
        ],
        "fits": [{"state": s, **fit_json(line)} for s, line in lines.items() if line],
        **switches_json(run.switches),
    }


def _shown(estimates: Estimates, all_states: bool) -> range:
    return range(len(estimates.states.states)) if all_states else range(1)


def _tables(estimates: Estimates, shown: range) -> str:
    floor = floor_ratios(estimates)
    lines = []
    for state in shown:
        if len(shown) > 1:
            lines.append(f"state {state}")
        lines.append(table.point_table(estimates.own(state), floor if state == 0 else {}))
    return "\n".join(lines)


def line_of(estimates: Estimates, state: int) -> Fit | None:
    """Hockney's line through the points of one state; None where they do not carry one, or are of
    several curves."""
    points = estimates.own(state)
    if len(by_curve(points)) > 1:
        return None
    try:
        return fit_hockney(curve_of(points))
    except HockneyError:
        return None

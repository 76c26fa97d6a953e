"""What each size costs sender, receiver and wire, and LogGP's numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hockney.estimate.points import Estimates
from hockney.fitting.fit import Curve, Fit, Parameter, curve_of
from hockney.models import loggp
from hockney.records import Run
from hockney.views import table
from hockney.views.as_json import fit_json, point_json
from hockney.views.fits import model_lines

COLUMNS = ("bytes", "one way", "95 %", "o_s", "95 %", "o_r", "95 %", "gap", "95 %")
LEGEND = (
    "us; o_s: in a send, o_r: in a receive whose message is there; gap: from one message of a "
    "train to the next"
)


def parts(run: Run, estimates: Estimates, all_states: bool) -> list[str]:
    found = ["\n".join([*table.heading(run, estimates), LEGEND])]
    for state in _shown(estimates, all_states):
        curve = _curve(estimates, state)
        if curve is not None:
            found += [overheads_table(loggp.overheads(curve)), "\n".join(model_lines(_fit(curve)))]
        else:
            found.append(f"state {state}: too few trains were measured for LogGP")
    states = table.state_lines(estimates)
    return [*found, *(["\n".join(states)] if states else [])]


def fields(run: Run, estimates: Estimates, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """{"points", "overheads", "fits"}."""
    points = estimates.points if all_states else estimates.headline
    curves = {state: _curve(estimates, state) for state in _shown(estimates, all_states)}
    known = {state: curve for state, curve in curves.items() if curve is not None}
    return {
        "points": [point_json(point, None) for point in points],
        "overheads": [
            {"state": state, **asdict(one)}
            for state, curve in known.items()
            for one in loggp.overheads(curve)
        ],
        "fits": [{"state": state, **fit_json(_fit(curve))} for state, curve in known.items()],
    }


def overheads_table(sizes: list[loggp.Overheads]) -> str:
    rows = [list(COLUMNS)]
    for one in sizes:
        cells = [str(one.bytes)]
        for value in (one.one_way_s, one.o_send_s, one.o_receive_s, one.gap_s):
            cells += [table.microseconds(value.value), _interval(value)]
        rows.append(cells)
    return table.aligned(rows)


def _interval(value: Parameter) -> str:
    if value.low is None or value.high is None:
        return "-"
    return f"{table.microseconds(value.low)} .. {table.microseconds(value.high)}"


def _shown(estimates: Estimates, all_states: bool) -> range:
    return range(len(estimates.states.states)) if all_states else range(1)


def _curve(estimates: Estimates, state: int) -> Curve | None:
    """None where the state has too few of the trains."""
    points = [p for p in estimates.in_state(state) if p.operation == "train"]
    curve = curve_of(points)
    return None if loggp.lacks(curve) else curve


def _fit(curve: Curve) -> Fit:
    return loggp.fit(curve)

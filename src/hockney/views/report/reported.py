"""What a report knows of one file: its estimates and fits, without the samples' records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from hockney import records
from hockney.analysis.diagnose import Finding, diagnose
from hockney.errors import HockneyError
from hockney.estimate.points import Cells, Estimates, PointEstimate, collect, estimate_cells
from hockney.estimate.states import find_states
from hockney.models import fit_model
from hockney.models.fit import Curve, Fit, curve_of
from hockney.records import Run
from hockney.spec.axes import Axes, Point, key_without, point_of, text_of, variant_text
from hockney.views.as_json import fit_json, run_json
from hockney.views.experiments import view_of
from hockney.views.warnings import warnings

MODELS = ("hockney", "segmented")
"""What a report fits to one curve, in this order."""
MOST_DIAGNOSED = 50_000
"""Visits; the search for periods in more of them takes longer than the rest of the report."""

Group = Point
"""Points of all pairs of ranks and all sizes are drawn as one curve."""


@dataclass(frozen=True)
class Reported:
    label: str
    run: Run
    """Without samples, probes and noises."""
    estimates: Estimates
    cells: Cells
    """Samples of the headline state, without the floor's."""
    curve: Curve | None
    """What the fits go through; None where the file holds several curves, or none."""
    fits: tuple[Fit, ...]
    show: dict[str, Any]
    """As `hockney show --json`."""
    fit: dict[str, Any]
    """As `hockney fit --json`, one after the other of MODELS."""
    warnings: list[str]
    findings: list[Finding] | None
    """None where there was too much to look through."""


def group_of(point: Axes) -> Group:
    """What points of all pairs of ranks at all sizes have in common."""
    return msgspec.structs.replace(point_of(point), bytes=0, peers=())


def groups_of(points: Sequence[PointEstimate]) -> dict[Group, dict[int, list[PointEstimate]]]:
    """By group, then by size."""
    found: dict[Group, dict[int, list[PointEstimate]]] = {}
    for point in points:
        found.setdefault(group_of(point), {}).setdefault(point.bytes, []).append(point)
    return found


def group_name(group: Group) -> str:
    words = (group.operation, variant_text(group), text_of(group, "ranks"))
    return ", ".join(filter(None, words))


def report_on(path: Path) -> Reported:
    """Reads a result file and keeps what the page needs of it."""
    run = records.read(path)
    states = find_states(run)
    cells = collect(run, states)
    estimates = estimate_cells(run, states, cells)
    own = estimates.own()
    curve = _only_curve(own)
    fits = _fits(own) if curve is not None else ()
    return Reported(
        label=run.label,
        run=replace(run, samples=[], probes=[], rounds=[], noises=[]),
        estimates=estimates,
        cells=_own_cells(cells, own),
        curve=curve,
        fits=fits,
        show=_show(run, estimates),
        fit={"fits": [{"label": run.label, "file": str(path), **fit_json(fit)} for fit in fits]},
        warnings=warnings(run, estimates),
        findings=diagnose(run) if len(run.samples) <= MOST_DIAGNOSED else None,
    )


def _only_curve(own: Sequence[PointEstimate]) -> Curve | None:
    if len({key_without(point, "bytes") for point in own}) != 1:
        return None
    try:
        return curve_of(own)
    except HockneyError:
        return None


def _fits(own: Sequence[PointEstimate]) -> tuple[Fit, ...]:
    fits = []
    for name in MODELS:
        try:
            fits.append(fit_model(name, own))
        except HockneyError:  # too few sizes for this model; the page shows the others
            continue
    return tuple(fits)


def _own_cells(cells: Cells, own: Sequence[PointEstimate]) -> Cells:
    operations = {point.operation for point in own}
    return {
        (key, state): launches
        for (key, state), launches in cells.items()
        if state == 0 and key.operation in operations
    }


def _show(run: Run, estimates: Estimates) -> dict[str, Any]:
    return {
        "run": run_json(run, estimates),
        **view_of(run).fields(run, estimates, False),
        "warnings": warnings(run, estimates),
    }

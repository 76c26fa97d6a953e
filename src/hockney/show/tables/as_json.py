"""Results as JSON for programs: field names are part of the interface (docs/json.md)."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import msgspec

from hockney.base.units import MOST_UNCERTAIN
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.conditions.transports import REACHES, Transports
from hockney.infer.analysis.floor import FloorRatio
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import Fit, Segment
from hockney.plan.axes import Axes, axes_of
from hockney.show.tables.table import estimate_json


def dumps(value: object) -> str:
    """Indented JSON; numbers that are not finite are null."""
    return encoded(value).decode()


def encoded(value: object) -> bytes:
    """Indented JSON in UTF-8; numbers that are not finite are null."""
    try:
        compact = msgspec.json.encode(value)
    except UnicodeEncodeError:
        compact = msgspec.json.encode(finite(value))  # a copy of everything
    return msgspec.json.format(compact, indent=2)


def finite(value: object) -> object:
    """Replaces numbers that are not finite by null, and bytes that are not UTF-8 by escapes."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):  # the name of a file may be any bytes
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def run_json(analysis: Analysis) -> dict[str, Any]:
    """JSON of what was measured, where, and in which states of the machine."""
    run, states = analysis.run, analysis.states
    first = run.launches[0] if run.launches else None
    return {
        "id": run.header.id,
        "experiment": run.header.experiment,
        "label": analysis.label,
        "started": run.header.started,
        "source": msgspec.to_builtins(run.header.source),
        "options": run.header.options,
        "environment": run.header.environment,
        "definition": first.definition if first else None,
        "simulated": first.simulated if first and not run.header.source else None,
        "mpi": msgspec.to_builtins(first.mpi) if first else None,
        "clock": msgspec.to_builtins(first.clock) if first else None,
        "places": msgspec.to_builtins(first.places) if first else [],
        "oversubscribed": asdict(crowded) if (crowded := analysis.oversubscribed) else None,
        "transport": transport_json(analysis.transports),
        "launches": len(run.launches),
        "ends": [msgspec.to_builtins(end) for end in run.ends],
        "probe": states.probe,
        "states": [asdict(state) for state in states.states],
        "mixed_states": [asdict(state) for state in states.mixed],
        "rounds_changed": states.changed,
        "slow_launches": list(analysis.estimates.slow_launches),
        "launch_modes": [asdict(mode) for mode in analysis.estimates.modes],
        "launches_kept_apart": [asdict(group) for group in analysis.estimates.kept_apart],
        "cut": run.cut,
    }


def transport_json(transports: Transports | None) -> dict[str, Any] | None:
    """JSON of the ways that messages took; None if none was recorded."""
    if transports is None:
        return None
    return {
        **{reach: transports.words(reach) for reach in REACHES},
        "paths": [{**asdict(path), "text": path.text} for path in transports.paths],
        "nodes": [asdict(node) for node in transports.nodes],
        "resent": transports.resent,
    }


def point_json(point: PointEstimate, floor: FloorRatio | None) -> dict[str, Any]:
    fields = msgspec.structs.asdict(point) | axes_of(point)
    interval = fields.pop("interval")
    fields |= {"low_s": low_of(interval), "high_s": high_of(interval)}
    fields["confidence"] = interval and interval.confidence
    measured = point.statistic == "median"
    fields["median_s"] = point.median_s
    known = point.precision is not None and point.precision <= MOST_UNCERTAIN
    fields["precision"] = point.precision if known else None
    fields["launch_typical_s"] = fields.pop("medians_s")
    fields["launch_medians_s"] = fields["launch_typical_s"] if measured else None
    if floor is not None:
        fields |= {
            "floor_s": floor.floor_s,
            "floor_cold_s": floor.cold_s,
            "floor_ratio": floor.ratio,
        }
    return fields


def _segment_json(segment: Segment) -> dict[str, Any]:
    return {
        "from_bytes": segment.from_bytes,
        "to_bytes": segment.to_bytes,
        "alpha_s": segment.alpha_s,
        "alpha_low_s": low_of(segment.alpha_interval),
        "alpha_high_s": high_of(segment.alpha_interval),
        "beta_s_per_B": segment.beta_s_per_B,
        "beta_low_s_per_B": low_of(segment.beta_interval),
        "beta_high_s_per_B": high_of(segment.beta_interval),
        "curve": segment.curve and asdict(segment.curve.shape),
        "coefficients": [] if segment.curve is None else segment.curve.coefficients.tolist(),
    }


def next_run_json(analysis: Analysis) -> list[dict[str, Any]]:
    """The interval for another run's median at each point, where other runs were looked for."""
    if analysis.expected is None:
        return []
    pairs = [(point, analysis.expected.at(point)) for point in analysis.estimates.own()]
    return [
        {**axes_json(point), **estimate_json(next_run, "_s")}
        for point, next_run in pairs
        if next_run is not None
    ]


def points_json(analysis: Analysis, all_states: bool) -> list[dict[str, Any]]:
    return [point_json(point, None) for point in analysis.estimates.shown(all_states)]


def axes_json(point: Axes, *left_out: str) -> dict[str, Any]:
    """The axes of a point, without those that do not apply."""
    return {name: value for name, value in axes_of(point).items() if name not in left_out}


def at_point_json(estimate: Any, *left_out: str) -> dict[str, Any]:
    """The axes of an estimate's point, but these, with its other fields in the place of the
    point."""
    fields = estimate_json(estimate)
    del fields["point"]
    return {**axes_json(estimate.point, *left_out), **fields}


def fit_json(fit: Fit) -> dict[str, Any]:
    return {
        "model": fit.model,
        "parameters": {name: estimate_json(value) for name, value in fit.parameters.items()},
        "derived": {name: estimate_json(value) for name, value in fit.derived.items()},
        "error": {
            "median": fit.error_median,
            "max": fit.error_max,
            "max_bytes": fit.error_max_bytes,
        },
        "criterion": fit.criterion,
        "segments": [_segment_json(segment) for segment in fit.segments],
        "launches": fit.launches,
        "notes": list(fit.notes),
    }
